import { Context, Effect, Layer, Schedule } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { CreditLedger } from "./CreditLedger.ts"
import { addSwept, NOTHING_SWEPT, type Swept } from "./HoldLife.ts"

/** Holds ended in one transaction, and the time between two sweeps, which varies so that servers do not sweep in step. */
const HOLDS_PER_SWEEP = 100
const SWEEPS = Schedule.jittered(Schedule.spaced("5 seconds"))

/** Ends the holds of processes that died. Any number of servers may sweep at once. */
export class HoldSweeper extends Context.Service<
  HoldSweeper,
  {
    /** Ends all holds that nobody renewed in time. */
    readonly sweep: Effect.Effect<Swept, StorageFailed>
    /** Sweeps every few seconds until interrupted. */
    readonly run: Effect.Effect<never>
  }
>()("@parley/core/credits/HoldSweeper") {
  static readonly layer = Layer.effect(
    HoldSweeper,
    Effect.gen(function* () {
      const ledger = yield* CreditLedger
      const sweep = Effect.gen(function* () {
        let all = NOTHING_SWEPT
        for (;;) {
          const swept = yield* ledger.sweep({ limit: HOLDS_PER_SWEEP })
          all = addSwept(all, swept)
          if (swept.charged + swept.released < HOLDS_PER_SWEEP) return all
        }
      })
      const report = (swept: Swept) =>
        swept.charged + swept.released === 0
          ? Effect.void
          : Effect.annotateLogs(Effect.logInfo("Ended the holds of replies whose process died."), { ...swept })
      const sweepOnce = Effect.matchEffect(sweep, {
        onSuccess: report,
        onFailure: () => Effect.logWarning("Holds could not be swept; trying again in a few seconds.")
      })
      return HoldSweeper.of({ sweep, run: Effect.andThen(Effect.repeat(sweepOnce, SWEEPS), Effect.never) })
    })
  )
}
