import { Cause, type Clock, type Effect, Queue, Result, type Scope } from "effect"
import { heldByScope } from "../background/heldByScope.ts"
import type { SilenceWatch } from "../outages/SilenceWatch.ts"
import { ModelFailed, type EndPart, type ReplyPart } from "./ChatModel.ts"
import { finishedReply } from "./finishedReply.ts"

/** Understands what one vendor sends. One reader reads one reply; it may keep what it needs between items. */
export interface ReplyReader<Raw> {
  /** What an item means; often nothing. May throw where the item cannot be understood. */
  read(item: Raw): Iterable<ReplyPart>
  /** The `end` that is due if nothing more comes: only once the vendor's end mark was seen. Asking changes nothing. */
  finish(): EndPart | undefined
}

export interface FeedSource<Raw> {
  /** Public id of the model, for errors. */
  readonly model: string
  /** Starts the vendor's work and gives what it sends. The work must stop when the signal aborts. */
  readonly open: (signal: AbortSignal) => AsyncIterable<Raw> | PromiseLike<AsyncIterable<Raw>>
  /** A new reader for one reply. */
  readonly reader: () => ReplyReader<Raw>
  /** Names what was thrown while opening or reading. A `ModelFailed` that was thrown is kept as it is. */
  readonly failure: (cause: unknown) => ModelFailed
  /** Is told when the model was asked, and whether it answered: with the first item, or with an error. */
  readonly silence?: SilenceWatch | undefined
}

/** What came of a reply and was not taken yet. It ends after the reply's end, and fails with the reply's failure. */
type ReplyQueue = Queue.Queue<ReplyPart, ModelFailed | Cause.Done>

/**
 * Why a vendor's stream is left, by the name that everybody knows an abort by. One for all: a reason that is made for each abort has
 * a stack of its own.
 */
const LEFT = new DOMException("The reply is over.", "AbortError")

/** What is asked to wait who found a vendor silent from the beginning. */
const SILENT_RETRY_MS = 5_000

/** Parts read ahead of the consumer; then the vendor's stream waits. */
export const READ_AHEAD = 64
/** Beyond that, there is room for the parts of one item, and for the end. */
const MORE = 4

/** A queue for one reply. */
export const makeReplyQueue: Effect.Effect<ReplyQueue, never, Scope.Scope> = heldByScope(
  Queue.bounded<ReplyPart, ModelFailed | Cause.Done>(READ_AHEAD + MORE),
  Queue.shutdown
)

/** A vendor's stream that is being read into a queue. */
export interface ReplyFeed {
  /** When the last item came, in Unix milliseconds, with text or without; undefined before the first. */
  heardAt(): number | undefined
  /** Called once, when the end mark was seen and figures may follow. */
  onEndMark(listener: () => void): void
  /** Something was taken from the queue: a vendor's stream that waits goes on. */
  goOn(): void
  /** Ends the reply where it waited long enough: as `stalled` unless its end mark was seen and only figures are missing. */
  giveUp(): void
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
 * Starts reading into `queue`: the text of each item as one delta, characters never in halves. `open` gets a signal that
 * aborts on `stop`, when an end mark was read, and when the stream failed. At most `READ_AHEAD` items are read beyond what
 * was taken; then the vendor's stream waits.
 */
export const startReplyFeed = <Raw>(source: FeedSource<Raw>, queue: ReplyQueue, clock: Clock.Clock): ReplyFeed => {
  const abort = new AbortController()
  const reader = source.reader()
  let iterator: AsyncIterator<Raw> | undefined
  let text = ""
  let spoke = false
  let heardAt: number | undefined
  let endMarkListener: (() => void) | undefined
  let waiting: (() => void) | undefined

  const asked = source.silence?.ask()
  const goOn = () => {
    waiting?.()
    waiting = undefined
  }
  const stop = () => {
    if (abort.signal.aborted) return
    abort.abort(LEFT)
    asked?.leave()
    goOn()
    /** Not awaited: an iterator that waits for its vendor would answer only when the vendor does. */
    void release(iterator)
  }
  const putText = (isLast: boolean) => {
    /** Half of a character waits for its other half. */
    const end = !isLast && isHighSurrogate(text) ? text.length - 1 : text.length
    const said = text.slice(0, end)
    text = text.slice(end)
    if (said === "") return
    spoke = true
    Queue.offerUnsafe(queue, { _tag: "text-delta", text: said.toWellFormed() })
  }
  /** Ends the reply, once. One whose end mark was seen is complete, whatever became of its connection. */
  const conclude = (end = reader.finish(), failure?: ModelFailed) => {
    if (abort.signal.aborted) return
    stop()
    putText(true)
    const finished =
      end === undefined && failure !== undefined ? Result.fail(failure) : finishedReply(source.model, spoke, end)
    if (Result.isFailure(finished)) return void Queue.failCauseUnsafe(queue, Cause.fail(finished.failure))
    Queue.offerUnsafe(queue, finished.success)
    Queue.endUnsafe(queue)
  }
  /** Gives the end, if the item has it. */
  const accept = (item: Raw): EndPart | undefined => {
    let inputUsage: ReplyPart | undefined
    for (const part of reader.read(item)) {
      if (part._tag === "end") return part
      if (part._tag === "text-delta") text += part.text
      else inputUsage = part
    }
    if (inputUsage !== undefined) Queue.offerUnsafe(queue, inputUsage)
    putText(false)
    return undefined
  }
  const noteEndMark = () => {
    if (endMarkListener === undefined || reader.finish() === undefined) return
    endMarkListener()
    endMarkListener = undefined
  }
  const run = async () => {
    try {
      const opened = await source.open(abort.signal)
      iterator = opened[Symbol.asyncIterator]()
      while (!abort.signal.aborted) {
        const next = await iterator.next()
        asked?.answered()
        if (next.done === true) return conclude()
        if (abort.signal.aborted) return
        heardAt = clock.currentTimeMillisUnsafe()
        const end = accept(next.value)
        if (end !== undefined) return conclude(end)
        noteEndMark()
        if (Queue.sizeUnsafe(queue) >= READ_AHEAD) await new Promise<void>((resolve) => (waiting = resolve))
      }
      await release(iterator)
    } catch (cause) {
      const failure = cause instanceof ModelFailed ? cause : source.failure(cause)
      if (failure.reason !== "stalled") asked?.answered()
      conclude(undefined, failure)
    }
  }
  void run()

  return {
    heardAt: () => heardAt,
    onEndMark: (listener) => {
      endMarkListener = listener
    },
    goOn,
    giveUp: () => {
      const wait = heardAt === undefined ? { retryAfterMs: SILENT_RETRY_MS } : {}
      conclude(undefined, new ModelFailed({ model: source.model, reason: "stalled", retryable: true, ...wait }))
    },
    stop
  }
}
