import { Effect, Layer, Logger } from "effect"
import { type CreditPorts, CreditRecords } from "../../src/credits/CreditLedger.ts"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { describe, expect, it } from "vitest"
import type { InvoiceLine, PaymentEvent, SubscriptionStatus } from "../../src/billing/provider/PaymentEvent.ts"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import { atTime } from "../../src/testing/atTime.ts"
import { neutralProviderLayer } from "../../src/testing/billing/neutralProvider.ts"
import { WORLD_CATALOG } from "../../src/testing/billing/worldCatalog.ts"
import { resetAll } from "../../src/testing/credits/resetAll.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { allowancesOf } from "../../src/tiers/CatalogData.ts"
import { ordersOf } from "./ordersOf.ts"
import { billingInMemory } from "./stories.ts"

const START = Date.UTC(2027, 0, 10)
const DAY = 86_400_000
const MONTH = Date.UTC(2027, 1, 10)
const YEAR = Date.UTC(2028, 0, 10)
const user = { userId: "ann", customerId: "cus_1" }
const catalog = makeCatalog(WORLD_CATALOG)

/** An event of a story, at its time. */
interface Told {
  readonly at: number
  readonly event: PaymentEvent
}

interface Reported {
  readonly at: number
  readonly price: string
  readonly status?: SubscriptionStatus
  readonly start?: number
  readonly end?: number
}

const reported = ({ at, end = MONTH, price, start = START, status = "active" }: Reported): Told => ({
  at,
  event: {
    _tag: "Subscription",
    subscription: {
      ...user,
      id: "sub_1",
      status,
      items: [{ priceId: price, periodStart: start, periodEnd: end }],
      startedAt: START,
      endsAt: undefined,
      endedAt: status === "ended" ? at : undefined
    }
  }
})

const line = (priceId: string, amount: number, more: Partial<InvoiceLine> = {}): InvoiceLine => ({
  priceId,
  subscriptionId: "sub_1",
  periodStart: START,
  periodEnd: MONTH,
  isProration: false,
  amount,
  quantity: 1,
  ...more
})

const invoice = (
  at: number,
  reason: "create" | "cycle" | "update",
  lines: ReadonlyArray<InvoiceLine>,
  paid = Math.max(
    0,
    lines.reduce((sum, { amount }) => sum + amount, 0)
  )
): Told => ({
  at,
  event: {
    _tag: "InvoicePaid",
    invoice: {
      ...user,
      id: `in_${reason}_${at}`,
      subscriptionId: "sub_1",
      reason,
      amountPaid: paid,
      currency: "usd",
      lines,
      createdAt: at
    }
  }
})

const begun = invoice(START, "create", [line("price_pro", 1_900)])

/** A change at a moment: the rest of the period is credited for the one price, and charged for the other. */
const changed = (at: number, from: string, to: string, amount: number, end = MONTH): Told =>
  invoice(at, "update", [
    line(from, -900, { isProration: true, periodStart: at, periodEnd: end }),
    line(to, 900 + amount, { isProration: true, periodStart: at, periodEnd: end })
  ])

const run = <A, E>(work: Effect.Effect<A, E, CreditPorts | PaymentInbox>) =>
  Effect.runPromise(
    Effect.provide(
      work,
      PaymentInbox.layer.pipe(
        Layer.provideMerge(
          Layer.mergeAll(billingInMemory, Layer.succeed(Catalog, catalog), neutralProviderLayer(), Logger.layer([]))
        )
      ),
      { local: true }
    )
  )

const accept = ({ at, event }: Told, moment = at) => {
  const neutral = {
    id: `evt_${JSON.stringify(event)}`,
    kind: event._tag,
    createdAt: at,
    customerId: user.customerId,
    event
  }
  return atTime(
    moment,
    PaymentInbox.use((inbox) => inbox.accept({ ...neutral, payload: JSON.stringify(neutral) }))
  )
}

const account = CreditRecords.use((ledger) => ledger.account(user.userId))
/** Accepts events at one time in an order; returns the account as it is then. */
const after = (told: ReadonlyArray<Told>, moment: number) =>
  run(
    Effect.gen(function* () {
      for (const one of told) yield* accept(one, moment)
      const { allowance, debt, pendingTier, tier } = yield* account
      return { tier, allowance, debt, pendingTier }
    })
  )

const LATE = START + 5 * DAY

