import type { Rating, Source } from "../api/Transcript.ts"

/**
 * - `sending`: it was not answered yet.
 * - `unsent`: the service did not take it.
 * - `writing`: more of it comes.
 * - `broken`, `stopped`: the rest never came, or was not wanted.
 * - `partial`: it was so before the page was loaded.
 */
export type MessageState = "sending" | "unsent" | "writing" | "broken" | "stopped" | "partial" | "complete"

/** A message of the visitor or the bot. */
export interface Message {
  readonly id: number
  readonly role: "visitor" | "bot"
  /** The name of the person who wrote it in the place of the bot, which may be empty; undefined of other messages. */
  readonly author?: string | undefined
  /** It came while the page was open, and is announced. */
  readonly isNew?: boolean
  /** The id of a reply that can be rated, once it has ended. */
  storedId?: string | undefined
  rating?: Rating | undefined
  text: string
  state: MessageState
  sources: ReadonlyArray<Source>
}
