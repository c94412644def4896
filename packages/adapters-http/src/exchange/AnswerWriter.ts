import type { AnswerHeaders } from "../answers/Answer.ts"

/**
 * The writer of the response to one request: either whole (`send`), or begun, written piece by piece and ended.
 *
 * - `unsent`: nothing was sent.
 * - `begun`: the head was sent, and maybe a part of the body.
 * - `over`: the response is complete, or its reader has left.
 */
export interface AnswerWriter {
  readonly state: "unsent" | "begun" | "over"
  /** A whole answer; without bytes it has no body. */
  send(status: number, headers: AnswerHeaders, bytes?: Uint8Array): void
  begin(status: number, headers: AnswerHeaders): void
  /** Returns false if the reader is behind: then the caller waits until `onDrain` calls. */
  write(piece: string | Uint8Array): boolean
  /** Calls once, when the reader has caught up; returns a function that removes the listener. */
  onDrain(listener: () => void): () => void
  end(): void
  /** Breaks off a begun response after the written data is sent, so that its reader sees that it is incomplete. */
  cut(): void
  /** Disconnects the reader at once. */
  abandon(): void
}