describe("a dearer plan", () => {
  const upgraded = reported({ at: START + DAY, price: "price_business" })
  const pays = changed(START + DAY, "price_pro", "price_business", 2_000)

  it("is not given by a status, however often it is reported: nothing was paid for it", async () => {
    const again = reported({ at: START + 2 * DAY, price: "price_business" })
    expect(await after([begun, upgraded, again], LATE)).toMatchObject({ tier: "pro", allowance: 1_000 })
  })

  it("is given once with the paid invoice of the change, in every order of events", async () => {
    const told = [begun, upgraded, pays, reported({ at: START + 2 * DAY, price: "price_business" })]
    for (const order of ordersOf(told)) {
      expect(await after([...order, ...order], LATE)).toEqual({
        tier: "business",
        allowance: 5_000,
        debt: 0,
        pendingTier: undefined
      })
    }
  })

  it("that is paid for after a cheaper one was chosen again is that of the period, once", async () => {
    const back = reported({ at: START + 2 * DAY, price: "price_pro" })
    const credited = changed(START + 2 * DAY, "price_business", "price_pro", -2_000)
    for (const order of ordersOf([begun, upgraded, pays, back, credited])) {
      expect(await after(order, LATE)).toMatchObject({ tier: "business", allowance: 5_000, pendingTier: "pro" })
    }
  })

  it("that was never paid for is not given by what is credited when it is left again", async () => {
    const back = reported({ at: START + 2 * DAY, price: "price_pro" })
    const credited = changed(START + 2 * DAY, "price_business", "price_pro", -2_000)
    for (const order of ordersOf([begun, upgraded, back, credited])) {
      expect(await after(order, LATE)).toMatchObject({ tier: "pro", allowance: 1_000 })
    }
  })

  it("whose invoice is paid when its period is over gives nothing of that, and the next one is that of its invoice", async () => {
    const next = invoice(MONTH, "cycle", [
      line("price_pro", 1_900, { periodStart: MONTH, periodEnd: Date.UTC(2027, 2, 10) })
    ])
    for (const order of ordersOf([begun, upgraded, pays, next])) {
      expect(await after(order, MONTH + DAY)).toMatchObject({ tier: "pro", allowance: 1_000 })
    }
  })

  it("within a year gives its credits in the months from its payment on, and not by a status", () =>
    run(
      Effect.gen(function* () {
        const reset = (asOf: number) =>
          Effect.flatMap(testedLedger, (ledger) =>
            atTime(asOf, resetAll(ledger, { asOf, allowances: allowancesOf(catalog) }))
          )
        yield* accept(invoice(START, "create", [line("price_pro_year", 19_000, { periodEnd: YEAR })]))
        yield* accept(reported({ at: START + DAY, price: "price_business", end: YEAR }))
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000 })
        yield* reset(MONTH)
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000, periodStart: MONTH })
        yield* accept(changed(MONTH + DAY, "price_pro_year", "price_business", 20_000, YEAR))
        expect(yield* account).toMatchObject({ tier: "business", allowance: 5_000, periodStart: MONTH })
        yield* reset(Date.UTC(2027, 2, 10))
        expect(yield* account).toMatchObject({ tier: "business", allowance: 5_000 })
        // A cheaper one counts from the next month on, by its report alone.
        const march = Date.UTC(2027, 2, 12)
        yield* accept(reported({ at: march, price: "price_pro_year", end: YEAR }))
        expect(yield* account).toMatchObject({ tier: "business", pendingTier: "pro" })
        yield* reset(Date.UTC(2027, 3, 10))
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000 })
        // And it is dearer again once that is paid for, not before.
        const april = Date.UTC(2027, 3, 12)
        yield* accept(reported({ at: april, price: "price_business", end: YEAR }))
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000 })
        yield* accept(changed(april, "price_pro_year", "price_business", 15_000, YEAR))
        expect(yield* account).toMatchObject({ tier: "business", allowance: 5_000 })
      })
    ))

  it("that was paid for a month gives nothing of the year before it, while the invoice of that month is late", async () => {
    const year = invoice(START, "create", [line("price_pro_year", 19_000, { periodEnd: YEAR })])
    // The year becomes a month at once; the invoice of the month is not reported yet, that of the dearer plan is.
    const monthly = invoice(START + DAY, "update", [
      line("price_pro", 1_900, { periodStart: START + DAY, periodEnd: MONTH })
    ])
    const dearer = changed(START + 2 * DAY, "price_pro", "price_business", 2_000)
    expect(await after([year, dearer], LATE)).toMatchObject({ tier: "pro", allowance: 1_000 })
    for (const order of ordersOf([year, monthly, dearer])) {
      expect(await after(order, LATE)).toMatchObject({ tier: "business", allowance: 5_000 })
    }
  })

  it("that was paid for a month gives nothing of a year before it that is known from its checkout alone", async () => {
    const session = {
      id: "cs_1",
      mode: "subscription",
      priceId: "price_pro_year",
      subscriptionId: "sub_1",
      paymentId: undefined,
      isPaid: true
    } as const
    const paid = { ...session, amountTotal: 19_000, currency: "usd", createdAt: START }
    const checkout: Told = { at: START, event: { _tag: "Checkout", session: { ...user, ...paid } } }
    const start = START + DAY
    const month = reported({ at: start + 1, price: "price_business", start, end: MONTH })
    const monthly = invoice(start, "update", [line("price_pro", 1_900, { periodStart: start, periodEnd: MONTH })])
    const dearer = changed(start + 1, "price_pro", "price_business", 2_000)
    expect(await after([checkout, month, dearer], LATE)).toMatchObject({ tier: "pro", allowance: 1_000 })
    for (const order of ordersOf([checkout, month, monthly, dearer])) {
      expect(await after(order, LATE)).toMatchObject({ tier: "business", allowance: 5_000 })
    }
  })

  it("whose payment is refunded takes back what it gave beyond the plan before, and no more", async () => {
    const refunded: Told = {
      at: START + 2 * DAY,
      event: {
        _tag: "Charge",
        charge: {
          id: "ch_1",
          paymentId: "pi_1",
          customerId: user.customerId,
          amount: 2_000,
          amountRefunded: 1_000,
          currency: "usd",
          invoiceId: pays.event._tag === "InvoicePaid" ? pays.event.invoice.id : null
        }
      }
    }
    for (const order of ordersOf([begun, upgraded, pays, refunded])) {
      expect(await after(order, LATE)).toMatchObject({ tier: "business", allowance: 3_000, debt: 0 })
    }
  })
})

