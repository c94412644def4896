import { Result, Clock, Effect, type Scope, Cause, Queue, Stream } from "effect"
import { ModelFailed, type EndPart, type ReplyPart } from "./ChatModel.ts"
import { acquireInScope } from "../background/acquireInScope.ts"
import type { SilenceWatch } from "../outages/SilenceWatch.ts"

/**
 * The result of a model's finished stream: its end, or a failure if the end mark is missing (`cut-off`) or the
 * complete reply has no text (`empty`). This is the only place that decides either.
 */
export const finishedReply = (
  model: string,
  spoke: boolean,
  end: EndPart | undefined
): Result.Result<EndPart, ModelFailed> => {
  if (end !== undefined && spoke) return Result.succeed(end)
  return Result.fail(new ModelFailed({ model, reason: end === undefined ? "cut-off" : "empty", retryable: true }))
}

/** Time limits of a vendor, in milliseconds. */
export interface ReplyLimits {
  /** The longest wait for the first item of any kind. */
  readonly firstByteMs: number
  /** The longest wait for the next item. */
  readonly idleMs: number
  /** From the opening to the end. */
  readonly totalMs: number
  /** After the end mark, the wait for figures of usage that some vendors send behind it. */
  readonly afterEndMs: number
}

export const defaultReplyLimits: ReplyLimits = {
  firstByteMs: 20_000,
  idleMs: 60_000,
  totalMs: 600_000,
  afterEndMs: 2_000
}

/** True while the reader waits for the vendor. */
export interface Patience {
  waits(): void
  goesOn(): void
}

/**
 * Ends a reply whose vendor takes too long. Silence counts only while the reader waits. One timer runs for the whole
 * reply, until the scope closes or until `latest` (Unix milliseconds): a timer for every wait would cost more than the
 * waits themselves.
 */
export const startPatience = Effect.fnUntraced(function* (
  feed: ReplyFeed,
  limits: ReplyLimits,
  latest = Infinity
): Effect.fn.Return<Patience, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  const context = yield* Effect.context<never>()
  const now = () => clock.currentTimeMillisUnsafe()
  const deadline = Math.min(latest, now() + limits.totalMs)
  /** Since when the reader waits. */
  let since: number | undefined

  const watch = Effect.gen(function* () {
    for (;;) {
      const heardAt = feed.heardAt()
      const silentSince = since === undefined ? now() : Math.max(since, heardAt ?? 0)
      const mostMs = heardAt === undefined ? limits.firstByteMs : limits.idleMs
      const left = Math.min(deadline, silentSince + mostMs) - now()
      if (left <= 0) return feed.giveUp()
      yield* Effect.sleep(left)
    }
  })
  yield* Effect.forkIn(watch, scope)

  const giveUpSoon = Effect.andThen(Effect.sleep(limits.afterEndMs), Effect.sync(feed.giveUp))
  feed.onEndMark(() => Effect.runForkWith(context)(Effect.forkIn(giveUpSoon, scope)))

  return {
    waits: () => {
      since = now()
    },
    goesOn: () => {
      since = undefined
    }
  }
})

/** Parses one vendor's stream. One reader reads one reply; it may keep state between items. */
export interface ReplyReader<Raw> {
  /** The parts of an item; often none. Throws if the item cannot be parsed. */
  read(item: Raw): Iterable<ReplyPart>
  /** The `end` that is due if nothing more comes: only once the vendor's end mark was seen. Asking changes nothing. */
  finish(): EndPart | undefined
}

export interface FeedSource<Raw> {
  /** Public id of the model, for errors. */
  readonly model: string
  /** Starts the vendor's request and returns its stream. The request must stop when the signal aborts. */
  readonly open: (signal: AbortSignal) => AsyncIterable<Raw> | PromiseLike<AsyncIterable<Raw>>
  /** A new reader for one reply. */
  readonly reader: () => ReplyReader<Raw>
  /** Converts an error from opening or reading. A thrown `ModelFailed` stays as it is. */
  readonly failure: (cause: unknown) => ModelFailed
  /** Receives the time of the request, and its first item or error. */
  readonly silence?: SilenceWatch | undefined
}

/**
 * The parts of a reply that were received but not taken yet. It ends after the reply's end, and fails with the reply's
 * failure.
 */
type ReplyQueue = Queue.Queue<ReplyPart, ModelFailed | Cause.Done>

/**
 * The abort reason for leaving a vendor's stream, with the usual name. It is one shared value, because a reason
 * created for each abort has a stack of its own.
 */
const LEFT = new DOMException("The reply is over.", "AbortError")

/** The wait for a client whose vendor was silent from the beginning. */
const SILENT_RETRY_MS = 5_000

/** Parts read ahead of the consumer; then the vendor's stream waits. */
export const READ_AHEAD = 64
/** Beyond that, there is room for the parts of one item, and for the end. */
const MORE = 4

/** A queue for one reply. */
export const makeReplyQueue: Effect.Effect<ReplyQueue, never, Scope.Scope> = acquireInScope(
  Queue.bounded<ReplyPart, ModelFailed | Cause.Done>(READ_AHEAD + MORE),
  Queue.shutdown
)

/** A vendor's stream that is being read into a queue. */
export interface ReplyFeed {
  /** When the last item came, in Unix milliseconds, with text or without; undefined before the first. */
  heardAt(): number | undefined
  /** Called once, when the end mark was seen and figures may follow. */
  onEndMark(listener: () => void): void
  /** A part was taken from the queue: a paused vendor's stream continues. */
  goOn(): void
  /**
   * Ends the reply after a time limit: as `stalled`, or as complete if its end mark was seen and only usage is
   * missing.
   */
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
 * Starts reading into `queue`: the text of each item as one delta, never cut within a character. `open` gets a signal
 * that aborts on `stop`, after an end mark, and after a failure of the stream. At most `READ_AHEAD` items are read
 * ahead; then the vendor's stream is paused.
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
  /** Ends the reply, once. A reply with an end mark is complete, even if its connection breaks afterwards. */
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
  /** Reads an item; returns the end, if the item has it. */
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

export interface ReplySource<Raw> extends FeedSource<Raw> {
  readonly limits: ReplyLimits
  /** In Unix milliseconds: the reply is aborted at this time, independent of the limits. */
  readonly deadline?: number
}

/**
 * Converts a vendor's stream to the parts of one reply, as every `ChatModel` returns them: text deltas and then
 * exactly one `end`, or a named failure. The reply is complete only with the vendor's own end mark (`cut-off`
 * otherwise), fails with `stalled` after a time limit and with `empty` if a complete reply has no text, and delivers
 * nothing after `end`. Parts that are ready together come in one array, never cut within a character. Leaving the
 * stream aborts the vendor's signal at once. The vendor is read at most `READ_AHEAD` items ahead.
 */
export const replyStream = <Raw>(source: ReplySource<Raw>): Stream.Stream<ReplyPart, ModelFailed> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const queue = yield* makeReplyQueue
      const feed = yield* acquireInScope(
        Effect.sync(() => startReplyFeed(source, queue, clock)),
        (running) => Effect.sync(running.stop)
      )
      const patience = yield* startPatience(feed, source.limits, source.deadline)
      const taken = Effect.map(Queue.takeAll(queue), (ready) => {
        patience.goesOn()
        feed.goOn()
        return ready
      })
      const next = Effect.suspend(() => {
        patience.waits()
        return taken
      })
      return Stream.fromPull(Effect.succeed(next))
    })
  )
