import { bodyReader } from "./bodyReader.ts"
import { AnswerTooLarge, byteBudget, wholeBytes } from "./readBounded.ts"
import { EventStreamBroken, makeEventDecoder, type ServerSentEvent } from "./serverSentEvents.ts"

/** The connection broke while the stream was read; the vendor reported no error. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost"
}

const EVENT_STREAM = /^text\/event-stream\b/i
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i

/** The bytes of a reply besides its words, and the most bytes of each token. */
const BYTES_AROUND = 1024 * 1024
const BYTES_PER_TOKEN = 4 * 1024
/** The most bytes of a reply that arrives as one document, because such a document is parsed at once. */
const MAX_WHOLE_BYTES = 16 * 1024 * 1024

/** The most bytes that a reply with this output limit may have. */
export const maxReplyBytes = (maxOutputTokens: number): number => BYTES_AROUND + BYTES_PER_TOKEN * maxOutputTokens

const throwNamed = (cause: unknown): never => {
  throw new ConnectionLost("The connection to the vendor broke.", { cause })
}

/**
 * Yields the events of a response, in batches as they arrive. A response that is one JSON document instead of a stream
 * is yielded as one event. Throws `EventStreamBroken` if the response is neither, although its status is 200;
 * `AnswerTooLarge` if it has more than `maxBytes` bytes; and `ConnectionLost` if its connection breaks or the request's
 * `signal` aborts.
 */
export async function* readEventStream(
  response: Response,
  maxBytes: number,
  signal: AbortSignal
): AsyncGenerator<ReadonlyArray<ServerSentEvent>> {
  const type = response.headers.get("content-type")
  if (type !== null && JSON_TYPE.test(type)) {
    yield await readWhole(response, Math.min(maxBytes, MAX_WHOLE_BYTES), signal)
    // If the document contains a whole reply, the reader has stopped before this line, or ignores an error after the
    // end.
    throw new EventStreamBroken("The answer is JSON, and no whole reply.")
  }
  if (type !== null && !EVENT_STREAM.test(type)) {
    void response.body?.cancel().catch(() => undefined)
    throw new EventStreamBroken("The answer is no event stream.")
  }
  const reader = bodyReader(response, signal)
  if (reader === undefined) return
  const decoder = makeEventDecoder()
  const take = byteBudget(maxBytes)
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(throwNamed)
      if (signal.aborted) throwNamed(signal.reason)
      if (done) return
      take(value.length)
      yield decoder.feed(value)
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}

const readWhole = async (
  response: Response,
  maxBytes: number,
  signal: AbortSignal
): Promise<ReadonlyArray<ServerSentEvent>> => {
  const bytes = await wholeBytes(response, maxBytes, signal).catch((cause: unknown) => {
    throw cause instanceof AnswerTooLarge ? cause : throwNamed(cause)
  })
  return [{ data: new TextDecoder().decode(bytes) }]
}
