import { Clock, Context, Effect, Layer } from "effect"
import { repeatWork } from "../../background/repeatWork.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { BillingUpkeep, type Forgotten } from "./BillingUpkeep.ts"
import { PaymentRetention } from "./PaymentRetention.ts"

/** Forgotten in one call. */
const PER_CALL = 500

/**
 * Removes the content of applied events, and the events without a person, once they were stored for as long as
 * `PaymentRetention` says. Any number of servers may sweep at once.
 */
export class PaymentEventSweeper extends Context.Service<
  PaymentEventSweeper,
  {
    /** Forgets all that was kept for long enough. */
    readonly sweep: Effect.Effect<Forgotten, StorageFailed>
    /** Sweeps every hour until interrupted. */
    readonly run: Effect.Effect<never>
  }
>()("@parley/core/billing/upkeep/PaymentEventSweeper") {
  static readonly layer = Layer.effect(
    PaymentEventSweeper,
    Effect.gen(function* () {
      const upkeep = yield* BillingUpkeep
      const { doneMs, unmatchedMs } = yield* PaymentRetention
      const sweep = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        let [reduced, deleted] = [0, 0]
        for (;;) {
          const done = yield* upkeep.forget({
            doneBefore: now - doneMs,
            unmatchedBefore: now - unmatchedMs,
            limit: PER_CALL
          })
          reduced += done.reduced
          deleted += done.deleted
          if (Math.max(done.reduced, done.deleted) < PER_CALL) return { reduced, deleted }
        }
      })
      return PaymentEventSweeper.of({
        sweep,
        run: repeatWork(sweep, {
          every: "1 hour",
          report: ({ deleted, reduced }) =>
            deleted + reduced === 0
              ? Effect.void
              : Effect.annotateLogs(Effect.logInfo("Removed old events of the payment provider."), {
                  deleted,
                  reduced
                }),
          onFailure: Effect.logWarning(
            "Old events of the payment provider could not be removed; trying again in an hour."
          )
        })
      })
    })
  )
}
