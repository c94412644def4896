import { Cause, Effect, type Scope } from "effect"
import { failureFields } from "../../storage/failureFields.ts"

/** How many are kept by one call. */
const KEPT_PER_CALL = 1_000
/** A call that hangs must not keep the next beats from trying. */
const PATIENCE = "10 seconds"

/** Time between two heartbeats of open holds, in milliseconds, unless holds live so short that it has to be less. */
export const heartbeatMs = (ttlMs: number): number => Math.min(2_000, Math.ceil(ttlMs / 3))

/**
 * A heartbeat for all that this process keeps alive: calls `beat` for those that are kept, at this interval, until the
 * effect that `keep` returns is run. Nothing runs while nothing is kept. A beat that fails is logged; the next one follows.
 */
export const makeBeats = <One>(
  everyMs: number,
  beat: (kept: ReadonlyArray<One>) => Effect.Effect<unknown, unknown>
): Effect.Effect<(one: One) => Effect.Effect<Effect.Effect<void>>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const kept = new Set<One>()
    let beating = false
    const call = (some: ReadonlyArray<One>) =>
      Effect.catchCause(Effect.asVoid(Effect.timeout(beat(some), PATIENCE)), (cause) =>
        Effect.annotateLogs(
          Effect.logWarning("What is under way could not be recorded; trying again at the next heartbeat."),
          failureFields(Cause.squash(cause))
        )
      )
    const beatAll = Effect.suspend(() => {
      const all = [...kept]
      const calls = Array.from({ length: Math.ceil(all.length / KEPT_PER_CALL) }, (_, index) =>
        all.slice(index * KEPT_PER_CALL, (index + 1) * KEPT_PER_CALL)
      )
      return Effect.forEach(calls, call, { discard: true })
    })
    const beats = Effect.whileLoop({
      while: () => {
        beating = kept.size > 0
        return beating
      },
      body: () => Effect.andThen(Effect.sleep(everyMs), beatAll),
      step: () => undefined
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
