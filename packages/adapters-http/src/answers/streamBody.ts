import { Effect, Stream } from "effect"
import type { AnswerWriter } from "../exchange/AnswerWriter.ts"
import type { Coded } from "../problems/problemTable.ts"
import type { AnswerHeaders } from "./Answer.ts"

export interface StreamBodyInput<Piece extends string | Uint8Array> {
  readonly writer: AnswerWriter
  readonly status: number
  readonly headers: AnswerHeaders
  readonly pieces: Stream.Stream<Piece, Coded>
  /** Makes one piece of those that are ready together. */
  readonly join: (batch: ReadonlyArray<Piece>) => Piece
  /** Longest time in which a reader reads nothing before the connection is closed. */
  readonly stalledReaderMs: number
}

/**
 * Writes a stream of pieces as they come, in batches: the status line with the first batch, and the end after the
 * stream has finished. While the reader is behind, it takes nothing from the stream. Fails with the stream's error,
 * without ending or breaking the response; a stalled reader is disconnected, and the work interrupted.
 */
export const streamBody = <Piece extends string | Uint8Array>(
  input: StreamBodyInput<Piece>
): Effect.Effect<void, Coded> => {
  const { writer, status, headers, join, pieces } = input
  const begin = () => {
    if (writer.state === "unsent") writer.begin(status, headers)
  }
  const write = (batch: ReadonlyArray<Piece>) =>
    Effect.suspend(() => {
      begin()
      return writer.write(join(batch)) ? Effect.void : drained(writer, input.stalledReaderMs)
    })
  const end = Effect.sync(() => {
    begin()
    writer.end()
  })
  return Effect.andThen(Stream.runForEachArray(pieces, write), end)
}

/**
 * Waits until the reader has caught up. A reader that has left never does: then the fiber is interrupted from outside.
 */
const drained = (writer: AnswerWriter, withinMs: number): Effect.Effect<void> => {
  const giveUp = Effect.andThen(
    Effect.sync(() => writer.abandon()),
    Effect.interrupt
  )
  return Effect.callback<void>((resume) => {
    const stop = writer.onDrain(() => resume(Effect.void))
    return Effect.sync(stop)
  }).pipe(Effect.timeoutOrElse({ duration: withinMs, orElse: () => giveUp }))
}
