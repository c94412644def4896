import { Effect, Layer, Logger } from "effect"
import { type CreditPorts, CreditRecords, CreditUpkeep } from "../../src/credits/CreditLedger.ts"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { expect, it } from "vitest"
import type { InvoiceReason, PaymentEvent } from "../../src/billing/provider/PaymentEvent.ts"
import { paymentProviderLayer, type PaymentProvider } from "../../src/billing/provider/PaymentProvider.ts"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import { atTime } from "../../src/testing/atTime.ts"
import { neutralProvider } from "../../src/testing/billing/neutralProvider.ts"
import { WORLD_CATALOG } from "../../src/testing/billing/worldCatalog.ts"
import { receiptDraft, reservation } from "../../src/testing/credits/creditFixtures.ts"
import { resetAll } from "../../src/testing/credits/resetAll.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { billingInMemory } from "./stories.ts"

const START = Date.UTC(2027, 0, 10)
const DAY = 86_400_000
const month = Date.UTC(2027, 1, 10)
const user = { userId: "ann", customerId: "cus_1" }
const catalog = makeCatalog(WORLD_CATALOG)

/** A provider that says which invoice a payment paid. */
const gateway = {
  ...neutralProvider(),
  paymentInvoice: (id) => Effect.succeed(id.startsWith("pi_in_") ? id.slice(3) : undefined)
} satisfies PaymentProvider

const run = <A, E>(work: Effect.Effect<A, E, CreditPorts | PaymentInbox>) =>
  Effect.runPromise(
    Effect.provide(
      work,
      PaymentInbox.layer.pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            billingInMemory,
            paymentProviderLayer(gateway),
            Layer.succeed(Catalog, catalog),
            Logger.layer([])
          )
        )
      ),
      { local: true }
    )
  )

let count = 0
const accept = (event: PaymentEvent, at: number) => {
  count += 1
  const neutral = { id: `evt_${count}`, kind: event._tag, createdAt: at, customerId: user.customerId, event }
  return atTime(
    at,
    PaymentInbox.use((inbox) => inbox.accept({ ...neutral, payload: JSON.stringify(neutral) }))
  )
}

const reported = (id: string, priceId: string, ended?: number): PaymentEvent => ({
  _tag: "Subscription",
  subscription: {
    ...user,
    id,
    status: ended === undefined ? "active" : "ended",
    items: [{ priceId, periodStart: START, periodEnd: month }],
    startedAt: START,
    endsAt: undefined,
    endedAt: ended
  }
})

const paid = (
  id: string,
  priceId: string,
  end: number,
  reason: InvoiceReason,
  isProration = false,
  subscriptionId = "sub_1"
): PaymentEvent => ({
  _tag: "InvoicePaid",
  invoice: {
    ...user,
    id,
    subscriptionId,
    reason,
    amountPaid: 1_900,
    currency: "usd",
    lines: [{ priceId, subscriptionId, periodStart: START, periodEnd: end, isProration, amount: 1_900, quantity: 1 }],
    createdAt: START
  }
})

/** As it comes since 2025-03-31: of no word which invoice was paid. */
const refunded = (invoiceId: string, amountRefunded: number): PaymentEvent => ({
  _tag: "Charge",
  charge: {
    id: `ch_${invoiceId}`,
    paymentId: `pi_${invoiceId}`,
    customerId: user.customerId,
    amount: 1_900,
    amountRefunded,
    currency: "usd"
  }
})

const disputed = (invoiceId: string, funds: "withdrawn" | "reinstated", currency = "usd"): PaymentEvent => ({
  _tag: "Dispute",
  dispute: { id: "dp_1", chargeId: `ch_${invoiceId}`, paymentId: `pi_${invoiceId}`, amount: 1_900, currency, funds }
})

const account = CreditRecords.use((ledger) => ledger.account(user.userId))
const spend = (amount: number) =>
  Effect.flatMap(testedLedger, (credits) =>
    credits.adjust({ userId: user.userId, key: `spent:${amount}`, amount: -amount, reason: "a test" })
  )

