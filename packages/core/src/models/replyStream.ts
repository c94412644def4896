import { Result, Clock, Effect, Cause, Queue, Scope, Stream, type Tracer } from "effect"
import type { SilenceWatch } from "../outages/SilenceWatch.ts"
import { instruments } from "../telemetry/instruments.ts"
import { TracedContents } from "../telemetry/trace.ts"
import {
  type ChatModel,
  type ChatModelRequest,
  type EndPart,
  type InputUsage,
  ModelFailed,
  type ModelFailure,
  type ReplyPart
} from "./ChatModel.ts"
import type { ChatMessage } from "./ChatMessage.ts"

/**
 * Returns the result of a model's finished stream: its end; or a failure, if the end mark is missing (`cut-off`) or the
 * complete reply has no text (`empty`). No other code decides these failures.
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
  /** The maximum wait for the first item of any kind. */
  readonly firstByteMs: number
  /** The maximum wait for the next item. */
  readonly idleMs: number
  /** The maximum time from the opening to the end. */
  readonly totalMs: number
  /** The maximum wait after the end mark for figures of usage, which some vendors send after it. */
  readonly afterEndMs: number
}

export const defaultReplyLimits: ReplyLimits = {
  firstByteMs: 20_000,
  idleMs: 60_000,
  totalMs: 600_000,
  afterEndMs: 2_000
}

/**
 * Ends a reply whose vendor takes too long. Silence counts only while the reader waits. One timer runs for the whole
 * reply, until the scope closes or until `latest` (Unix milliseconds): a timer for every wait would cost more than the
 * waits themselves.
 */
const watchSilence = Effect.fnUntraced(function* (
  feed: ReplyFeed,
  clock: Clock.Clock,
  limits: ReplyLimits,
  latest: number
) {
  const deadline = Math.min(latest, clock.currentTimeMillisUnsafe() + limits.totalMs)
  for (;;) {
    const now = clock.currentTimeMillisUnsafe()
    const { heardAt, waitsSince } = feed
    const silentSince = waitsSince === undefined ? now : Math.max(waitsSince, heardAt ?? 0)
    const mostMs = heardAt === undefined ? limits.firstByteMs : limits.idleMs
    const left = Math.min(deadline, silentSince + mostMs) - now
    if (left <= 0) return feed.giveUp()
    yield* Effect.sleep(left)
  }
})

/** Parses the stream of one reply from a vendor; it may keep state between items. */
export interface ReplyReader<Raw> {
  /** Returns the parts of an item, often none. Throws if the item cannot be parsed. */
  read(item: Raw): Iterable<ReplyPart>
  /**
   * Returns the `end` of the reply if no further item comes; undefined before the vendor's end mark. Calling it changes
   * nothing.
   */
  finish(): EndPart | undefined
}

export interface FeedSource<Raw> {
  /** The public id of the model, for errors. */
  readonly model: string
  /** Starts the vendor's request and returns its stream. The request must stop when the signal aborts. */
  readonly open: (signal: AbortSignal) => AsyncIterable<Raw> | PromiseLike<AsyncIterable<Raw>>
  /** Makes a new reader for one reply. */
  readonly reader: () => ReplyReader<Raw>
  /** Converts an error of opening or reading into a `ModelFailed`; a thrown `ModelFailed` stays unchanged. */
  readonly failure: (cause: unknown) => ModelFailed
  /** Is informed of the request, and of its first item or error. */
  readonly silence?: SilenceWatch | undefined
}

/**
 * The parts of a reply that were received but not read yet. The queue ends after the reply's end, and fails with the
 * reply's failure.
 */
type ReplyQueue = Queue.Queue<ReplyPart, ModelFailed | Cause.Done>

/**
 * The abort reason when a vendor's stream is closed, with the usual name. It is one shared value, because each new
 * reason would capture a stack of its own.
 */
const LEFT = new DOMException("The reply is over.", "AbortError")

/** Milliseconds after which a client may retry if the vendor was silent from the beginning. */
const SILENT_RETRY_MS = 5_000

/** The maximum number of parts that are read ahead of the consumer; then the vendor's stream is paused. */
export const READ_AHEAD = 64
/** Additional room for the parts of one item, and for the end. */
const MORE = 4

