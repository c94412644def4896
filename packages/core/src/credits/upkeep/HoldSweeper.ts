import { Context, Effect, Layer, Schedule } from "effect"
import { repeatWork } from "../../background/repeatWork.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { instruments } from "../../telemetry/instruments.ts"
import { CreditUpkeep } from "../CreditLedger.ts"
import { HoldTtl } from "../holds/keepHolds.ts"
import { addSwept, NOTHING_SWEPT, type Swept } from "../holds/Hold.ts"

/** The maximum number of holds that one transaction ends; `BETWEEN_SWEEPS` is the time between two sweeps. */
const HOLDS_PER_SWEEP = 100
const BETWEEN_SWEEPS = "5 seconds"
/**
 * After an outage, the sweeper waits for this time, or for the lifetime of a hold if that is shorter, so that live
 * processes can end or renew their holds first.
 */
const AFTER_OUTAGE_MS = 20_000

const REFUSED =
  "Holds of some accounts cannot be ended, since their rows contradict each other; parley credits verify says which."

/** Ends the holds of processes that died. Any number of servers may sweep at once. */
export class HoldSweeper extends Context.Service<
  HoldSweeper,
  {
    /**
     * Ends all holds that were not renewed in time. An account whose holds cannot be ended does not delay other
     * accounts.
     */
    readonly sweep: Effect.Effect<Swept, StorageFailed>
    /**
     * Sweeps every few seconds until interrupted. A process that starts waits first, as after an outage: an outage
     * often is the reason for the restart, and this process may be back before processes that are still writing
     * replies.
     */
    readonly run: Effect.Effect<never>
  }
>()("@parley/core/credits/HoldSweeper") {
  static readonly layer = Layer.effect(
    HoldSweeper,
    Effect.gen(function* () {
      const { sweep: sweepSome } = yield* CreditUpkeep
      const othersRenew = Effect.sleep(Math.min(AFTER_OUTAGE_MS, yield* HoldTtl))
      const sweep = Effect.gen(function* () {
        let all = NOTHING_SWEPT
        for (;;) {
          const swept = yield* sweepSome({ limit: HOLDS_PER_SWEEP })
          instruments.swept.record(swept.credits)
          instruments.released.record(swept.returned)
          all = { ...addSwept(all, swept), refused: swept.refused }
          const ended = swept.charged + swept.released
          // A refused hold is found again by each sweep, so the number of ended holds may never reach the limit.
          if (swept.refused > 0 ? ended === 0 : ended < HOLDS_PER_SWEEP) return all
        }
      })
      const report = (swept: Swept) =>
        Effect.gen(function* () {
          if (swept.refused > 0) yield* Effect.logWarning(REFUSED)
          if (swept.charged + swept.released > 0) {
            yield* Effect.logInfo("Ended the holds of replies whose process died.")
          }
        }).pipe(Effect.annotateLogs({ ...swept }))
      const recovered = Effect.retry(sweepSome({ limit: 0 }), Schedule.jittered(Schedule.spaced(BETWEEN_SWEEPS)))
      const sweeps = repeatWork(sweep, {
        every: BETWEEN_SWEEPS,
        report,
        onFailure: Effect.logWarning("Holds could not be swept; they are once the storage works again.").pipe(
          Effect.andThen(Effect.ignore(recovered)),
          Effect.andThen(othersRenew)
        )
      })
      return HoldSweeper.of({ sweep, run: Effect.andThen(othersRenew, sweeps) })
    })
  )
}
