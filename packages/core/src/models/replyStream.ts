import { Effect, Option, Stream } from "effect"
import { ModelFailed, type ReplyPart } from "./ChatModel.ts"
import { outputFuse } from "./outputFuse.ts"
import { type ReplyLimits, startPatience } from "./replyPatience.ts"
import { type Outcome, type ReplyPump, type ReplyReader, startReplyPump } from "./replyPump.ts"

/** Items read ahead of the consumer, at most. */
export const READ_AHEAD = 64

export interface ReplySource<Raw> {
  /** Public id of the model, for errors. */
  readonly model: string
  readonly limits: ReplyLimits
  /** The reply may not be longer, by far: a vendor that ignores its limit is left. */
  readonly maxOutputTokens: number
  /** In Unix milliseconds: the reply is given up then, whatever the limits. */
  readonly deadline?: number
  /** Starts the vendor's work and gives what it sends. The work must stop when the signal aborts. */
  readonly open: (signal: AbortSignal) => AsyncIterable<Raw> | PromiseLike<AsyncIterable<Raw>>
  /** A new reader for one reply. */
  readonly reader: () => ReplyReader<Raw>
  /** Names what was thrown while opening or reading. A `ModelFailed` that was thrown is kept as it is. */
  readonly failure: (cause: unknown) => ModelFailed
}

/** Ends with `stalled` unless the end mark was seen and only figures are missing. */
const giveUp = (source: { readonly model: string }, pump: ReplyPump): Outcome => {
  const end = pump.due()
  if (end !== undefined) return { _tag: "ended", end }
  return { _tag: "failed", cause: new ModelFailed({ model: source.model, reason: "stalled", retryable: true }) }
}

/** A reply that was cut is not complete. */
const overlong = ({ model }: { readonly model: string }): Outcome => ({
  _tag: "failed",
  cause: new ModelFailed({ model, reason: "overlong", retryable: false })
})

const conclude = <Raw>(
  source: ReplySource<Raw>,
  outcome: Outcome,
  spoke: boolean
): Effect.Effect<ReplyPart, ModelFailed> => {
  const failed = (reason: "cut-off" | "empty") =>
    Effect.fail(new ModelFailed({ model: source.model, reason, retryable: true }))
  switch (outcome._tag) {
    case "ended":
      return spoke ? Effect.succeed(outcome.end) : failed("empty")
    case "cut-off":
      return failed("cut-off")
    case "failed":
      return Effect.fail(outcome.cause instanceof ModelFailed ? outcome.cause : source.failure(outcome.cause))
  }
}

/**
 * A vendor's stream as the parts of one reply, such as every `ChatModel` gives: text deltas and then exactly one `end`,
 * or a named failure. It is complete only with the vendor's own end mark (`cut-off` otherwise), fails with `stalled`
 * when a limit is over, with `overlong` where the vendor writes far more than it was asked for, with `empty` where a complete reply says nothing, and delivers nothing after `end`. Deltas that
 * are ready together come as one, and characters never come in halves. Leaving the stream aborts the vendor's signal
 * at once. The vendor is read at most `READ_AHEAD` items ahead.
 */
export const replyStream = <Raw>(source: ReplySource<Raw>): Stream.Stream<ReplyPart, ModelFailed> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const pump = yield* Effect.acquireRelease(
        Effect.sync(() => startReplyPump(source.open, source.reader(), READ_AHEAD)),
        (running) => Effect.sync(running.stop)
      )
      const waitForNews = yield* startPatience(pump, source.limits, source.deadline)
      const fuse = outputFuse(source.maxOutputTokens)
      let spoke = false
      const next = Effect.fnUntraced(function* (pending: Outcome | undefined) {
        if (pending !== undefined) {
          const end = yield* conclude(source, pending, spoke)
          return [[end], Option.none<Outcome | undefined>()] as const
        }
        const inTime = yield* waitForNews
        const ready = pump.take()
        const { isCut, text } = fuse(ready.text)
        if (isCut) pump.stop()
        const outcome = isCut ? overlong(source) : (ready.outcome ?? (inTime ? undefined : giveUp(source, pump)))
        const parts: Array<ReplyPart> = []
        if (ready.inputUsage !== undefined) parts.push({ _tag: "input-usage", usage: ready.inputUsage })
        if (text !== "") {
          spoke = true
          parts.push({ _tag: "text-delta", text })
        }
        return [parts, Option.some(outcome)] as const
      })
      return Stream.paginate<Outcome | undefined, ReplyPart, ModelFailed>(undefined, next)
    })
  )
