import { Context, Cause, Effect, Fiber, Schedule, type Scope } from "effect"
import { failureFields } from "../../storage/failureFields.ts"
import { whole } from "../../storage/inputs.ts"
import { isPassing } from "../../storage/retryStorage.ts"
import { fromVariable } from "../../storage/settingVariables.ts"

/**
 * The time after which a hold expires without a renewal, in milliseconds: one minute unless configured. A sweeper
 * charges the reply of a dead process after this time, so it must be longer than any pause of a living process.
 */
export class HoldTtl extends Context.Reference<number>("@parley/core/credits/HoldTtl", {
  defaultValue: () => 60_000
}) {
  static readonly schema = fromVariable(whole(1, 86_400_000), {
    name: "PARLEY_HOLD_TTL",
    minimum: 1,
    maximum: 86_400,
    unit: 1_000
  })
}

/** The number of holds that one call renews. */
const KEPT_PER_CALL = 1_000
/** The maximum duration of one heartbeat call, so that a hanging call does not prevent the next ones. */
const BEAT_PATIENCE = "10 seconds"

/** Milliseconds between two heartbeats of open holds: 2,000, or a third of the holds' lifetime if that is shorter. */
export const heartbeatMs = (ttlMs: number): number => Math.min(2_000, Math.ceil(ttlMs / 3))

/**
 * Makes a heartbeat for everything that this process keeps alive. `keep` adds one thing and returns an effect that
 * removes it; at each interval `beat` is called with everything that is kept. No fiber runs while nothing is kept. A
 * failed beat is logged, and the next one follows.
 */
export const makeBeats = <One>(
  everyMs: number,
  beat: (kept: ReadonlyArray<One>) => Effect.Effect<unknown, unknown>
): Effect.Effect<(one: One) => Effect.Effect<Effect.Effect<void>>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const kept = new Set<One>()
    let beating = false
    const call = (some: ReadonlyArray<One>) =>
      Effect.catchCause(Effect.asVoid(Effect.timeout(beat(some), BEAT_PATIENCE)), (cause) =>
        Effect.annotateLogs(
          Effect.logWarning("The progress of replies could not be recorded; the next heartbeat tries again."),
          failureFields(Cause.squash(cause))
        )
      )
    const beats = Effect.gen(function* () {
      while (kept.size > 0) {
        yield* Effect.sleep(everyMs)
        const all = [...kept]
        for (let from = 0; from < all.length; from += KEPT_PER_CALL) yield* call(all.slice(from, from + KEPT_PER_CALL))
      }
      beating = false
    })
    return (one) =>
      Effect.suspend(() => {
        kept.add(one)
        const stop = Effect.sync(() => void kept.delete(one))
        if (beating) return Effect.succeed(stop)
        beating = true
        return Effect.as(Effect.forkIn(Effect.interruptible(beats), scope), stop)
      })
  })

/** Longest time that a caller waits for the end of a hold. */
const END_PATIENCE = "4 seconds"

/** Pauses that begin at 100 milliseconds and grow to five seconds, with random variation. */
const UNTIL_STORED = Schedule.jittered(Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")]))

/** Retries work on a store as long as its failures are temporary. Use it only for work that is safe to repeat. */
export const untilStored = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(work, { schedule: UNTIL_STORED, while: isPassing })

/**
 * Does the work that ends a hold, even if its caller is interrupted, and always runs `afterwards` at the end. Retries
 * the work until the storage accepts it. If the storage refuses it for good, the failure is logged, and a sweeper ends
 * the hold. The caller waits for at most a few seconds and gets the fiber that does the work, which may still run then.
 */
export const endSurely = <A, E>(
  work: Effect.Effect<A, E>,
  key: string,
  afterwards: Effect.Effect<void>
): Effect.Effect<Fiber.Fiber<A, E>> =>
  Effect.gen(function* () {
    const ended = untilStored(work).pipe(
      Effect.tapCause((cause) =>
        Effect.annotateLogs(Effect.logError("A hold could not be ended; a sweeper ends it."), {
          hold: key,
          ...failureFields(Cause.squash(cause))
        })
      ),
      Effect.ensuring(afterwards)
    )
    const ending = yield* Effect.forkDetach(Effect.uninterruptible(ended), { startImmediately: true })
    yield* Effect.catchTag(
      Effect.timeout(Effect.interruptible(Fiber.await(ending)), END_PATIENCE),
      "TimeoutError",
      () =>
        Effect.annotateLogs(Effect.logWarning("A hold is ended as soon as the storage answers again."), { hold: key })
    )
    return ending
  })
