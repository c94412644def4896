import { AccessList } from "../../src/sessions/AccessList.ts"
import { SecurityEvents } from "../../src/security/SecurityEvents.ts"
import { Effect, Layer, Logger } from "effect"
import { type CreditPorts, CreditRecords } from "../../src/credits/CreditLedger.ts"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { describe, expect, it } from "vitest"
import { BillingStore } from "../../src/billing/BillingStore.ts"
import { PaymentEventStore } from "../../src/billing/inbox/PaymentEventStore.ts"
import { PaymentObjectNotFound, PaymentUnavailable } from "../../src/billing/errors.ts"
import type { PaymentEvent, SubscriptionStatus } from "../../src/billing/provider/PaymentEvent.ts"
import { paymentProviderLayer, type PaymentProvider } from "../../src/billing/provider/PaymentProvider.ts"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import { CrmRelease } from "../../src/crm/CrmRelease.ts"
import { noCrmLayer } from "../../src/crm/CrmProvider.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { atTime } from "../../src/testing/atTime.ts"
import { neutralProvider } from "../../src/testing/billing/neutralProvider.ts"
import { WORLD_CATALOG } from "../../src/testing/billing/worldCatalog.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { UserService } from "../../src/users/UserService.ts"
import { ordersOf } from "./ordersOf.ts"

const AT = Date.UTC(2027, 0, 10)
const MONTH = Date.UTC(2027, 1, 10)
const user = { userId: "ann", customerId: "cus_1" }

const bought = (id: string, more: object = {}): PaymentEvent => ({
  _tag: "Checkout",
  session: {
    ...user,
    id: `cs_${id}`,
    mode: "one-time",
    priceId: "price_credits",
    subscriptionId: undefined,
    paymentId: `pi_${id}`,
    isPaid: true,
    amountTotal: 990,
    currency: "usd",
    createdAt: AT,
    ...more
  }
})

const invoice = (id: string, subscriptionId: string | undefined, amountPaid = 1_900): PaymentEvent => ({
  _tag: "InvoicePaid",
  invoice: {
    ...user,
    id,
    subscriptionId,
    reason: "create",
    amountPaid,
    currency: "usd",
    lines: [
      {
        priceId: "price_pro",
        subscriptionId,
        periodStart: AT,
        periodEnd: MONTH,
        isProration: false,
        amount: amountPaid,
        quantity: 1
      }
    ],
    createdAt: AT
  }
})

const subscription = (id: string, status: SubscriptionStatus, person = user): PaymentEvent => ({
  _tag: "Subscription",
  subscription: {
    ...person,
    id,
    status,
    items: [{ priceId: "price_pro", periodStart: AT, periodEnd: MONTH }],
    startedAt: AT,
    endsAt: undefined,
    endedAt: status === "ended" ? AT : undefined
  }
})

const refunded = (id: string, amountRefunded: number, invoiceId: string | null = null): PaymentEvent => ({
  _tag: "Charge",
  charge: {
    id: `ch_${id}`,
    paymentId: `pi_${id}`,
    customerId: user.customerId,
    amount: 990,
    amountRefunded,
    currency: "usd",
    invoiceId
  }
})

/** As it is read: with its invoice, and with all that was charged. */
const disputed = (id: string, amount: number, funds: "withdrawn" | "reinstated"): PaymentEvent => ({
  _tag: "Dispute",
  dispute: {
    id: `dp_${id}`,
    chargeId: `ch_${id}`,
    paymentId: `pi_${id}`,
    amount,
    currency: "usd",
    funds,
    whole: 990,
    invoiceId: null
  }
})

let count = 0
const accept = (event: PaymentEvent, createdAt = AT + count) => {
  count += 1
  const customerId = event._tag === "Dispute" ? undefined : user.customerId
  const neutral = { id: `evt_${count}`, kind: event._tag, createdAt, customerId, event }
  return atTime(
    AT + count,
    PaymentInbox.use((inbox) => inbox.accept({ ...neutral, payload: JSON.stringify(neutral) }))
  )
}

/** The requests to a provider. */
interface Asked {
  readonly ended: Array<string>
  readonly closed: Array<string>
  isDown: boolean
}

type Services = BillingStore | PaymentEventStore | CreditPorts | PaymentInbox | UserService

