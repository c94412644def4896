import { keys as english } from "../messages/en/keys.ts"
import { partMessages } from "../messages/partMessages.ts"

/** The texts of the shortcuts and of their dialogs. */
export const useKeyMessages = partMessages(english, async () => (await import("../messages/de/keys.ts")).keys)
