import { createParser, type EventSourceMessage } from "eventsource-parser"

/** One event of a `text/event-stream` (HTML Living Standard, section 9.2). */
export type ServerSentEvent = Pick<EventSourceMessage, "data" | "event">

/** The stream cannot be an event stream, or not one that a vendor means to send. */
export class EventStreamBroken extends Error {
  override readonly name = "EventStreamBroken"
}

/** An event of a reply is a few hundred bytes; more than this is a mistake or an attack on the memory. */
const MAX_EVENT_LENGTH = 1024 * 1024

/** Counts the characters since the last line end, so that a line that is discarded unread has an end too. */
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
 * Reads an event stream as its bytes come, cut anywhere, within characters and line ends too: `feed` gives the events
 * that are complete by now. What is left unfinished when the stream closes is no event. The time grows with the length
 * of the stream, however small the pieces are, and comments are not kept. Throws `EventStreamBroken` for bytes that are
 * not UTF-8 and for an event or a line without end.
 */
export const makeEventDecoder = (): { feed(bytes: Uint8Array): ReadonlyArray<ServerSentEvent> } => {
  // The parser takes the byte order mark away.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const guardLine = makeLineGuard()
  let events: Array<ServerSentEvent> = []
  // No `onError`: an error would be made for each field that nobody knows.
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
      // The piece before went beyond the limit; the parser says so once it is given the next.
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
