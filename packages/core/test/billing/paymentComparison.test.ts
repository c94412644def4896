import { Effect, Layer, Logger, Stream } from "effect"
import { type CreditPorts } from "@parley/core/adapter"
import { describe, expect, it } from "vitest"
import type { BillingStore } from "../../src/billing/BillingStore.ts"
import { PaymentObjectNotFound } from "../../src/billing/errors.ts"
import { PaymentComparison } from "../../src/billing/compare/PaymentComparison.ts"
import type { PaymentDifference } from "../../src/billing/compare/PaymentDifference.ts"
import type {
  CheckoutSession,
  PaidInvoice,
  PaymentEvent,
  PaymentRecord,
  PaymentSubscription
} from "../../src/billing/provider/PaymentEvent.ts"
import { paymentProviderLayer, type PaymentProvider } from "../../src/billing/provider/PaymentProvider.ts"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import { atTime } from "../../src/testing/atTime.ts"
import { neutralProvider } from "../../src/testing/billing/neutralProvider.ts"
import { WORLD_CATALOG } from "../../src/testing/billing/worldCatalog.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { billingInMemory } from "./stories.ts"

const START = Date.UTC(2027, 0, 10)
const MONTH = Date.UTC(2027, 1, 10)

const session = (id: string, userId: string, changes: Partial<CheckoutSession> = {}): CheckoutSession => ({
  id,
  mode: "one-time",
  customerId: `cus_${userId}`,
  userId,
  priceId: "price_credits",
  subscriptionId: undefined,
  paymentId: `pi_${id}`,
  isPaid: true,
  amountTotal: 990,
  currency: "usd",
  createdAt: START,
  ...changes
})

const invoice = (id: string, userId: string, changes: Partial<PaidInvoice> = {}): PaidInvoice => ({
  id,
  customerId: `cus_${userId}`,
  subscriptionId: `sub_${userId}`,
  userId,
  reason: "create",
  amountPaid: 1_900,
  currency: "usd",
  lines: [
    {
      priceId: "price_pro",
      subscriptionId: `sub_${userId}`,
      periodStart: START,
      periodEnd: MONTH,
      isProration: false,
      amount: 1_900,
      quantity: 1
    }
  ],
  createdAt: START,
  ...changes
})

const live: PaymentSubscription = {
  id: "sub_1",
  customerId: "cus_1",
  userId: undefined,
  status: "active",
  items: [],
  startedAt: START,
  endsAt: undefined,
  endedAt: undefined
}

/** A provider that lists and knows these. */
const provider = (sessions: ReadonlyArray<CheckoutSession>, invoices: ReadonlyArray<PaidInvoice>) => {
  const one =
    <A extends { readonly id: string }>(all: ReadonlyArray<A>, object: "session" | "invoice") =>
    (id: string) => {
      const found = all.find((each) => each.id === id)
      return found === undefined ? Effect.fail(new PaymentObjectNotFound({ object, id })) : Effect.succeed(found)
    }
  const since = <A extends { readonly createdAt: number }>(all: ReadonlyArray<A>, from: number) =>
    Stream.fromIterable(all.filter(({ createdAt }) => createdAt >= from))
  return {
    ...neutralProvider(),
    session: one(sessions, "session"),
    // All subscriptions continue.
    subscription: (id) => Effect.succeed({ ...live, id }),
    paidInvoice: one(invoices, "invoice"),
    records: ({ since: from }) =>
      Stream.concat(
        since(
          sessions.filter(({ isPaid }) => isPaid),
          from
        ).pipe(Stream.map((session): PaymentRecord => ({ _tag: "Checkout", id: session.id, session }))),
        since(invoices, from).pipe(
          Stream.map((invoice): PaymentRecord => ({ _tag: "InvoicePaid", id: invoice.id, invoice }))
        )
      )
  } satisfies PaymentProvider
}

const accept = (id: string, event: PaymentEvent) =>
  atTime(
    START,
    PaymentInbox.use((inbox) =>
      inbox.accept({ id, kind: event._tag, createdAt: START, customerId: undefined, event, payload: "{}" })
    )
  )
const bought = (one: CheckoutSession) => accept(`evt_${one.id}`, { _tag: "Checkout", session: one })
const paid = (one: PaidInvoice) => accept(`evt_${one.id}`, { _tag: "InvoicePaid", invoice: one })

/** The differences once `told` was delivered, if the provider lists these. */
const compared = (
  told: Effect.Effect<unknown, unknown, PaymentInbox | CreditPorts | BillingStore>,
  sessions: ReadonlyArray<CheckoutSession>,
  invoices: ReadonlyArray<PaidInvoice> = [],
  since = START
) =>
  Effect.runPromise(
    Effect.gen(function* () {
      yield* told
      const found: Array<PaymentDifference> = []
      const comparison = yield* PaymentComparison
      const counts = yield* comparison.compare({
        since,
        onDifference: (difference) => Effect.sync(() => void found.push(difference))
      })
      expect(counts.differences).toBe(found.length)
      return { counts, found: found.map(({ kind, payment, userId }) => [kind, userId, payment]) }
    }).pipe(
      Effect.provide(
        Layer.mergeAll(PaymentInbox.layer, PaymentComparison.layer).pipe(
          Layer.provideMerge(
            Layer.mergeAll(
              billingInMemory,
              paymentProviderLayer(provider(sessions, invoices)),
              Layer.succeed(Catalog, makeCatalog(WORLD_CATALOG)),
              Logger.layer([])
            )
          )
        ),
        { local: true }
      )
    )
  )

