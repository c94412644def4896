import { Effect, Layer } from "effect"
import { paymentsOf } from "../billing/SubscriptionFacts.ts"
import { InMemoryPayments, type PaymentTables } from "../billing/upkeep/InMemoryPayments.ts"
import { InMemoryAccounts } from "../credits/InMemoryCreditLedger.ts"
import { dayOf } from "../credits/Spender.ts"
import { dayText, usageOf } from "../credits/UsageReport.ts"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { type DayCharges, type DayRevenue, type DaysInput, MoneyRecords } from "./MoneyRecords.ts"

interface Payment {
  readonly amount: number
  readonly currency: string
  readonly at: number
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Adds up rows with the same position, and returns them in the order of their positions. */
const summed = <Row>(
  rows: ReadonlyArray<Row>,
  placeOf: (row: Row) => string,
  add: (a: Row, b: Row) => Row
): ReadonlyArray<Row> =>
  [...Map.groupBy(rows, placeOf)].toSorted(([a], [b]) => compare(a, b)).map(([, same]) => same.reduce(add))

const charges = (ledger: InMemoryAccounts["Service"], days: DaysInput): ReadonlyArray<DayCharges> =>
  summed(
    [...ledger.values()]
      .flatMap(({ transactions }) => usageOf(transactions, days))
      .map(({ credits, day, model, replies }) => ({ day, model, replies, credits })),
    ({ day, model }) => `${day} ${model}`,
    (a, b) => ({ ...a, replies: a.replies + b.replies, credits: a.credits + b.credits })
  )

/** Lists purchases and the payments of subscriptions; an invoice that paid for several things is one payment. */
const paymentsIn = ({ accounts, purchases }: PaymentTables): ReadonlyArray<Payment> => [
  ...[...purchases.values()].flat().map(({ boughtAt: at, currency, paid: amount }) => ({ amount, currency, at })),
  ...[...accounts.values()].flatMap(({ subscriptions }) => {
    const byInvoice = new Map(subscriptions.flatMap(paymentsOf).map((payment) => [payment.invoiceId, payment]))
    return [...byInvoice.values()].map(({ amount, currency, paidAt: at }) => ({ amount, currency, at }))
  })
]

const revenue = (tables: PaymentTables, { firstDay, lastDay }: DaysInput): ReadonlyArray<DayRevenue> =>
  summed(
    paymentsIn(tables)
      .filter(({ amount, at }) => amount > 0 && dayOf(at) >= firstDay && dayOf(at) <= lastDay)
      .map(({ amount, at, currency }) => ({ day: dayText(dayOf(at)), currency, payments: 1, amount })),
    ({ currency, day }) => `${day} ${currency}`,
    (a, b) => ({ ...a, payments: a.payments + b.payments, amount: a.amount + b.amount })
  )

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const ledger = yield* InMemoryAccounts
  const tables = yield* InMemoryPayments
  return MoneyRecords.of({
    charges: (days) => storage.exclusive(Effect.sync(() => charges(ledger, days))),
    revenue: (days) => storage.exclusive(Effect.sync(() => revenue(tables, days)))
  })
})

/** The sums over the in-memory ledger and payments. */
export const InMemoryMoneyRecords = {
  layer: Layer.effect(MoneyRecords, make).pipe(
    Layer.provide([InMemoryAccounts.layer, InMemoryPayments.layer, InMemoryStorage.layer])
  )
}