/** A vendor's stream that is being read into a queue. */
interface ReplyFeed {
  /** Unix milliseconds: the time of the last item, with or without text; undefined before the first. */
  heardAt: number | undefined
  /** Unix milliseconds: the time since which the reader has been waiting for the vendor. */
  waitsSince: number | undefined
  /** Called once, after the end mark, if figures may follow. */
  onEndMark: (() => void) | undefined
  /** Called when a part was taken from the queue: a paused stream of the vendor continues. */
  goOn(): void
  /**
   * Ends the reply after a time limit: as `stalled`, or as complete if the end mark was received and only the usage is
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
    /** The reply has ended already, so errors while its source closes are ignored. */
  }
}

/**
 * Starts to read a vendor's stream into `queue`: the text of each item as one delta, without splitting a character.
 * `open` gets a signal that aborts on `stop`, after an end mark, and after a failure of the stream. At most
 * `READ_AHEAD` parts are read ahead; then the vendor's stream is paused.
 */
const startReplyFeed = <Raw>(source: FeedSource<Raw>, queue: ReplyQueue, clock: Clock.Clock): ReplyFeed => {
  const abort = new AbortController()
  const reader = source.reader()
  let iterator: AsyncIterator<Raw> | undefined
  let text = ""
  let spoke = false
  let waiting: (() => void) | undefined

  const asked = source.silence?.ask()
  const goOn = () => {
    feed.waitsSince = undefined
    waiting?.()
    waiting = undefined
  }
  const stop = () => {
    if (abort.signal.aborted) return
    abort.abort(LEFT)
    asked?.leave()
    goOn()
    /** Not awaited: an iterator that waits for its vendor would return only when the vendor answers. */
    void release(iterator)
  }
  const putText = (isLast: boolean) => {
    /** A text that ends with half of a character is kept back until the other half arrives. */
    const end = !isLast && (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800 ? text.length - 1 : text.length
    const said = text.slice(0, end)
    text = text.slice(end)
    if (said === "") return
    spoke = true
    Queue.offerUnsafe(queue, { _tag: "text-delta", text: said.toWellFormed() })
  }
  /** Ends the reply once. A reply with an end mark is complete, even if its connection breaks afterwards. */
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
  /** Reads an item; returns the end, if the item contains it. */
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
  const run = async () => {
    try {
      const opened = await source.open(abort.signal)
      iterator = opened[Symbol.asyncIterator]()
      while (!abort.signal.aborted) {
        const next = await iterator.next()
        asked?.answered()
        if (next.done === true) return conclude()
        if (abort.signal.aborted) return
        feed.heardAt = clock.currentTimeMillisUnsafe()
        const end = accept(next.value)
        if (end !== undefined) return conclude(end)
        if (feed.onEndMark !== undefined && reader.finish() !== undefined) {
          feed.onEndMark()
          feed.onEndMark = undefined
        }
        if (Queue.sizeUnsafe(queue) >= READ_AHEAD) await new Promise<void>((resolve) => (waiting = resolve))
      }
      await release(iterator)
    } catch (cause) {
      const failure = cause instanceof ModelFailed ? cause : source.failure(cause)
      if (failure.reason !== "stalled") asked?.answered()
      conclude(undefined, failure)
    }
  }

  const feed: ReplyFeed = {
    heardAt: undefined,
    waitsSince: undefined,
    onEndMark: undefined,
    goOn,
    giveUp: () => {
      const wait = feed.heardAt === undefined ? { retryAfterMs: SILENT_RETRY_MS } : {}
      conclude(undefined, new ModelFailed({ model: source.model, reason: "stalled", retryable: true, ...wait }))
    },
    stop
  }
  void run()
  return feed
}

export interface ReplySource<Raw> extends FeedSource<Raw> {
  readonly limits: ReplyLimits
  /** Unix milliseconds: the reply is aborted at this time, independent of the limits. */
  readonly deadline?: number
}

/**
 * Converts a vendor's stream to the parts of one reply, as every `ChatModel` returns them: text deltas, and then
 * exactly one `end` or a named failure. The reply is complete only with the vendor's own end mark (otherwise it fails
 * as `cut-off`); it fails as `stalled` after a time limit and as `empty` if a complete reply has no text; nothing is
 * delivered after `end`. Parts that are ready together come in one array, without splitting a character. Closing the
 * stream aborts the vendor's signal at once. At most `READ_AHEAD` parts are read ahead.
 */
export const replyStream = <Raw>(source: ReplySource<Raw>): Stream.Stream<ReplyPart, ModelFailed> =>
  Stream.unwrap(
    // No interruption may come between opening the vendor's stream and adding its finalizer.
    Effect.uninterruptible(
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const scope = yield* Effect.scope
        const context = yield* Effect.context<never>()
        const queue = yield* Queue.bounded<ReplyPart, ModelFailed | Cause.Done>(READ_AHEAD + MORE)
        yield* Scope.addFinalizer(scope, Queue.shutdown(queue))
        const feed = startReplyFeed(source, queue, clock)
        yield* Scope.addFinalizer(scope, Effect.sync(feed.stop))
        const watch = watchSilence(feed, clock, source.limits, source.deadline ?? Infinity)
        yield* Effect.forkIn(Effect.interruptible(watch), scope)
        const giveUpSoon = Effect.andThen(Effect.sleep(source.limits.afterEndMs), Effect.sync(feed.giveUp))
        feed.onEndMark = () => Effect.runForkWith(context)(Effect.forkIn(giveUpSoon, scope))
        const taken = Effect.map(Queue.takeAll(queue), (ready) => {
          feed.goOn()
          return ready
        })
        const next = Effect.suspend(() => {
          feed.waitsSince = clock.currentTimeMillisUnsafe()
          return taken
        })
        return Stream.fromPull(Effect.succeed(next))
      })
    )
  )

