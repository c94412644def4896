import { createParser, type EventSourceMessage } from "eventsource-parser"

/** One event of a `text/event-stream` (HTML Living Standard, section 9.2). */
export type ServerSentEvent = Pick<EventSourceMessage, "data" | "event">

/** The bytes are not an event stream, or an event or a line is too long. */
export class EventStreamBroken extends Error {
  override readonly name = "EventStreamBroken"
}

/**
 * The most characters of an event. An event of a reply has a few hundred bytes, so a larger one is a mistake or an
 * attack on the memory.
 */
const MAX_EVENT_LENGTH = 1024 * 1024

/**
 * Returns a function that limits the characters since the last line end, including those of lines that the parser
 * discards.
 */
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
 * Makes a decoder of an event stream. It receives the stream in chunks, which may end within a character or a line end;
 * `feed` returns the events that are complete. An event that is incomplete when the stream ends is dropped. The time is
 * linear in the length of the stream, even for tiny chunks, and comments are not stored. Throws `EventStreamBroken` if
 * bytes are not UTF-8, or if an event or a line is too long.
 */
export const makeEventDecoder = (): { feed(bytes: Uint8Array): ReadonlyArray<ServerSentEvent> } => {
  // The byte order mark stays in the text, because the parser removes it.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const guardLine = makeLineGuard()
  let events: Array<ServerSentEvent> = []
  // There is no `onError`, because the parser would create an error for each unknown field.
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
      // The previous chunk exceeded the limit, which the parser reports only at the next chunk.
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