/** Runs work with a provider that records its requests; `ends` runs before a subscription is ended. */
const run = <A, E>(
  work: (asked: Asked) => Effect.Effect<A, E, Services>,
  onEnd: (asked: Asked) => Effect.Effect<void, unknown, Services> = () => Effect.void
) => {
  const asked: Asked = { ended: [], closed: [], isDown: false }
  let services: Layer.Layer<Services> | undefined
  const gateway = {
    ...neutralProvider(),
    closeCheckouts: ({ customerId }) => Effect.sync(() => void asked.closed.push(customerId)),
    endSubscription: (id) =>
      Effect.suspend((): Effect.Effect<void, PaymentUnavailable | PaymentObjectNotFound> => {
        if (asked.isDown) return Effect.fail(new PaymentUnavailable({ operation: "endSubscription", cause: undefined }))
        const isFirst = !asked.ended.includes(id)
        asked.ended.push(id)
        if (!isFirst) return Effect.fail(new PaymentObjectNotFound({ object: "subscription", id }))
        return services === undefined ? Effect.void : Effect.orDie(Effect.provide(onEnd(asked), services))
      })
  } satisfies PaymentProvider
  const layer = Layer.mergeAll(PaymentInbox.layer, UserService.layer).pipe(
    Layer.provide([AccessList.layer, SecurityEvents.layer]),
    Layer.provide(CrmRelease.layer.pipe(Layer.provide(noCrmLayer))),
    Layer.provideMerge(inMemoryStorageLayer),
    Layer.provide([paymentProviderLayer(gateway), Layer.succeed(Catalog, makeCatalog(WORLD_CATALOG))]),
    Layer.provideMerge(Logger.layer([]))
  )
  return Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const built = yield* Layer.build(layer)
        services = Layer.succeedContext(built)
        return yield* Effect.provide(work(asked), built)
      })
    ) as Effect.Effect<A, E>
  )
}

/** A person who bought once, and is erased. */
const erased = Effect.gen(function* () {
  yield* Effect.flatMap(testedLedger, (credits) => credits.open({ userId: "ann", tier: "free", allowance: 100 }))
  yield* accept(bought("first"))
  yield* UserService.use((users) => users.erase("ann"))
})

const owed = Effect.map(
  PaymentEventStore.use((store) => store.list({ state: "owed", userId: undefined, limit: 100, after: undefined })),
  ({ rows }) => rows.map(({ note, payment }) => `${payment}: ${note}`).toSorted()
)

const WHY = "to be refunded: its person was erased"

describe("erasing a person", () => {
  it("closes the open checkout pages of their customer, and asks for none where there is no customer", () =>
    run((asked) =>
      Effect.gen(function* () {
        yield* erased
        expect(asked.closed).toEqual(["cus_1"])
        yield* Effect.flatMap(testedLedger, (credits) => credits.open({ userId: "bob", tier: "free", allowance: 100 }))
        yield* UserService.use((users) => users.erase("bob"))
        expect(asked.closed).toEqual(["cus_1"])
      })
    ))

  it("erases a person of whom only a customer is known, and finds no person without any data", () =>
    run((asked) =>
      Effect.gen(function* () {
        yield* PaymentInbox.use((inbox) => inbox.link({ userId: "bob", customerId: "cus_2", replaces: undefined }))
        const erase = UserService.use((users) => users.erase("bob"))
        expect(yield* erase).toMatchObject({ chats: 0, documents: 0, transactions: 0 })
        expect(asked.closed).toEqual(["cus_2"])
        expect(yield* BillingStore.use((store) => store.account("bob"))).toMatchObject({ customerId: undefined })
        expect(yield* Effect.flip(erase)).toMatchObject({ _tag: "UserNotFound" })
      })
    ))

  it("that finds no person leaves no mark: a person who buys under that id later is served", () =>
    run(() =>
      Effect.gen(function* () {
        const erase = UserService.use((users) => users.erase("ann"))
        expect(yield* Effect.flip(erase)).toMatchObject({ _tag: "UserNotFound" })
        expect(yield* accept(bought("first"))).toMatchObject({ state: "applied" })
      })
    ))

  it("ends a subscription too that became known while another one was ended", () =>
    run(
      (asked) =>
        Effect.gen(function* () {
          yield* Effect.flatMap(testedLedger, (credits) =>
            credits.open({ userId: "ann", tier: "free", allowance: 100 })
          )
          yield* accept(invoice("in_1", "sub_1"))
          yield* UserService.use((users) => users.erase("ann"))
          expect(asked.ended).toEqual(["sub_1", "sub_2"])
          expect(yield* Effect.flip(CreditRecords.use((ledger) => ledger.account("ann")))).toMatchObject({
            _tag: "AccountNotFound"
          })
        }),
      ({ ended }) => (ended.length === 1 ? Effect.asVoid(accept(invoice("in_2", "sub_2"))) : Effect.void)
    ))
})

