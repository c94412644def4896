import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import type { BillingStore } from "../../billing/BillingStore.ts"
import type { PaymentEventStore } from "../../billing/inbox/PaymentEventStore.ts"
import type { PaidInvoice } from "../../billing/provider/PaymentEvent.ts"
import { noFacts, withInvoice } from "../../billing/SubscriptionFacts.ts"
import { CreditLedger, type CreditPorts } from "../../credits/CreditLedger.ts"
import { dayOf } from "../../credits/Spender.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { MoneyRecords } from "../../users/MoneyRecords.ts"
import { conclude, eventOf, newId, receive } from "../billing/billingStoreFixtures.ts"
import { receiptDraft, reservation } from "../credits/creditFixtures.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import { suiteOn } from "../suiteOn.ts"

type Stores = BillingStore | CreditPorts | MoneyRecords | PaymentEventStore | UnitOfWork
type Payment = Pick<PaidInvoice, "amountPaid" | "currency" | "createdAt">

const DAY_MS = 86_400_000

/** Today by the storage's clock. A test of these suites must not run over midnight. */
const today = CreditLedger.use(({ now }) => now)

const invoiceOf = ({ amountPaid, createdAt, currency }: Payment): PaidInvoice => ({
  id: newId("in"),
  customerId: undefined,
  subscriptionId: undefined,
  userId: undefined,
  reason: "update",
  amountPaid,
  currency,
  createdAt,
  lines: [
    ...[false, true].map((isProration) => ({
      priceId: "price_pro",
      subscriptionId: undefined,
      periodStart: createdAt,
      periodEnd: createdAt + 30 * DAY_MS,
      isProration,
      amount: amountPaid,
      quantity: 1
    }))
  ]
})

/** Stores an applied event of a person, with a purchase or with an invoice that paid for a period and a change. */
const paid = (kind: "purchase" | "invoice", userId: string, payment: Payment) =>
  Effect.gen(function* () {
    const event = eventOf({ customerId: undefined, createdAt: payment.createdAt })
    const { amountPaid, createdAt, currency } = payment
    const bought = { sessionId: newId("cs"), paymentId: newId("pi"), priceId: "price_1", granted: 5, currency }
    const facts = withInvoice(noFacts(newId("sub")), invoiceOf(payment), () => true)
    const units = yield* UnitOfWork
    yield* units.run(
      userId,
      Effect.gen(function* () {
        yield* receive(event, { claimed: userId })
        yield* conclude(
          event,
          userId,
          kind === "purchase"
            ? { bought: { ...bought, paid: amountPaid, boughtAt: createdAt } }
            : { subscription: facts }
        )
      })
    )
  })

/** Tests the guarantees of a `MoneyRecords`. `layer` is built once, for all tests. */
export const moneyRecordsContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`MoneyRecords contract: ${name}`, layer, (run) => {
    it("charges of all people are summed by day and model; other changes of a balance are none", () =>
      run(
        Effect.gen(function* () {
          const ledger = yield* testedLedger
          const draft = { ...receiptDraft, model: newId("model") }
          const lastDay = dayOf(yield* today)
          for (const amount of [3, 4]) {
            const userId = newId("user")
            yield* ledger.open({ userId, tier: "free", allowance: 100 })
            yield* ledger.grant({ userId, key: "grant:1", type: "grant", amount: 50 })
            yield* ledger.reserve(reservation(userId, "reply:1", 10, { draft }))
            yield* ledger.settle({ userId, key: "reply:1", amount, draft })
          }
          const money = yield* MoneyRecords
          const own = (firstDay: number, last: number) =>
            Effect.map(money.charges({ firstDay, lastDay: last }), (rows) =>
              rows.filter(({ model }) => model === draft.model)
            )
          const day = new Date(lastDay * DAY_MS).toISOString().slice(0, 10)
          expect(yield* own(lastDay, lastDay)).toEqual([{ day, model: draft.model, replies: 2, credits: 7 }])
          expect(yield* own(lastDay - 29, lastDay)).toHaveLength(1)
          expect(yield* own(lastDay - 29, lastDay - 1)).toEqual([])
          expect(yield* own(lastDay + 1, lastDay + 1)).toEqual([])
        })
      ))

    it("applied payments are summed by day and currency; an invoice for several things counts once, one of nothing never", () =>
      run(
        Effect.gen(function* () {
          const now = yield* today
          const lastDay = dayOf(now)
          const [currency, other, ann] = [newId("eur"), newId("usd"), newId("user")]
          yield* paid("purchase", ann, { amountPaid: 500, currency, createdAt: now })
          yield* paid("purchase", newId("user"), { amountPaid: 700, currency, createdAt: now })
          yield* paid("invoice", ann, { amountPaid: 2_000, currency, createdAt: now })
          yield* paid("invoice", newId("user"), { amountPaid: 0, currency, createdAt: now })
          yield* paid("invoice", newId("user"), { amountPaid: 900, currency: other, createdAt: now - 2 * DAY_MS })
          const money = yield* MoneyRecords
          const own = (firstDay: number, last: number) =>
            Effect.map(money.revenue({ firstDay, lastDay: last }), (rows) =>
              rows.filter((row) => [currency, other].includes(row.currency))
            )
          const dayText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)
          const all = [
            { day: dayText(lastDay - 2), currency: other, payments: 1, amount: 900 },
            { day: dayText(lastDay), currency, payments: 3, amount: 3_200 }
          ]
          expect(yield* own(lastDay - 29, lastDay)).toEqual(all)
          expect(yield* own(lastDay, lastDay)).toEqual(all.slice(1))
          expect(yield* own(lastDay - 1, lastDay - 1)).toEqual([])
        })
      ))
  })
