import type { Source } from "../api/Transcript.ts"

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
  text: string
  state: MessageState
  sources: ReadonlyArray<Source>
}
