import { Clock, Context, Effect, Layer } from "effect"
import { repeatWork } from "../../background/repeatWork.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { PaymentFailed } from "../errors.ts"
import type { CatchUpReport } from "../inbox/catchUp.ts"
import { PaymentInbox } from "../PaymentInbox.ts"
import { BillingUpkeep } from "./BillingUpkeep.ts"

/** The age in milliseconds up to which providers list their events. */
const FIRST_LOOK_MS = 30 * 86_400_000
/** Milliseconds that two looks overlap, for events that are listed late and for clocks that differ. */
const OVERLAP_MS = 3_600_000

/** The maximum number of waiting events with a known person that one look applies. */
const STRANDED_AT_ONCE = 500

const reported = ({ failed, listed, missing, states }: CatchUpReport): Effect.Effect<void> =>
  missing === 0
    ? Effect.void
    : Effect.annotateLogs(Effect.logInfo("Caught up with events of the payment provider."), {
        listed,
        missing,
        failed,
        ...states
      })

/**
 * Applies the provider's events that never arrived, and the events that wait although their person is known, in the
 * background. Each look begins at the time where the last complete look began. Several processes may do this at once:
 * they share the work.
 */
export class PaymentCatchUp extends Context.Service<
  PaymentCatchUp,
  {
    /** Catches up once; returns undefined if the server sells nothing. */
    readonly catchUp: Effect.Effect<CatchUpReport | undefined, PaymentFailed | StorageFailed>
    /** Catches up now and every hour until interrupted. */
    readonly run: Effect.Effect<never>
  }
>()("@parley/core/billing/upkeep/PaymentCatchUp") {
  static readonly layer = Layer.effect(
    PaymentCatchUp,
    Effect.gen(function* () {
      const inbox = yield* PaymentInbox
      const upkeep = yield* BillingUpkeep
      /** Applies waiting events from their stored content, because the provider may not list them any more. */
      const applyStranded = Effect.gen(function* () {
        for (const eventId of yield* upkeep.stranded(STRANDED_AT_ONCE)) {
          yield* Effect.catchTag(inbox.replay(eventId), "PaymentEventNotFound", () => Effect.void)
        }
      })
      const catchUp = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const last = yield* upkeep.caughtUpTo
        const since = last === undefined ? now - FIRST_LOOK_MS : Math.min(last, now) - OVERLAP_MS
        const report = yield* inbox.catchUp({ since, dryRun: false })
        if (report.failed === 0) yield* upkeep.noteCaughtUp(now)
        yield* applyStranded
        return report
      }).pipe(
        Effect.catchIf(
          (error) => error._tag === "PaymentsNotConfigured",
          () => Effect.succeed(undefined)
        )
      )
      return PaymentCatchUp.of({
        catchUp,
        run: repeatWork(catchUp, {
          every: "1 hour",
          report: (report) => (report === undefined ? Effect.void : reported(report)),
          onFailure: Effect.logWarning(
            "Missed events of the payment provider could not be caught up with; trying again in an hour."
          )
        })
      })
    })
  )
}
