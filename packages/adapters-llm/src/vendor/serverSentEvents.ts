/** One event of a `text/event-stream` (HTML Living Standard, section 9.2). */
export interface ServerSentEvent {
  /** Empty where the event has no name. */
  readonly name: string
  readonly data: string
}

/** The stream cannot be an event stream, or not one that a vendor means to send. */
export class EventStreamBroken extends Error {
  override readonly name = "EventStreamBroken"
}

/** An event of a reply is a few hundred bytes; more than this is a mistake or an attack on the memory. */
const MAX_EVENT_LENGTH = 1024 * 1024

const CR = "\r"
const COLON = 0x3a
const LF = 0x0a

const indexFrom = (text: string, character: string, from: number): number => {
  const index = text.indexOf(character, from)
  return index < 0 ? Infinity : index
}

/**
 * Reads an event stream as its bytes come, cut anywhere, within characters and line ends too: `feed` gives the events
 * that are complete by now. What is left unfinished when the stream closes is no event. Each character is looked at a
 * bounded number of times, however small the pieces are, and comments are not kept. Throws `EventStreamBroken` for
 * bytes that are not UTF-8 and for an event or a line without end.
 */
export const makeEventDecoder = (): { feed(bytes: Uint8Array): ReadonlyArray<ServerSentEvent> } => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  /** The pieces of the line that has not ended yet. */
  let unfinished: Array<string> = []
  let unfinishedLength = 0
  let inComment = false
  /** The last character was a CR: an LF that follows belongs to it. */
  let afterReturn = false
  let name = ""
  let data: Array<string> = []
  let eventLength = 0

  const endEvent = (events: Array<ServerSentEvent>): void => {
    if (data.length > 0) events.push({ name, data: data.length === 1 ? (data[0] ?? "") : data.join("\n") })
    name = ""
    data = []
    eventLength = 0
  }

  const takeLine = (line: string, events: Array<ServerSentEvent>): void => {
    if (line === "") return endEvent(events)
    if (line.charCodeAt(0) === COLON) return
    eventLength += line.length
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(line.charAt(colon + 1) === " " ? colon + 2 : colon + 1)
    if (field === "data") data.push(value)
    else if (field === "event") name = value
  }

  /** Puts aside a piece of a line that has not ended; nothing of a comment. */
  const keep = (piece: string): void => {
    if (piece === "") return
    if (unfinishedLength === 0) inComment = piece.charCodeAt(0) === COLON
    unfinishedLength += piece.length
    if (!inComment) unfinished.push(piece)
    if (unfinishedLength + eventLength > MAX_EVENT_LENGTH) {
      throw new EventStreamBroken("An event of the stream has no end.")
    }
  }

  const endLine = (piece: string, events: Array<ServerSentEvent>): void => {
    if (unfinishedLength === 0) return takeLine(piece, events)
    if (!inComment) takeLine(unfinished.join("") + piece, events)
    unfinished = []
    unfinishedLength = 0
  }

  const decode = (bytes: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: true })
    } catch (cause) {
      throw new EventStreamBroken("The event stream is not UTF-8.", { cause })
    }
  }

  const takeText = (text: string, events: Array<ServerSentEvent>): void => {
    let start = afterReturn && text.charCodeAt(0) === LF ? 1 : 0
    // Each kind of line end is looked for again only from behind the one found last, not once a line.
    let nextReturn = indexFrom(text, CR, start)
    let nextNewline = indexFrom(text, "\n", start)
    while (start < text.length) {
      const end = Math.min(nextReturn, nextNewline)
      if (end === Infinity) break
      endLine(text.slice(start, end), events)
      start = end === nextReturn && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1
      if (nextReturn < start) nextReturn = indexFrom(text, CR, start)
      if (nextNewline < start) nextNewline = indexFrom(text, "\n", start)
    }
    afterReturn = text.endsWith(CR)
    keep(text.slice(start))
  }

  return {
    feed: (bytes) => {
      const events: Array<ServerSentEvent> = []
      const text = decode(bytes)
      if (text !== "") takeText(text, events)
      if (eventLength > MAX_EVENT_LENGTH) throw new EventStreamBroken("An event of the stream has no end.")
      return events
    }
  }
}
