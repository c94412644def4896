import type { InputUsage, ReplyPart } from "./ChatModel.ts"

/** Understands what one vendor sends. One reader reads one reply; it may keep what it needs between items. */
export interface ReplyReader<Raw> {
  /** What an item means; often nothing. May throw where the item cannot be understood. */
  read(item: Raw): Iterable<ReplyPart>
  /** The `end` that is due if nothing more comes: only once the vendor's end mark was seen. Asking changes nothing. */
  finish(): EndPart | undefined
}

export type EndPart = Extract<ReplyPart, { readonly _tag: "end" }>

/** How a vendor's stream ended. */
export type Outcome =
  | { readonly _tag: "ended"; readonly end: EndPart }
  | { readonly _tag: "cut-off" }
  | { readonly _tag: "failed"; readonly cause: unknown }

/** What has come and was not taken yet. */
export interface Ready {
  /** What the prompt counted, where that was reported since the last time. */
  readonly inputUsage: InputUsage | undefined
  readonly text: string
  readonly outcome: Outcome | undefined
}

/** Reads a vendor's stream ahead, up to a bound, so that whatever is ready can be taken at once. */
export interface ReplyPump {
  /** True where `take` would give something new. */
  hasNews(): boolean
  /** Takes all that is ready, in order, and lets the pump go on. */
  take(): Ready
  /** Calls once when there is news; `undefined` forgets the listener. */
  onNews(listener: (() => void) | undefined): void
  /** The end that is due although the vendor has not closed its stream. */
  due(): EndPart | undefined
  /** Stops the vendor's work at once. Safe to call more than once. */
  stop(): void
}

const release = async (iterator: AsyncIterator<unknown> | undefined): Promise<void> => {
  try {
    await iterator?.return?.()
  } catch {
    /** The reply has ended already; how its source closes changes nothing. */
  }
}

const isHighSurrogate = (text: string): boolean => (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800

/**
 * Starts reading. `open` gets a signal that aborts on `stop`, when an end mark was read, and when the stream failed.
 * At most `bound` items are read beyond what was taken; then the vendor's stream waits.
 */
export const startReplyPump = <Raw>(
  open: (signal: AbortSignal) => AsyncIterable<Raw> | PromiseLike<AsyncIterable<Raw>>,
  reader: ReplyReader<Raw>,
  bound: number
): ReplyPump => {
  const abort = new AbortController()
  let iterator: AsyncIterator<Raw> | undefined
  let text = ""
  let inputUsage: InputUsage | undefined
  let items = 0
  let heard = false
  let outcome: Outcome | undefined
  let listener: (() => void) | undefined
  let goOn: (() => void) | undefined

  const stop = () => {
    if (abort.signal.aborted) return
    abort.abort()
    goOn?.()
    /** Not awaited: an iterator that waits for its vendor would answer only when the vendor does. */
    void release(iterator)
  }
  const notify = () => {
    heard = true
    const notified = listener
    listener = undefined
    notified?.()
  }
  const end = (how: Outcome) => {
    if (abort.signal.aborted) return
    outcome = how
    stop()
    notify()
  }
  const accept = (item: Raw) => {
    for (const part of reader.read(item)) {
      if (part._tag === "end") return end({ _tag: "ended", end: part })
      if (part._tag === "input-usage") inputUsage = part.usage
      else text += part.text
    }
    items += 1
    notify()
  }
  const due = (otherwise: Outcome): Outcome => {
    const last = reader.finish()
    return last === undefined ? otherwise : { _tag: "ended", end: last }
  }
  const run = async () => {
    try {
      const source = await open(abort.signal)
      iterator = source[Symbol.asyncIterator]()
      while (!abort.signal.aborted) {
        const next = await iterator.next()
        if (next.done === true) return end(due({ _tag: "cut-off" }))
        if (abort.signal.aborted) return
        accept(next.value)
        if (items >= bound && !abort.signal.aborted) await new Promise<void>((resolve) => (goOn = resolve))
      }
      await release(iterator)
    } catch (cause) {
      end(due({ _tag: "failed", cause }))
    }
  }
  void run()

  return {
    hasNews: () => heard,
    take: () => {
      /** Half of a character waits for its other half. */
      const keep = outcome === undefined && text !== "" && isHighSurrogate(text) ? text.length - 1 : text.length
      const taken = { inputUsage, text: text.slice(0, keep).toWellFormed(), outcome }
      text = text.slice(keep)
      inputUsage = undefined
      items = 0
      heard = false
      goOn?.()
      goOn = undefined
      return taken
    },
    onNews: (next) => (listener = next),
    due: () => reader.finish(),
    stop
  }
}
