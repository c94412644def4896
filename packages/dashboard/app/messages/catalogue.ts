import { english } from "./en/index.ts"
import type { Message } from "./format.ts"

/** The same keys in another language. */
export type MessagesLike<English> = Readonly<Record<keyof English, Message>>

export type MessageKey = keyof typeof english

/** All texts in one language. */
export type Catalogue = Readonly<Record<MessageKey, Message>>

export { english }
