import { EventStreamBroken, makeEventDecoder, type ServerSentEvent } from "./serverSentEvents.ts"

/** Reading stopped because the connection broke, not because the vendor said anything. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost"
}

const EVENT_STREAM = /^text\/event-stream\b/i

/**
 * The events of a response, as many at once as came together. Throws `EventStreamBroken` where the response is no event
 * stream, though its status is 200, and `ConnectionLost` where its connection breaks or its request is aborted.
 */
export async function* readEventStream(response: Response): AsyncGenerator<ReadonlyArray<ServerSentEvent>> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  try {
    const type = response.headers.get("content-type")
    if (type !== null && !EVENT_STREAM.test(type)) throw new EventStreamBroken(`The answer is ${type}, not a stream.`)
    const decoder = makeEventDecoder()
    for (;;) {
      const chunk = await reader.read().catch((cause: unknown) => {
        throw new ConnectionLost("The connection to the vendor broke.", { cause })
      })
      if (chunk.done) return
      yield decoder.feed(chunk.value)
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}
