import { ParleyError, unreached } from "./ParleyError.ts"

/** A stream of text that `for await` reads on every platform. */
export type TextStream = ReadableStream<string> & AsyncIterable<string>

interface StreamedText {
  readonly stream: TextStream
  /** Resolves when the text has ended, even if the stream is not read. */
  readonly ended: Promise<void>
}

/**
 * Streams the text of a response as it arrives. The response is read without waiting for the stream's reader, so that a
 * page that renders slowly does not delay the reply. Cancelling the stream closes the connection.
 */
export const textOf = (response: Response, signal: AbortSignal | undefined): StreamedText => {
  // React Native's responses have no `body` stream, so the text arrives in one piece.
  const source = response.body?.getReader()
  let controller: ReadableStreamDefaultController<string> | undefined
  const stream = new ReadableStream<string>({
    start: (own) => void (controller = own),
    cancel: (reason) => {
      controller = undefined
      return source?.cancel(reason)
    }
  })
  const pump = async () => {
    if (source === undefined) return controller?.enqueue(await response.text())
    const decoder = new TextDecoder()
    for (;;) {
      const { done, value } = await source.read()
      const text = decoder.decode(value, { stream: !done })
      if (text !== "") controller?.enqueue(text)
      if (done) return
    }
  }
  const ended = pump().then(
    () => controller?.close(),
    (cause: unknown) => {
      const error = signal?.aborted === true ? unreached(cause, signal) : brokenOff(cause)
      controller?.error(error)
      throw error
    }
  )
  ended.catch(() => undefined)
  return { stream: iterable(stream), ended }
}

const brokenOff = (cause: unknown): ParleyError =>
  new ParleyError({ code: "incomplete_reply", message: "The reply broke off before its end.", cause })

/** Adds the async iterator that the streams of some browsers lack. */
const iterable = (stream: ReadableStream<string>): TextStream => {
  if (Symbol.asyncIterator in stream) return stream as TextStream
  return Object.assign(stream as ReadableStream<string>, {
    async *[Symbol.asyncIterator]() {
      const reader = (stream as ReadableStream<string>).getReader()
      try {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return
          yield value
        }
      } finally {
        await reader.cancel()
      }
    }
  }) as unknown as TextStream
}