const verified = Effect.gen(function* () {
  const { differences } = yield* CreditUpkeep.use((ledger) => ledger.verify({ limit: 10, after: undefined }))
  expect(differences).toEqual([])
})

/** Replies with this price, paid as every reply is. */
const reply = (cost: number) =>
  Effect.gen(function* () {
    const credits = yield* testedLedger
    const { userId } = user
    const key = `reply:${++count}`
    yield* credits.reserve(reservation(userId, key, cost))
    yield* credits.settle({ userId, key, amount: cost, draft: receiptDraft })
  })

/** The next period of a subscription. */
const renewed = (id: string, subscriptionId = "sub_1"): PaymentEvent => {
  const event = paid(id, "price_pro", Date.UTC(2027, 2, 10), "cycle", false, subscriptionId)
  if (event._tag !== "InvoicePaid") return event
  const lines = event.invoice.lines.map((line) => ({ ...line, periodStart: month }))
  return { _tag: "InvoicePaid", invoice: { ...event.invoice, lines } }
}

it("takes what is left of a period first, then bought credits, then makes debt, and gives all of it back", () =>
  run(
    Effect.gen(function* () {
      yield* accept(paid("in_1", "price_pro", month, "create"), START)
      yield* Effect.flatMap(testedLedger, (credits) =>
        credits.grant({ userId: user.userId, key: "topup:1", type: "topup", amount: 50 })
      )
      yield* spend(450)
      expect(yield* account).toMatchObject({ allowance: 600, topup: 0 })
      yield* Effect.flatMap(testedLedger, (credits) =>
        credits.grant({ userId: user.userId, key: "topup:2", type: "topup", amount: 50 })
      )
      expect(yield* accept(disputed("in_1", "withdrawn"), START + DAY)).toMatchObject({ state: "applied" })
      expect(yield* account).toMatchObject({ allowance: 0, topup: 0, debt: 350, tier: "pro" })
      expect(yield* accept(refunded("in_1", 950), START + DAY)).toMatchObject({ state: "applied" })
      expect(yield* account).toMatchObject({ allowance: 0, topup: 0, debt: 350 })
      yield* accept(disputed("in_1", "reinstated"), START + 2 * DAY)
      expect(yield* account).toMatchObject({ allowance: 100, topup: 50, debt: 0 })
      yield* accept(refunded("in_1", 0), START + 3 * DAY)
      expect(yield* account).toMatchObject({ allowance: 600, topup: 50, debt: 0 })
      yield* verified
    })
  ))

it("three rounds of subscribing, spending and charging back give the credits of one", () =>
  run(
    Effect.gen(function* () {
      let spent = 0
      for (const round of [1, 2, 3]) {
        const [subscription, at] = [`sub_${round}`, START + 5 * round * DAY]
        yield* accept(paid(`in_${round}`, "price_business", month, "create", false, subscription), at)
        const { allowance } = yield* account
        if (allowance > 0) yield* reply(allowance)
        spent += allowance
        const chargeback = disputed(`in_${round}`, "withdrawn")
        const ended = reported(subscription, "price_business", at + DAY)
        // Banks take the money back before or after the subscription has ended.
        for (const event of round === 2 ? [ended, chargeback] : [chargeback, ended]) yield* accept(event, at + DAY)
      }
      expect(spent).toBe(5_000)
      const { debt, tier } = yield* account
      expect({ debt: debt > 0, tier }).toEqual({ debt: true, tier: "free" })
      yield* verified
    })
  ))