/** A model that may write a reply, and the request to it. */
export interface ModelCall {
  readonly provider: ChatModel
  readonly request: ChatModelRequest
}

/** A call of a model that is being measured. */
export interface ObservedCall {
  /** Called when the first words have arrived. */
  readonly spoke: Effect.Effect<void>
  /** Adds the reply's text to the span, if an operator has turned that on. */
  write(text: string): Effect.Effect<void>
}

/** The data that a vendor reports in addition to the text. */
export interface ReportedUsage {
  inputUsage: InputUsage | undefined
  end: EndPart | undefined
  /** The reason why the vendor did not finish the reply; undefined if it did. */
  failure: ModelFailure | undefined
}

const seconds = (from: bigint, to: bigint): number => Number(to - from) / 1e9

const tracedMessages = (messages: ReadonlyArray<Pick<ChatMessage, "role" | "content">>): string =>
  JSON.stringify(messages.map(({ content, role }) => ({ role, parts: [{ type: "text", content }] })))

/** Records the duration and the tokens of a call that has ended. */
const recordEnd = (
  { provider, request: { model } }: ModelCall,
  { end, failure }: ReportedUsage,
  duration: number,
  span: Tracer.Span
): void => {
  const labels = labelsOf(provider.name, model.vendorModel)
  instruments.modelDuration.record(duration, failure === undefined ? labels : { ...labels, "error.type": failure })
  if (failure !== undefined) span.attribute("error.type", failure)
  const usage = end?.usage
  if (usage === undefined) return
  const input = usage.freshInput + usage.cacheRead + usage.cacheWrite
  instruments.modelTokens.record(input, { ...labels, "gen_ai.token.type": "input" })
  instruments.modelTokens.record(usage.output, { ...labels, "gen_ai.token.type": "output" })
  span.attribute("gen_ai.usage.input_tokens", input)
  span.attribute("gen_ai.usage.output_tokens", usage.output)
}

const labelsOf = (vendor: string, model: string) => ({
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": vendor,
  "gen_ai.request.model": model
})

/**
 * Measures a call of a model until `scope` closes, with metrics and with a span `chat {model}`, by OpenTelemetry's
 * conventions for generative AI (0.1). Both contain the values that `reported` has at that time.
 */
export const observeCall = Effect.fnUntraced(function* (
  call: ModelCall,
  reported: ReportedUsage,
  scope: Scope.Scope
): Effect.fn.Return<ObservedCall> {
  const { maxOutputTokens, messages, model } = call.request
  const labels = labelsOf(call.provider.name, model.vendorModel)
  const clock = yield* Clock.Clock
  const span = yield* Scope.provide(
    Effect.makeSpanScoped(`chat ${model.vendorModel}`, {
      kind: "client",
      attributes: { ...labels, "gen_ai.request.max_tokens": maxOutputTokens }
    }),
    scope
  )
  const contents = yield* TracedContents
  if (contents) span.attribute("gen_ai.input.messages", tracedMessages(messages))
  const began = clock.monotonicTimeNanosUnsafe()
  const elapsed = () => seconds(began, clock.monotonicTimeNanosUnsafe())
  yield* Scope.addFinalizer(
    scope,
    Effect.sync(() => recordEnd(call, reported, elapsed(), span))
  )
  return {
    spoke: Effect.sync(() => instruments.modelFirstText.record(elapsed(), labels)),
    write: (text) =>
      Effect.sync(() => {
        if (contents) span.attribute("gen_ai.output.messages", tracedMessages([{ role: "assistant", content: text }]))
      })
  }
})
