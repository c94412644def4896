import type { ChatMessage } from "../../models/ChatMessage.ts"
import type { Heading } from "../../documents/reading/Heading.ts"
import type { ConversationOwner } from "./ConversationOwner.ts"

/** A passage that a reply could quote, as kept with the reply. `number` is what `[1]` in its text refers to. */
export interface Source {
  readonly number: number
  readonly documentId: string
  readonly filename: string
  /** From 1; null where the document has no pages. */
  readonly page: number | null
  /** UTF-16 offsets into the document's text. */
  readonly start: number
  readonly end: number
  readonly text: string
  /** The headings it stands under where it starts, then those that begin in it (`headingPath`); absent where none do. */
  readonly headings?: ReadonlyArray<Heading>
}

/**
 * How far a stored message got. What people write is `complete` at once; a reply is `streaming` until it ends, and
 * `failed` if its process died.
 */
export type MessageState = "complete" | "streaming" | "stopped" | "failed"

/** A message as stored. */
export interface StoredMessage extends ChatMessage {
  readonly id: string
  readonly state: MessageState
  /** Public id of the model that wrote it; undefined for what people wrote, and for a reply that no model wrote. */
  readonly model: string | undefined
  readonly sources: ReadonlyArray<Source>
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** A conversation. */
export interface Chat {
  readonly id: string
  readonly owner: ConversationOwner
  /** The beginning of its first message. */
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
}