it("what was used of a period that is over is owed, what expired of it is not, and a dispute that is won gives it back", () =>
  run(
    Effect.gen(function* () {
      yield* accept(paid("in_1", "price_pro", month, "create"), START)
      yield* reply(700)
      yield* accept(renewed("in_2"), month)
      yield* reply(900)
      expect(yield* account).toMatchObject({ allowance: 100, debt: 0 })
      yield* accept(disputed("in_1", "withdrawn"), month + DAY)
      expect(yield* account).toMatchObject({ allowance: 0, debt: 600 })
      // Half of it was used beyond the half that is still paid for.
      yield* accept(disputed("in_1", "reinstated"), month + 2 * DAY)
      expect(yield* account).toMatchObject({ allowance: 0, topup: 100, debt: 0 })
      yield* accept(refunded("in_1", 950), month + 3 * DAY)
      expect(yield* account).toMatchObject({ allowance: 0, topup: 0, debt: 100 })
      yield* accept(refunded("in_1", 0), month + 4 * DAY)
      expect(yield* account).toMatchObject({ topup: 100, debt: 0 })
      yield* verified
    })
  ))

it("what is owed is the same whether a charge-back comes before or after the renewal, the end or another plan", async () => {
  const chargeback = disputed("in_1", "withdrawn")
  const later: ReadonlyArray<readonly [PaymentEvent, number]> = [
    [renewed("in_2"), 1_000],
    [reported("sub_1", "price_pro", month), 100],
    [paid("in_9", "price_business", month, "create", false, "sub_9"), 5_000]
  ]
  for (const [event, given] of later) {
    for (const order of [
      [chargeback, event],
      [event, chargeback]
    ]) {
      await run(
        Effect.gen(function* () {
          yield* accept(paid("in_1", "price_pro", month, "create"), START)
          yield* reply(400)
          for (const one of order) yield* accept(one, month)
          const { allowance, debt, topup } = yield* account
          expect(allowance + topup - debt, JSON.stringify(event)).toBe(given - 400)
          yield* verified
        })
      )
    }
  }
})

it("of a year all months are owed that were used, and the running one is taken", () =>
  run(
    Effect.gen(function* () {
      const reset = (asOf: number) =>
        Effect.flatMap(testedLedger, (ledger) =>
          atTime(asOf, resetAll(ledger, { asOf, allowances: { free: 100, pro: 1_000, business: 5_000 } }))
        )
      yield* accept(paid("in_1", "price_pro_year", Date.UTC(2028, 0, 10), "create"), START)
      yield* reply(1_000)
      yield* reset(month)
      yield* reply(300)
      yield* reset(Date.UTC(2027, 2, 10))
      yield* reply(200)
      expect(yield* account).toMatchObject({ allowance: 800 })
      yield* accept(disputed("in_1", "withdrawn"), Date.UTC(2027, 2, 11))
      expect(yield* account).toMatchObject({ allowance: 0, debt: 1_500, renewedUntil: Date.UTC(2027, 3, 10) })
      yield* accept(disputed("in_1", "reinstated"), Date.UTC(2027, 2, 12))
      expect(yield* account).toMatchObject({ allowance: 800, topup: 0, debt: 0 })
      yield* verified
    })
  ))

it("what is owed for a plan whose place another took is owed once, also when it comes back", () =>
  run(
    Effect.gen(function* () {
      yield* accept(paid("in_1", "price_pro", month, "create"), START)
      yield* reply(400)
      yield* accept(paid("in_2", "price_business", month, "create", false, "sub_2"), START + DAY)
      yield* accept(disputed("in_1", "withdrawn"), START + 2 * DAY)
      expect(yield* account).toMatchObject({ tier: "business", allowance: 4_600, debt: 0 })
      yield* accept(reported("sub_2", "price_business", START + 3 * DAY), START + 3 * DAY)
      expect(yield* account).toMatchObject({ tier: "pro", allowance: 0, debt: 0 })
      yield* accept(disputed("in_1", "reinstated"), START + 4 * DAY)
      expect(yield* account).toMatchObject({ tier: "pro", allowance: 600, topup: 400, debt: 0 })
      yield* verified
    })
  ))