describe("a trial", () => {
  const end = START + 14 * DAY
  const tried = invoice(START, "create", [line("price_pro", 0, { periodEnd: end })])
  const switched = reported({ at: START + DAY, price: "price_business", status: "trialing", end })
  // Providers may make an invoice of nothing of it.
  const nothing = invoice(START + DAY, "update", [
    line("price_business", 0, { periodStart: START + DAY, periodEnd: end })
  ])

  it("gives its plan once, and no dearer one that it is switched to, in every order of events", async () => {
    for (const order of ordersOf([tried, switched, nothing])) {
      const found = await after([...order, ...order], LATE)
      expect(found).toMatchObject({ tier: "pro", allowance: 1_000 })
    }
  })

  it("that was switched to a dearer plan gives that one with the invoice that is paid at its end", async () => {
    const paid = invoice(end, "cycle", [
      line("price_business", 4_900, { periodStart: end, periodEnd: Date.UTC(2027, 1, 24) })
    ])
    for (const order of ordersOf([tried, switched, nothing, paid])) {
      expect(await after(order, end + DAY)).toMatchObject({ tier: "business", allowance: 5_000 })
    }
  })
})

describe("the quantity of a plan", () => {
  it.each(["create", "cycle"] as const)("other than one is refused, and gives nothing (%s)", (reason) =>
    run(
      Effect.gen(function* () {
        const handled = yield* accept(invoice(START, reason, [line("price_pro", 5_700, { quantity: 3 })]))
        expect(handled).toMatchObject({ state: "refused", note: expect.stringContaining("3 of a plan") })
        expect(yield* Effect.flip(account)).toMatchObject({ _tag: "AccountNotFound" })
      })
    )
  )

  it("other than one is refused of a page that sells what its operator said, as a payment link", () =>
    run(
      Effect.gen(function* () {
        const session = {
          ...user,
          id: "cs_1",
          mode: "subscription",
          priceId: undefined,
          items: [{ priceId: "price_pro", quantity: 2 }],
          subscriptionId: "sub_1",
          paymentId: undefined,
          isPaid: true,
          amountTotal: 3_800,
          currency: "usd",
          createdAt: START
        } as const
        expect(yield* accept({ at: START, event: { _tag: "Checkout", session } })).toMatchObject({ state: "refused" })
        expect(yield* Effect.flip(account)).toMatchObject({ _tag: "AccountNotFound" })
      })
    ))

  it("that a change sets is refused, and leaves the period as it is", () =>
    run(
      Effect.gen(function* () {
        yield* accept(begun)
        const doubled = invoice(START + DAY, "update", [
          line("price_pro", -1_900, { isProration: true, periodStart: START + DAY }),
          line("price_pro", 3_800, { isProration: true, periodStart: START + DAY, quantity: 2 })
        ])
        expect(yield* accept(doubled)).toMatchObject({ state: "refused" })
        expect(yield* account).toMatchObject({ tier: "pro", allowance: 1_000 })
      })
    ))
})
