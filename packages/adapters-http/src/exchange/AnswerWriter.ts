import type { AnswerHeaders } from "../answers/Answer.ts"

/**
 * Where the answer to one request goes: either whole (`send`), or begun, written piece by piece and ended.
 * - `unsent`: nothing has gone out.
 * - `begun`: the head has, and maybe some of the body.
 * - `over`: the answer is complete, or its reader has left.
 */
export interface AnswerWriter {
  readonly state: "unsent" | "begun" | "over"
  /** A whole answer; without bytes it has no body. */
  send(status: number, headers: AnswerHeaders, bytes?: Uint8Array): void
  begin(status: number, headers: AnswerHeaders): void
  /** False where the reader is behind: then the writer waits until `onDrain` calls. */
  write(piece: string | Uint8Array): boolean
  /** Calls once, as soon as the reader has caught up; gives what takes the listener back. */
  onDrain(listener: () => void): () => void
  end(): void
  /** Breaks a begun answer off so that its reader sees that it is not complete, once what was written is out. */
  cut(): void
  /** Gives the reader up at once. */
  abandon(): void
}
