import { Context, Effect, Layer, Schema } from "effect"
import { type TaskRun, TaskRuns } from "../background/TaskRuns.ts"
import { EVENT_STATES, type StoredPaymentEvent } from "../billing/BillingAccount.ts"
import { PaymentEventStore } from "../billing/inbox/PaymentEventStore.ts"
import { CreditLedger, CreditUpkeep } from "../credits/CreditLedger.ts"
import { dayOf, startOfDay } from "../credits/Spender.ts"
import { dayText } from "../credits/UsageReport.ts"
import type { VerifyChunk, VerifyInput } from "../credits/upkeep/Verification.ts"
import { UserId } from "../identity/UserId.ts"
import { cursorOfText, notACursor } from "../storage/Cursor.ts"
import { Id, type InvalidInput, inputsOf, PageLimit } from "../storage/inputs.ts"
import { mayLag } from "../storage/LaggingReads.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { type DayCharges, type DayRevenue, MoneyRecords } from "./MoneyRecords.ts"

/**
 * A charge is committed at most this many milliseconds after its time; after that the charges of a day no longer
 * change.
 */
const COMMITTED_AFTER_MS = 5 * 60_000

/** The charges and payments of a range of days. */
export interface MoneyReport {
  /** The first UTC day, as `2026-11-30`; `to` is the last one, which is today. */
  readonly from: string
  readonly to: string
  /** By day and model. */
  readonly charges: ReadonlyArray<DayCharges>
  /** By day and currency. */
  readonly revenue: ReadonlyArray<DayRevenue>
  /** The last daily verification of all accounts; undefined if none has ended. */
  readonly verification: TaskRun | undefined
}

/** Selects payment events. */
export const PaymentsAsked = Schema.Struct({
  state: Schema.optional(Schema.Literals(EVENT_STATES)),
  userId: Schema.optional(UserId),
  limit: PageLimit,
  /** The `next` of the previous page. */
  before: Schema.optional(Id)
})
export type PaymentsAsked = typeof PaymentsAsked.Type

/** A page of payment events. */
export interface PaymentsPage {
  readonly events: ReadonlyArray<StoredPaymentEvent>
  /** The `before` of the next page; undefined on the last page. */
  readonly next: string | undefined
}

/** Selects a page of accounts to recompute from their rows. */
export interface VerificationAsked extends Omit<VerifyInput, "after"> {
  /** The `next` of the previous page. */
  readonly after: string | undefined
}

/** Reports about money for operators. They change nothing, not even the audit log. */
export class MoneyReports extends Context.Service<
  MoneyReports,
  {
    /** Returns the charges and the applied payments of the last `days` UTC days, today included. */
    days(days: number): Effect.Effect<MoneyReport, StorageFailed>
    /** Lists payment events; the one received last comes first. */
    payments(input: PaymentsAsked): Effect.Effect<PaymentsPage, InvalidInput | StorageFailed>
    /** Recomputes a page of accounts from their rows, in the order of their users, and returns the differences. */
    verify(input: VerificationAsked): Effect.Effect<VerifyChunk, InvalidInput | StorageFailed>
  }
>()("@parley/core/users/MoneyReports") {
  static readonly inputs = inputsOf<MoneyReports["Service"]>()({
    days: [{ days: PageLimit }],
    payments: [{ input: PaymentsAsked }]
  })
  static readonly layer = Layer.effect(
    MoneyReports,
    Effect.gen(function* () {
      const ledger = yield* CreditLedger
      const money = yield* MoneyRecords
      const payments = yield* PaymentEventStore
      const runs = yield* TaskRuns
      const upkeep = yield* CreditUpkeep
      /**
       * The charges of days that are over: a process reads each day once and separately, so that no query takes long.
       */
      const past = new Map<number, ReadonlyArray<DayCharges>>()

      const chargesOf = Effect.fnUntraced(function* (day: number, now: number) {
        const known = past.get(day)
        if (known !== undefined) return known
        const found = yield* mayLag(money.charges({ firstDay: day, lastDay: day }))
        if (startOfDay(day + 1) + COMMITTED_AFTER_MS < now) past.set(day, found)
        return found
      })

      return MoneyReports.of({
        days: Effect.fn("MoneyReports.days")(function* (days) {
          const now = yield* ledger.now
          const lastDay = dayOf(now)
          const firstDay = lastDay - days + 1
          const charges = yield* Effect.forEach(
            Array.from({ length: days }, (_, index) => firstDay + index),
            (day) => chargesOf(day, now)
          )
          for (const day of past.keys()) if (day < firstDay) past.delete(day)
          const revenue = yield* mayLag(money.revenue({ firstDay, lastDay }))
          const verification = (yield* runs.ended).find(({ task }) => task === "verify")
          return { from: dayText(firstDay), to: dayText(lastDay), charges: charges.flat(), revenue, verification }
        }),
        payments: ({ before, limit, state, userId }) =>
          payments.list({ after: cursorOfText(before), limit, state, userId }).pipe(
            Effect.map(({ next, rows }) => ({ events: rows, next })),
            Effect.mapError((error) => (error._tag === "InvalidInput" ? notACursor("before") : error))
          ),
        verify: ({ after, ...input }) => upkeep.verify({ ...input, after: cursorOfText(after) })
      })
    })
  )
}
