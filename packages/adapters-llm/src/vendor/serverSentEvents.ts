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

/**
 * Reads an event stream as its bytes come, cut anywhere, within characters and line ends too: `feed` gives the events
 * that are complete by now. What is left unfinished when the stream closes is no event. Throws `EventStreamBroken` for
 * bytes that are not UTF-8 and for an event without end.
 */
export const makeEventDecoder = (): { feed(bytes: Uint8Array): ReadonlyArray<ServerSentEvent> } => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let rest = ""
  let name = ""
  let data: Array<string> = []
  let length = 0

  const takeLine = (line: string, events: Array<ServerSentEvent>): void => {
    if (line === "") {
      if (data.length > 0) events.push({ name, data: data.join("\n") })
      name = ""
      data = []
      length = 0
      return
    }
    length += line.length
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(line.charAt(colon + 1) === " " ? colon + 2 : colon + 1)
    if (field === "data") data.push(value)
    else if (field === "event") name = value
  }

  const decode = (bytes: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: true })
    } catch (cause) {
      throw new EventStreamBroken("The event stream is not UTF-8.", { cause })
    }
  }

  return {
    feed: (bytes) => {
      const events: Array<ServerSentEvent> = []
      rest += decode(bytes)
      let start = 0
      for (;;) {
        const end = lineEnd(rest, start)
        if (end === undefined) break
        takeLine(rest.slice(start, end.at), events)
        start = end.next
      }
      rest = rest.slice(start)
      if (rest.length + length > MAX_EVENT_LENGTH) throw new EventStreamBroken("An event of the stream has no end.")
      return events
    }
  }
}

/** The next line end, be it CR, LF or both; a CR at the very end may be half of one and waits. */
const lineEnd = (text: string, from: number): { readonly at: number; readonly next: number } | undefined => {
  for (let index = from; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 0x0a) return { at: index, next: index + 1 }
    if (unit !== 0x0d) continue
    if (index + 1 === text.length) return undefined
    return { at: index, next: text.charCodeAt(index + 1) === 0x0a ? index + 2 : index + 1 }
  }
  return undefined
}
