import { Context, Effect, Layer, Schedule } from "effect"
import { failureFields } from "../storage/failureFields.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { CallLimiter } from "./CallLimiter.ts"
import { SpendLimiter } from "./SpendLimiter.ts"

/**
 * The maximum number of counts that one call deletes; `SWEEPS` is the time between two sweeps, varied so that servers
 * do not sweep at the same moments.
 */
const PER_SWEEP = 1_000
const SWEEPS = Schedule.jittered(Schedule.spaced("1 minute"))

/**
 * Deletes the counts of windows that have ended, and with them their subjects, so that addresses are stored no longer
 * than needed. Any number of servers may sweep at once.
 */
export class CallLimitSweeper extends Context.Service<
  CallLimitSweeper,
  {
    /** Deletes everything that has ended. */
    readonly sweep: Effect.Effect<void, StorageFailed>
    /** Sweeps every minute until interrupted. */
    readonly run: Effect.Effect<never>
  }
>()("@parley/core/limits/CallLimitSweeper") {
  static readonly layer = Layer.effect(
    CallLimitSweeper,
    Effect.gen(function* () {
      const limiters = [yield* CallLimiter, yield* SpendLimiter]
      const sweep = Effect.gen(function* () {
        for (const limiter of limiters) while ((yield* limiter.sweep({ limit: PER_SWEEP })) >= PER_SWEEP);
      })
      const sweepOnce = Effect.catchTag(sweep, "StorageFailed", (failed) =>
        Effect.annotateLogs(
          Effect.logWarning("Calls that were counted long ago could not be forgotten; trying again in a minute."),
          failureFields(failed)
        )
      )
      return CallLimitSweeper.of({ sweep, run: Effect.andThen(Effect.repeat(sweepOnce, SWEEPS), Effect.never) })
    })
  )
}