it("of a period that is over, or an invoice that paid for none, a refund changes nothing and is done", () =>
  run(
    Effect.gen(function* () {
      yield* accept(paid("in_1", "price_pro", month, "create"), START)
      yield* accept(paid("in_change", "price_business", month, "update", true), START)
      const renewed = paid("in_2", "price_pro", Date.UTC(2027, 2, 10), "cycle")
      if (renewed._tag !== "InvoicePaid") return
      const lines = renewed.invoice.lines.map((line) => ({ ...line, periodStart: month }))
      yield* accept({ _tag: "InvoicePaid", invoice: { ...renewed.invoice, lines } }, month)
      for (const invoiceId of ["in_1", "in_change"]) {
        expect(yield* accept(refunded(invoiceId, 1_900), month + DAY)).toMatchObject({ state: "applied" })
      }
      expect(yield* account).toMatchObject({ allowance: 1_000, periodStart: month })
      yield* accept(disputed("in_2", "withdrawn", "eur"), month + DAY)
      expect(yield* account).toMatchObject({ allowance: 0 })
    })
  ))

it("a year that is given back whole gives no further month, in part the running one, and all again once it is won", () =>
  run(
    Effect.gen(function* () {
      const reset = (asOf: number) =>
        Effect.flatMap(testedLedger, (ledger) =>
          atTime(asOf, resetAll(ledger, { asOf, allowances: { free: 100, pro: 1_000, business: 5_000 } }))
        )
      yield* accept(paid("in_1", "price_pro_year", Date.UTC(2028, 0, 10), "create"), START)
      yield* accept(refunded("in_1", 950), START + DAY)
      expect(yield* account).toMatchObject({ allowance: 500 })
      yield* reset(month)
      expect(yield* account).toMatchObject({ allowance: 1_000, periodStart: month })
      yield* accept(disputed("in_1", "withdrawn"), month + DAY)
      expect(yield* account).toMatchObject({ allowance: 0, renewedUntil: Date.UTC(2027, 2, 10) })
      yield* reset(Date.UTC(2027, 3, 10))
      expect(yield* account).toMatchObject({ allowance: 0, periodStart: month })
      yield* accept(disputed("in_1", "reinstated"), Date.UTC(2027, 3, 11))
      expect(yield* account).toMatchObject({
        allowance: 500,
        periodStart: Date.UTC(2027, 3, 10),
        renewedUntil: Date.UTC(2028, 0, 10)
      })
    })
  ))

it("with the end of a plan that is refunded the free plan begins as with any other, whichever comes first", () =>
  Promise.all(
    [
      [refunded("in_1", 1_900), reported("sub_1", "price_pro", START + DAY)],
      [reported("sub_1", "price_pro", START + DAY), refunded("in_1", 1_900)]
    ].map((events) =>
      run(
        Effect.gen(function* () {
          yield* accept(paid("in_1", "price_pro", month, "create"), START)
          for (const event of events) yield* accept(event, START + DAY)
          expect(yield* account).toMatchObject({ tier: "free", allowance: 100, debt: 0 })
        })
      )
    )
  ))

it("what was taken of a period stays taken while another plan has its place, and when it comes back", () =>
  run(
    Effect.gen(function* () {
      yield* accept(paid("in_1", "price_pro", month, "create"), START)
      yield* spend(200)
      yield* accept(refunded("in_1", 950), START + DAY)
      expect(yield* account).toMatchObject({ tier: "pro", allowance: 300 })
      yield* accept(paid("in_2", "price_business", month, "create", false, "sub_2"), START + DAY)
      expect(yield* account).toMatchObject({ tier: "business", allowance: 5_000 })
      yield* accept(reported("sub_2", "price_business", START + 2 * DAY), START + 2 * DAY)
      expect(yield* account).toMatchObject({ tier: "pro", allowance: 300 })
      yield* accept(refunded("in_1", 0), START + 3 * DAY)
      expect(yield* account).toMatchObject({ tier: "pro", allowance: 800, debt: 0 })
      expect((yield* CreditUpkeep.use((ledger) => ledger.verify({ limit: 10, after: undefined }))).differences).toEqual(
        []
      )
    })
  ))
