import { causeField, instruments, ModelFailed, type ReplyPart } from "@parley/core/adapter"
import { Channel, Clock, Effect, Random, Stream } from "effect"

/** The number and the timing of retries. */
export interface RetryPolicy {
  /** The number of retries after the first request. */
  readonly retries: number
  /**
   * The wait before the first retry, in milliseconds. It doubles before each further retry, and is shortened at random
   * by up to half.
   */
  readonly baseDelayMs: number
  /** The longest wait before a retry, in milliseconds. If a vendor asks for a longer one, there is no retry. */
  readonly maxDelayMs: number
}

export const defaultRetryPolicy: RetryPolicy = { retries: 2, baseDelayMs: 500, maxDelayMs: 10_000 }

/** The fields of a failure that decide about a retry. */
interface Retryable {
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

/**
 * Returns the wait in milliseconds before the next request, if `retries` retries have been made; undefined if there is
 * no further retry.
 */
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

/** Time limit of the first request and its retries together. */
export interface TotalPatience {
  /** The time limit in milliseconds, from the first request on. */
  readonly totalMs: number
  /** The caller's deadline, in Unix milliseconds. */
  readonly deadline: number | undefined
}

/**
 * Retries if a reply fails before its first words and the failure may be temporary; a failure after the first words is
 * final. `ask` receives the deadline in Unix milliseconds, which is the same for all tries; no try begins after it.
 * Each retry is logged and counted. An empty reply is not retried, because the vendor has charged for it; neither is a
 * silent vendor, because the reader has waited long enough.
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
      // Does not use `Stream.toPull`, which merges all services into the context of every pull.
      const open = () => Channel.toPullScoped(Stream.toChannel(ask(deadline)), scope)
      let parts = yield* open()
      let retries = 0
      let spoke = false

      const askAgain = Effect.fnUntraced(function* (error: ModelFailed) {
        const delay = delayBeforeRetry(error, retries, policy, yield* Random.next)
        if (delay === undefined || (yield* Clock.currentTimeMillis) + delay >= deadline) return yield* error
        retries += 1
        const labels = { vendor, model: error.model, reason: error.reason }
        instruments.vendorRetries.record(1, labels)
        const cause = causeField(error)
        const failed = cause.cause === undefined ? "A model failed before its first words" : "A model was not reached"
        yield* Effect.logWarning(`${failed} and is asked again.`).pipe(
          Effect.annotateLogs({ ...labels, error: error.name, ...cause, retry: retries, delayMs: Math.round(delay) })
        )
        yield* Effect.sleep(delay)
        parts = yield* open()
      })
      /**
       * Reads the parts up to the first words. A failure before them is not passed on yet, because a retry may follow.
       */
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
