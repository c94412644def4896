import { causeField, ModelFailed, type ReplyPart } from "@parley/core/adapter"
import { Channel, Clock, Effect, Metric, Random, Stream } from "effect"

/** How often, and how patiently, a model is asked again. */
export interface RetryPolicy {
  /** Beyond the first request. */
  readonly retries: number
  /** Before the first retry; doubled before each further one, and shortened at random by up to half. */
  readonly baseDelayMs: number
  /** A vendor that asks to wait longer is not waited for. */
  readonly maxDelayMs: number
}

export const defaultRetryPolicy: RetryPolicy = { retries: 2, baseDelayMs: 500, maxDelayMs: 10_000 }

/** How often vendors were asked again, by `vendor`, `model` and `reason`. */
export const modelRetries = Metric.counter("parley_model_retries", {
  description: "Times a vendor was asked again before the first words of a reply",
  incremental: true
})

/** What a failure says of trying again. */
interface Retryable {
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

/** The wait in milliseconds before the next request after `retries` of them (0 after the first), or undefined where there is to be none. */
export const delayBeforeRetry = (
  error: Retryable,
  retries: number,
  policy: RetryPolicy,
  random: number
): number | undefined => {
  if (!error.retryable || retries >= policy.retries) return undefined
  if (error.retryAfterMs !== undefined && error.retryAfterMs > policy.maxDelayMs) return undefined
  const delay = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** retries) * (1 - random / 2)
  return Math.max(delay, error.retryAfterMs ?? 0)
}

/** How long the first request and its retries may take together. */
export interface TotalPatience {
  /** In milliseconds from the first request on. */
  readonly totalMs: number
  /** In Unix milliseconds: the caller waits no longer. */
  readonly deadline: number | undefined
}

/**
 * Asks again where a reply fails before its first words and the failure may pass; once words were delivered, a failure
 * stays what it is. `ask` is given the time, in Unix milliseconds, at which it is to give up: the same for all requests,
 * and none is made after it. Each retry is logged and counted in `modelRetries`. An answer that is empty is not asked for
 * again: the vendor was paid for it. Nor is a vendor that is silent: the reader has waited long enough.
 */
export const retryBeforeFirst = (
  ask: (deadline: number) => Stream.Stream<ReplyPart, ModelFailed>,
  vendor: string,
  policy: RetryPolicy,
  { deadline: latest = Infinity, totalMs }: TotalPatience
): Stream.Stream<ReplyPart, ModelFailed> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const deadline = Math.min(latest, (yield* Clock.currentTimeMillis) + totalMs)
      // Not by `Stream.toPull`, which merges all services into the context of every pull.
      const open = () => Channel.toPullScoped(Stream.toChannel(ask(deadline)), scope)
      let parts = yield* open()
      let retries = 0
      let spoke = false

      const askAgain = Effect.fnUntraced(function* (error: ModelFailed) {
        const delay = delayBeforeRetry(error, retries, policy, yield* Random.next)
        if (delay === undefined || (yield* Clock.currentTimeMillis) + delay >= deadline) return yield* error
        retries += 1
        const labels = { vendor, model: error.model, reason: error.reason }
        yield* Metric.update(Metric.withAttributes(modelRetries, labels), 1)
        const cause = causeField(error)
        const failed = cause.cause === undefined ? "A model failed before its first words" : "A model was not reached"
        yield* Effect.logWarning(`${failed} and is asked again.`).pipe(
          Effect.annotateLogs({ ...labels, error: error.name, ...cause, retry: retries, delayMs: Math.round(delay) })
        )
        yield* Effect.sleep(delay)
        parts = yield* open()
      })
      /** Until words have come: a failure then is not passed on while the vendor may be asked again. */
      const first: typeof parts = Effect.suspend(() => parts).pipe(
        Effect.tap((ready) => {
          spoke = ready.some((part) => part._tag === "text-delta")
          return Effect.void
        }),
        Effect.catch((error) =>
          error instanceof ModelFailed && error.reason !== "empty" && error.reason !== "stalled"
            ? Effect.andThen(askAgain(error), first)
            : Effect.fail(error)
        )
      )
      return Stream.fromPull(Effect.succeed(Effect.suspend(() => (spoke ? parts : first))))
    })
  )
