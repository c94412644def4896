import { keys as english } from "../messages/en/keys.ts"
import { partMessages } from "../messages/partMessages.ts"

/** The texts of the shortcuts and of their dialogs. */
export const useKeyMessages = partMessages(english, {
  de: async () => (await import("../messages/de/keys.ts")).keys,
  fr: async () => (await import("../messages/fr/keys.ts")).keys,
  es: async () => (await import("../messages/es/keys.ts")).keys,
  pt: async () => (await import("../messages/pt/keys.ts")).keys
})