describe("what is paid after a person was erased", () => {
  it("is owed: credits that were bought, and an invoice of a plan, whose subscription is ended", () =>
    run((asked) =>
      Effect.gen(function* () {
        yield* erased
        expect(yield* accept(bought("late"))).toMatchObject({ state: "owed", note: WHY })
        expect(yield* accept(subscription("sub_9", "incomplete"))).toMatchObject({ state: "ignored" })
        expect(yield* accept(invoice("in_9", "sub_9"))).toMatchObject({ state: "owed", note: WHY })
        expect(
          yield* accept(bought("plan", { mode: "subscription", subscriptionId: "sub_8", paymentId: undefined }))
        ).toMatchObject({ state: "ignored" })
        expect(yield* accept(subscription("sub_7", "ended"))).toMatchObject({ state: "ignored" })
        // The checkout of a one-time purchase contains it.
        expect(yield* accept(invoice("in_late", undefined))).toMatchObject({ state: "ignored" })
        expect(yield* accept(bought("free", { amountTotal: 0, paymentId: undefined }))).toMatchObject({
          state: "ignored"
        })
        expect(yield* accept(bought("unpaid", { isPaid: false }))).toMatchObject({ state: "ignored" })
        expect([...new Set(asked.ended)].toSorted()).toEqual(["sub_8", "sub_9"])
        expect(yield* owed).toEqual([`invoice:in_9: ${WHY}`, `payment:pi_late: ${WHY}`])
        expect(yield* Effect.flip(CreditRecords.use((ledger) => ledger.account("ann")))).toMatchObject({
          _tag: "AccountNotFound"
        })
      })
    ))

  it("is owed until all of it is refunded, in either order of the events", async () => {
    const story = [bought("late"), refunded("late", 400), refunded("late", 990)]
    for (const order of ordersOf(story)) {
      await run(() =>
        Effect.gen(function* () {
          yield* erased
          for (const event of order) yield* accept(event, AT + story.indexOf(event))
          expect(yield* owed).toEqual([])
        })
      )
    }
    await run(() =>
      Effect.gen(function* () {
        yield* erased
        yield* accept(invoice("in_9", "sub_9"))
        yield* accept(bought("late"))
        yield* accept(refunded("late", 400))
        expect(yield* owed).toEqual([`invoice:in_9: ${WHY}`, `payment:pi_late: ${WHY}`])
        yield* accept(refunded("x", 990, "in_9"))
        expect(yield* owed).toEqual([`payment:pi_late: ${WHY}`])
      })
    )
  })

  it("is owed until its bank takes all of it back, also if the dispute comes first, and not for a dispute of a part", async () => {
    for (const order of ordersOf([bought("late"), disputed("late", 990, "withdrawn")])) {
      await run(() =>
        Effect.gen(function* () {
          yield* erased
          for (const event of order) yield* accept(event)
          expect(yield* owed).toEqual([])
        })
      )
    }
    await run(() =>
      Effect.gen(function* () {
        yield* erased
        yield* accept(bought("late"))
        expect(yield* accept(disputed("late", 989, "withdrawn"))).toMatchObject({ state: "ignored" })
        expect(yield* owed).toEqual([`payment:pi_late: ${WHY}`])
      })
    )
  })

  it("is owed again if its refund fails or its dispute is won, unless it was given back otherwise", () =>
    run(() =>
      Effect.gen(function* () {
        yield* erased
        yield* accept(bought("late"))
        const again = ["payment:pi_late: to be refunded: what was given back has come back"]
        yield* accept(refunded("late", 990))
        yield* accept(refunded("late", 0))
        expect(yield* owed).toEqual(again)
        yield* accept(disputed("late", 990, "withdrawn"))
        expect(yield* owed).toEqual([])
        yield* accept(disputed("late", 990, "reinstated"))
        expect(yield* owed).toEqual(again)
        yield* accept(refunded("late", 990))
        yield* accept(disputed("late", 990, "withdrawn"))
        yield* accept(disputed("late", 990, "reinstated"))
        expect(yield* owed).toEqual([])
      })
    ))

  it("waits for the end of its subscription: nothing of the event is kept while the provider does not answer", () =>
    run((asked) =>
      Effect.gen(function* () {
        yield* erased
        asked.isDown = true
        expect(yield* Effect.flip(accept(invoice("in_9", "sub_9")))).toMatchObject({ _tag: "PaymentUnavailable" })
        expect(yield* owed).toEqual([])
        asked.isDown = false
        expect(yield* accept(invoice("in_9", "sub_9"))).toMatchObject({ state: "owed" })
        expect(asked.ended).toEqual(["sub_9"])
      })
    ))

  it("is theirs also by what they alone name, with what had waited for it", () =>
    run((asked) =>
      Effect.gen(function* () {
        yield* erased
        const stranger = { userId: undefined, customerId: "cus_2" }
        const unnamed = subscription("sub_2", "active", stranger as never)
        expect(yield* accept(unnamed)).toMatchObject({ state: "waiting" })
        expect(yield* accept(bought("other", { customerId: "cus_2" }))).toMatchObject({ state: "owed" })
        expect(asked.ended).toEqual(["sub_2"])
        const left = yield* PaymentEventStore.use((store) =>
          store.list({ state: "waiting", userId: undefined, limit: 10, after: undefined })
        )
        expect(left.rows).toEqual([])
      })
    ))
})
