import type { Message } from "../format.ts"

/** Texts of ratings, of shared chats, and of the preferences for replies. */
export const sharing = {
  "rating.good": "Good reply",
  "rating.bad": "Bad reply",
  "rating.title": "What was wrong?",
  "rating.comment": "Your comment",
  "rating.text": "The operator of this server can read your comment and the reply's id, but not the chat.",
  "rating.send": "Send",
  "rating.skip": "Skip",
  "share.title": "Share this chat",
  "share.text":
    "Anyone with the link can read this chat as it is now. Later messages and the texts of your documents are not shared; the names of quoted documents are.",
  "share.create": "Create a link",
  "share.link": "Link to this chat",
  "share.copy": "Copy the link",
  "share.copied": "Copied",
  "share.shared": "Shared on {date}, up to the message that was the last one then.",
  "share.renew": "Share it as it is now",
  "share.renewed": "The link shows the chat as it is now.",
  "share.end": "End the link",
  "shared.title": "Shared chat",
  "shared.note": "This chat was shared on {date}. It can be read, not continued.",
  "shared.own": "Start a chat of your own",
  "shared.gone": "This link leads nowhere: the chat is no longer shared, or was deleted.",
  "shared.source": "{number}: {name}",
  "shared.sourcePage": "{number}: {name}, page {page}",
  "preferences.title": "Replies",
  "preferences.model": "The model of new chats",
  "preferences.model.firstOfPlan": "The first of your plan",
  "preferences.instructions": "Instructions for every reply",
  "preferences.instructions.text":
    "For example how you want to be addressed, or how long replies should be. They count as part of each question.",
  "preferences.save": "Save",
  "preferences.saved": "Saved."
} as const satisfies Record<string, Message>
