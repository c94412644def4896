import { createParser, type EventSourceMessage } from "eventsource-parser"

/** One event of a `text/event-stream` (HTML Living Standard, section 9.2). */
export type ServerSentEvent = Pick<EventSourceMessage, "data" | "event">

/** The bytes are not an event stream, or not a plausible one. */
export class EventStreamBroken extends Error {
  override readonly name = "EventStreamBroken"
}

/** An event of a reply has a few hundred bytes; a larger one is a mistake or an attack on the memory. */
const MAX_EVENT_LENGTH = 1024 * 1024

/** Counts the characters since the last line end, which also bounds a line that the parser discards. */
const makeLineGuard = (): ((text: string) => void) => {
  let unfinished = 0
  return (text) => {
    if (text.endsWith("\n")) {
      unfinished = 0
      return
    }
    const lineEnd = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"))
    unfinished = lineEnd < 0 ? unfinished + text.length : text.length - 1 - lineEnd
    if (unfinished > MAX_EVENT_LENGTH) throw new EventStreamBroken("A line of the event stream has no end.")
  }
}

/**
 * Decodes an event stream chunk by chunk; a chunk may end within a character or a line end. `feed` returns the events
 * that are complete. An event that is incomplete when the stream closes is dropped. The time grows linearly with the
 * length of the stream, even for tiny chunks, and comments are not kept. Throws `EventStreamBroken` for bytes that are
 * not UTF-8 and for an event or a line without end.
 */
export const makeEventDecoder = (): { feed(bytes: Uint8Array): ReadonlyArray<ServerSentEvent> } => {
  // The parser removes the byte order mark.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const guardLine = makeLineGuard()
  let events: Array<ServerSentEvent> = []
  // No `onError`: the parser would create an error for each unknown field.
  const parser = createParser({ maxBufferSize: MAX_EVENT_LENGTH, onEvent: (event) => events.push(event) })

  const decode = (bytes: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: true })
    } catch (cause) {
      throw new EventStreamBroken("The event stream is not UTF-8.", { cause })
    }
  }

  const parse = (text: string): void => {
    try {
      parser.feed(text)
    } catch (cause) {
      // The previous chunk exceeded the limit; the parser reports it with the next one.
      throw new EventStreamBroken("An event of the stream has no end.", { cause })
    }
  }

  return {
    feed: (bytes) => {
      const text = decode(bytes)
      guardLine(text)
      parse(text)
      const complete = events
      events = []
      return complete
    }
  }
}
