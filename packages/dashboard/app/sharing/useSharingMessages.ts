import { sharing as english } from "../messages/en/sharing.ts"
import { partMessages } from "../messages/partMessages.ts"

/** The texts of ratings, of shared chats, and of the preferences for replies. */
export const useSharingMessages = partMessages(english, async () => (await import("../messages/de/sharing.ts")).sharing)
