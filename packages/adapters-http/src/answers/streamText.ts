import type { OutgoingHttpHeaders, ServerResponse } from "node:http"
import { Effect, Stream } from "effect"
import type { Coded } from "../problems/problemTable.ts"

export interface StreamTextInput {
  readonly response: ServerResponse
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly text: Stream.Stream<string, Coded>
  /** How long a reader may take nothing before the connection is given up. */
  readonly stalledReaderMs: number
}

/**
 * Writes a stream of text as it comes, a batch at a time: the status line with the first batch, and the end once the
 * stream has finished. While the reader is behind, nothing is taken from the stream. Fails with the stream's own error,
 * the response then being neither ended nor destroyed; a reader that stalls is cut off, and the work interrupted.
 */
export const streamText = (input: StreamTextInput): Effect.Effect<void, Coded> => {
  const { response, status, headers, text } = input
  const write = (batch: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      if (!response.headersSent) response.writeHead(status, headers)
      return response.write(batch.join("")) ? Effect.void : drained(response, input.stalledReaderMs)
    })
  const end = Effect.sync(() => {
    if (!response.headersSent) response.writeHead(status, headers)
    response.end()
  })
  return Effect.andThen(Stream.runForEachArray(text, write), end)
}

/** Waits until the reader has caught up. One who has left never does: then the fiber is interrupted from outside. */
const drained = (response: ServerResponse, withinMs: number): Effect.Effect<void> => {
  const giveUp = Effect.andThen(
    Effect.sync(() => response.destroy()),
    Effect.interrupt
  )
  return Effect.callback<void>((resume) => {
    const onDrain = () => resume(Effect.void)
    response.once("drain", onDrain)
    return Effect.sync(() => response.off("drain", onDrain))
  }).pipe(Effect.timeoutOrElse({ duration: withinMs, orElse: () => giveUp }))
}
