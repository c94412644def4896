import { sharing as english } from "../messages/en/sharing.ts"
import { partMessages } from "../messages/partMessages.ts"

/** The texts of ratings, of shared chats, and of the preferences for replies. */
export const useSharingMessages = partMessages(english, {
  de: async () => (await import("../messages/de/sharing.ts")).sharing,
  fr: async () => (await import("../messages/fr/sharing.ts")).sharing,
  es: async () => (await import("../messages/es/sharing.ts")).sharing,
  pt: async () => (await import("../messages/pt/sharing.ts")).sharing
})
