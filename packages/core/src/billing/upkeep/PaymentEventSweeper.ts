import { Clock, Context, Effect, Layer, Schema } from "effect"
import { repeatWork } from "../../background/repeatWork.ts"
import { whole } from "../../storage/inputs.ts"
import { fromVariable } from "../../storage/settingVariables.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { BillingUpkeep, type Forgotten } from "./BillingUpkeep.ts"

const DAY_MS = 86_400_000
const MOST_DAYS = 36_500
/** The number of days for which Stripe lists events: an event that is deleted earlier would be fetched again. */
const STRIPE_EVENT_DAYS = 30

const Milliseconds = whole(1, Number.MAX_SAFE_INTEGER, "a whole number of milliseconds from 1")

/** The retention of payment events, in milliseconds. */
export const PaymentRetentionData = Schema.Struct({
  /** The retention of the content of events that are done. */
  doneMs: fromVariable(Milliseconds, {
    name: "PARLEY_PAYMENT_EVENT_DAYS",
    minimum: 1,
    maximum: MOST_DAYS,
    unit: DAY_MS
  }),
  /** The retention of events that have no person here, or that wait for a reference that never arrived. */
  unmatchedMs: fromVariable(Milliseconds, {
    name: "PARLEY_UNMATCHED_EVENT_DAYS",
    minimum: STRIPE_EVENT_DAYS + 1,
    maximum: MOST_DAYS,
    unit: DAY_MS
  })
})

/** The retention of payment events; 90 days for both kinds unless configured. */
export class PaymentRetention extends Context.Reference<typeof PaymentRetentionData.Type>(
  "@parley/core/billing/upkeep/PaymentRetention",
  { defaultValue: () => ({ doneMs: 90 * DAY_MS, unmatchedMs: 90 * DAY_MS }) }
) {}

/** The maximum number of events that one call removes. */
const PER_CALL = 500

/**
 * Removes the content of done events, and deletes events without a person, after the times in `PaymentRetention`. Any
 * number of servers may sweep at once.
 */
export class PaymentEventSweeper extends Context.Service<
  PaymentEventSweeper,
  {
    /** Removes everything that was stored for longer than its retention. */
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
