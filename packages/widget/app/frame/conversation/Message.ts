import type { Rating, Source } from "../api/Transcript.ts"

/**
 * - `sending`: the server has not answered the message yet.
 * - `unsent`: the server has refused the message.
 * - `writing`: more text is arriving.
 * - `broken`, `stopped`: the connection broke, or the visitor stopped the reply.
 * - `partial`: the reply was already incomplete when the page was loaded.
 */
export type MessageState = "sending" | "unsent" | "writing" | "broken" | "stopped" | "partial" | "complete"

/** A message of the visitor or the bot. */
export interface Message {
  readonly id: number
  readonly role: "visitor" | "bot"
  /**
   * The name of the person who wrote the message in the place of the bot, possibly empty; undefined for other messages.
   */
  readonly author?: string | undefined
  /** True if the message arrived while the page was open, so that it is announced. */
  readonly isNew?: boolean
  /** The id of a reply that the visitor may rate, once the reply has ended. */
  storedId?: string | undefined
  rating?: Rating | undefined
  text: string
  state: MessageState
  sources: ReadonlyArray<Source>
}
