import { Schema } from "effect"
import { HANDOVER_LANGUAGES } from "../chat/store/Handover.ts"
import { RATINGS } from "../chat/store/StoredChat.ts"
import { mailAddressOf } from "../mail/mailAddress.ts"

/** The maximum length of the id that a visitor's browser gives itself, in UTF-16 units. */
const MAX_VISITOR_ID = 200

const isStorable = (value: string) =>
  (value.isWellFormed() && !value.includes("\0")) || "Expected a text without NUL and without lone surrogates"

const textOf = (description: string) => Schema.String.annotate({ description }).check(Schema.makeFilter(isStorable))

const named = {
  publicKey: Schema.String.annotate({ description: "The bot's public key." }),
  visitorId: textOf("The visitor's id, which the browser generates: long, random and secret.").check(
    Schema.isMinLength(1, { message: `Expected 1 to ${MAX_VISITOR_ID} characters` }),
    Schema.isMaxLength(MAX_VISITOR_ID, { message: `Expected 1 to ${MAX_VISITOR_ID} characters` })
  )
}

/** The maximum length of a challenge's token, in UTF-16 units: the maximum of Turnstile's. */
const MAX_TOKEN = 2_048

/** The maximum length of a language tag, in UTF-16 units. */
const MAX_TAG = 100
const challengeToken = Schema.optionalKey(
  Schema.String.check(Schema.isMaxLength(MAX_TOKEN, { message: `Expected at most ${MAX_TOKEN} characters` }))
).annotate({
  description: "The token of a solved challenge, if a response required one (`visitor_challenge_required`)."
})

/** A visitor's message to a bot. */
export const VisitorMessage = Schema.Struct({
  ...named,
  message: textOf("The text of the visitor.").check(
    Schema.makeFilter((value: string) => value.trim() !== "" || "Expected the message to say something")
  ),
  conversationId: Schema.optionalKey(Schema.String).annotate({
    description: "The conversation to go on with, as `x-conversation-id` named it; a new one begins without it."
  }),
  lang: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(MAX_TAG))).annotate({
    description: "The language of the widget (BCP 47), in which the bot declines."
  }),
  challengeToken
})
export type VisitorMessage = typeof VisitorMessage.Type

/** Names the conversation of a visitor's request. */
export const VisitorConversation = Schema.Struct({
  ...named,
  conversationId: Schema.String.annotate({ description: "The conversation, as `x-conversation-id` named it." }),
  after: Schema.optionalKey(Schema.String).annotate({
    description:
      "The id of a message: only messages after it are returned. All of them if the conversation does not have it."
  })
})
export type VisitorConversation = typeof VisitorConversation.Type

/** The visitor and the conversation of a file. */
export const VisitorFile = Schema.Struct({
  ...named,
  conversationId: Schema.optionalKey(Schema.String).annotate({
    description: "The conversation to which the file belongs; a new one begins without it."
  })
})
export type VisitorFile = typeof VisitorFile.Type

/** The maximum length of a page's address, in UTF-16 units. */
const MAX_PAGE = 2_000

/** A visitor's request to speak with a person. */
export const PersonWish = Schema.Struct({
  ...named,
  conversationId: Schema.optionalKey(Schema.String).annotate({
    description: "The conversation to hand over; a new one begins without it."
  }),
  email: Schema.optionalKey(
    Schema.String.annotate({
      description: "The address to which a person's answer is mailed if the visitor has left."
    }).check(Schema.makeFilter((text: string) => mailAddressOf(text) !== undefined || "Expected an e-mail address"))
  ),
  page: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(MAX_PAGE, { message: `Expected at most ${MAX_PAGE} characters` }))
  ).annotate({ description: "The address of the page that shows the widget. Its query and fragment are not stored." }),
  language: Schema.optionalKey(Schema.Literals(HANDOVER_LANGUAGES)).annotate({
    description: "The language of the mails; English unless given."
  }),
  challengeToken
})
export type PersonWish = typeof PersonWish.Type

/** A visitor's rating of a reply. */
export const VisitorRating = Schema.Struct({
  ...named,
  conversationId: Schema.String.annotate({ description: "The conversation, as `x-conversation-id` named it." }),
  messageId: Schema.String.annotate({ description: "The reply, as `x-message-id` named it." }),
  rating: Schema.NullOr(Schema.Literals(RATINGS)).annotate({
    description: "The opinion of the reply; null takes an earlier one back."
  })
})
export type VisitorRating = typeof VisitorRating.Type
