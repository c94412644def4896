import type { OutgoingHttpHeaders, ServerResponse } from "node:http"
import { Effect, Schema, Stream } from "effect"
import type { Coded } from "../problems/problemTable.ts"

/** The reader took nothing for so long that the connection is given up. */
export class ReaderStalled extends Schema.TaggedError<ReaderStalled>()("ReaderStalled", {}) {
  readonly code = "reader_stalled"
  override get message() {
    return "The reader took nothing for too long."
  }
}

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
 * stream has finished. While the reader is behind, nothing is taken from the stream. Fails with the stream's own error
 * or with `ReaderStalled`; the response is then neither ended nor destroyed.
 */
export const streamText = (input: StreamTextInput): Effect.Effect<void, ReaderStalled | Coded> => {
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
const drained = (response: ServerResponse, withinMs: number): Effect.Effect<void, ReaderStalled> =>
  Effect.callback<void>((resume) => {
    const onDrain = () => resume(Effect.void)
    response.once("drain", onDrain)
    return Effect.sync(() => response.off("drain", onDrain))
  }).pipe(Effect.timeoutOrElse({ duration: withinMs, orElse: () => Effect.fail(new ReaderStalled()) }))