describe("comparing the ledger with the payment provider", () => {
  it("finds nothing where what was paid was given, over all pages", async () => {
    const sessions = Array.from({ length: 230 }, (_, index) => session(`cs_${index}`, `user-${index % 7}`))
    const invoices = [invoice("in_ann", "ann"), invoice("in_bob", "bob")]
    const told = Effect.andThen(Effect.forEach(sessions, bought), Effect.forEach(invoices, paid))
    expect(await compared(told, sessions, invoices)).toEqual({
      counts: {
        sessions: 230,
        invoices: 2,
        charges: 0,
        disputes: 0,
        subscriptions: 0,
        purchases: 230,
        periods: 2,
        differences: 0
      },
      found: []
    })
  })

  it("names what is paid and was not given: of people who are known, and of those who are not", async () => {
    const sessions = [session("cs_1", "ann"), session("cs_2", "bob", { userId: undefined })]
    const invoices = [invoice("in_1", "ann")]
    expect((await compared(Effect.void, sessions, invoices)).found).toEqual([
      ["not-granted", "ann", "cs_1"],
      ["not-granted", undefined, "cs_2"],
      ["not-granted", "ann", "in_1"]
    ])
  })

  it("names a subscription whose first invoice never came, also beside another one of the person", async () => {
    const first = invoice("in_1", "ann")
    const missed = invoice("in_2", "ann", {
      subscriptionId: "sub_second",
      lines: first.lines.map((line) => ({ ...line, subscriptionId: "sub_second" }))
    })
    expect((await compared(paid(first), [], [first, missed])).found).toEqual([["not-granted", "ann", "in_2"]])
  })

  it("names what was given and is not paid, and asks for what began before", async () => {
    const [kept, early, unpaid] = [
      session("cs_kept", "ann"),
      session("cs_early", "ann", { createdAt: START - 1_000 }),
      session("cs_unpaid", "ann")
    ]
    const told = Effect.andThen(
      Effect.forEach([kept, early, unpaid, session("cs_gone", "ann")], bought),
      paid(invoice("in_gone", "bob"))
    )
    const { found } = await compared(told, [kept, early, { ...unpaid, isPaid: false }])
    expect(found).toEqual([
      ["not-paid", "ann", "cs_unpaid"],
      ["not-paid", "ann", "cs_gone"],
      ["not-paid", "bob", "in_gone"]
    ])
  })

  it("names other amounts", async () => {
    const told = Effect.andThen(bought(session("cs_1", "ann")), paid(invoice("in_1", "bob")))
    const { found } = await compared(
      told,
      [session("cs_1", "ann", { amountTotal: 100 })],
      [invoice("in_1", "bob", { amountPaid: 5 })]
    )
    expect(found).toEqual([
      ["amount", "ann", "cs_1"],
      ["amount", "bob", "in_1"]
    ])
  })

  const business = invoice("in_dear", "ann", {
    subscriptionId: "sub_dear",
    lines: invoice("x", "ann").lines.map((line) => ({
      ...line,
      priceId: "price_business",
      subscriptionId: "sub_dear"
    }))
  })
  const cheap = invoice("in_cheap", "ann")
  const change = invoice("in_change", "ann", {
    reason: "update",
    lines: cheap.lines.map((line) => ({ ...line, isProration: true }))
  })

  it("misses nothing of invoices that give no period, nor of a plan that a dearer one has the place of", async () => {
    const told = Effect.forEach([business, cheap, change], paid)
    const second = ["second-subscription", "ann", "sub_ann"]
    expect((await compared(told, [], [business, cheap, change])).found).toEqual([second])
  })

  it("names a paid change of a plan that never came", async () => {
    expect((await compared(paid(cheap), [], [cheap, change])).found).toEqual([["not-granted", "ann", "in_change"]])
  })

  it("names an earlier period that the provider has no invoice of", async () => {
    const later = cheap.lines.map((one) => ({ ...one, periodStart: MONTH, periodEnd: 2 * MONTH - START }))
    const next = invoice("in_next", "ann", { reason: "cycle", lines: later })
    const told = Effect.forEach([cheap, next], paid)
    expect((await compared(told, [], [next])).found).toEqual([["not-paid", "ann", "in_cheap"]])
  })

  it("names an invoice that pays for another period or another price than the stored one", async () => {
    const moved = cheap.lines.map((line) => ({ ...line, periodStart: line.periodStart - 1_000 }))
    const dearer = cheap.lines.map((line) => ({ ...line, priceId: "price_business" }))
    for (const lines of [moved, dearer]) {
      expect((await compared(paid(cheap), [], [{ ...cheap, lines }])).found).toEqual([["plan", "ann", "in_cheap"]])
    }
  })

  it("names subscriptions that are paid for beside the one that gives the plan", async () => {
    const second = { ...invoice("in_second", "ann"), subscriptionId: "sub_second" }
    const lines = second.lines.map((line) => ({ ...line, subscriptionId: "sub_second" }))
    const invoices = [invoice("in_ann", "ann"), { ...second, lines }, invoice("in_bob", "bob")]
    const { found } = await compared(Effect.forEach(invoices, paid), [], invoices)
    expect(found).toEqual([["second-subscription", "ann", "sub_second"]])
  })
})
