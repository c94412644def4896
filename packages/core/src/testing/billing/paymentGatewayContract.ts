import { Clock, Effect, Exit, type Scope, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { CheckoutInput } from "../../billing/provider/PaymentGateway.ts"
import type { PaymentProvider } from "../../billing/provider/PaymentProvider.ts"
import type { ReceivedPaymentEvent } from "../../billing/provider/PaymentEvent.ts"

/** A gateway, and the acts that a test can perform at its provider. */
export interface StagedGateway {
  readonly gateway: PaymentProvider
  /** A price for subscriptions, and one for one-time purchases. */
  readonly subscriptionPrice: string
  readonly oneTimePrice: string
  /**
   * Completes a checkout page as a person does, with a valid means of payment; undefined if the stage cannot do that.
   */
  readonly pay: ((sessionId: string) => Effect.Effect<void>) | undefined
  /** Returns the payment of an invoice; undefined if the stage cannot find payments. */
  readonly paymentOf?: (invoiceId: string) => Effect.Effect<string>
  /** Returns the header with which the provider would sign a body, at a time in Unix milliseconds. */
  readonly sign: (payload: Uint8Array, at: number, secret?: "right" | "wrong") => Effect.Effect<string>
}

export interface GatewayStage {
  /**
   * Returns a provider of its own for each call, or at least a provider in which objects of other tests are not
   * visible.
   */
  readonly stage: Effect.Effect<StagedGateway, never, Scope.Scope>
  /**
   * The limits of a provider that was made for tests by others: it forgets objects that were created earlier
   * (`memory`), never reports that an object does not exist (`absence`), or has neither pages nor invoices (`pages`).
   */
  readonly lacks?: ReadonlyArray<"memory" | "absence" | "pages">
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Tests the guarantees of a `PaymentGateway`. `stage` is opened for each test, and closed after it. */
export const paymentGatewayContract = (name: string, { lacks = [], stage }: GatewayStage): void => {
  /** Defines only the tests that a stage can run, so that no test is skipped. */
  const where = (part: "memory" | "absence" | "pages") => (lacks.includes(part) ? () => undefined : it)
  const run = <A, E>(work: (staged: StagedGateway) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(stage, work)))
  const newUser = () => `user-${crypto.randomUUID()}`

  /** Makes a customer, and a checkout link for the customer. */
  const opened = (
    { gateway, oneTimePrice, subscriptionPrice }: StagedGateway,
    mode: CheckoutInput["mode"],
    userId = newUser()
  ) =>
    Effect.gen(function* () {
      const { customerId } = yield* gateway.createCustomer({
        userId,
        email: "ann@example.com",
        idempotencyKey: `customer:${userId}`
      })
      const priceId = mode === "subscription" ? subscriptionPrice : oneTimePrice
      const link = yield* gateway.checkoutSession({
        customerId,
        userId,
        priceId,
        mode,
        successUrl: "https://parley.example/done",
        cancelUrl: "https://parley.example/plans",
        idempotencyKey: crypto.randomUUID()
      })
      return { customerId, userId, priceId, ...link }
    })

  /** Returns the events at the provider so far. */
  const eventsOf = ({ gateway }: StagedGateway) =>
    Stream.runCollect(gateway.events({ since: 0 })).pipe(
      Effect.map((events): ReadonlyArray<ReceivedPaymentEvent> => [...events])
    )

  describe(`PaymentGateway: ${name}`, () => {
    where("pages")("opens a portal page and a checkout page for a customer", () =>
      run((staged) =>
        Effect.gen(function* () {
          const { customerId, sessionId, url } = yield* opened(staged, "subscription")
          expect(customerId).not.toBe("")
          expect(sessionId).not.toBe("")
          expect(new URL(url).protocol).toMatch(/^https?:$/)
          const portal = yield* staged.gateway.portalSession({ customerId, returnUrl: "https://parley.example/plans" })
          expect(new URL(portal.url).protocol).toMatch(/^https?:$/)
        })
      )
    )

    where("memory")("creates one customer for one key, also when calls race", () =>
      run(({ gateway }) =>
        Effect.gen(function* () {
          const userId = newUser()
          const create = gateway.createCustomer({ userId, email: undefined, idempotencyKey: `customer:${userId}` })
          const created = yield* Effect.all([create, create, create], { concurrency: "unbounded" })
          expect(new Set(created.map(({ customerId }) => customerId)).size).toBe(1)
          const other = yield* gateway.createCustomer({ userId, email: undefined, idempotencyKey: "customer:other" })
          expect(created[0]?.customerId).not.toBe(other.customerId)
        })
      )
    )

    where("absence")("says which object it has not got", () =>
      run(({ gateway, subscriptionPrice }) =>
        Effect.gen(function* () {
          const kept = [gateway.subscription("sub_none"), gateway.charge("ch_none")]
          const onPages = [
            gateway.session("cs_none"),
            gateway.paidInvoice("in_none"),
            gateway.portalSession({ customerId: "cus_none", returnUrl: "https://parley.example" }),
            gateway.invoices({ customerId: "cus_none", limit: 10 }),
            gateway.checkoutSession({
              customerId: "cus_none",
              userId: "ann",
              priceId: subscriptionPrice,
              mode: "subscription",
              successUrl: "https://parley.example/done",
              cancelUrl: "https://parley.example/plans",
              idempotencyKey: crypto.randomUUID()
            })
          ]
          for (const call of lacks.includes("pages") ? kept : [...kept, ...onPages]) {
            expect(yield* Effect.flip(call as Effect.Effect<unknown, unknown>)).toMatchObject({
              _tag: "PaymentObjectNotFound"
            })
          }
        })
      )
    )

    it("returns the amounts of prices, without those that it does not know", () =>
      run(({ gateway, oneTimePrice, subscriptionPrice }) =>
        Effect.gen(function* () {
          const offers = yield* gateway.prices([subscriptionPrice, "price_none", oneTimePrice])
          const byId = new Map(offers.map((offer) => [offer.priceId, offer]))
          expect(byId.get(subscriptionPrice)?.every?.count).toBeGreaterThan(0)
          expect(byId.get(oneTimePrice)).toBeDefined()
          expect(byId.get(oneTimePrice)?.every).toBeUndefined()
        })
      ))

    it("accepts an event that the provider signed just now, and no other bytes, secret or time", () =>
      run(({ gateway, sign }) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const text = JSON.stringify({
            id: "evt_signed",
            object: "event",
            type: "product.created",
            created: Math.floor(now / 1_000),
            data: { object: { id: "prod_1", object: "product", name: "Zeichen: ä \u2028" } }
          })
          const payload = bytes(text)
          const signature = yield* sign(payload, now)
          const event = yield* gateway.verify({ payload, signature, receivedAt: now })
          expect(event).toMatchObject({ id: "evt_signed", kind: "product.created", payload: text })
          expect(event.event).toEqual({ _tag: "Other" })
          expect(yield* gateway.read(text)).toEqual(event)

          const refused = [
            { payload, signature: undefined, receivedAt: now },
            { payload, signature: "", receivedAt: now },
            { payload, signature: "nonsense", receivedAt: now },
            { payload, signature: yield* sign(payload, now, "wrong"), receivedAt: now },
            { payload: bytes(` ${text}`), signature, receivedAt: now },
            { payload: bytes(JSON.stringify(JSON.parse(text), null, 2)), signature, receivedAt: now },
            { payload, signature, receivedAt: now + 301_000 },
            { payload: new Uint8Array(), signature, receivedAt: now }
          ]
          for (const input of refused) {
            expect(yield* Effect.flip(gateway.verify(input))).toMatchObject({ _tag: "InvalidSignature" })
          }
          expect(yield* gateway.verify({ payload, signature, receivedAt: now + 299_000 })).toEqual(event)
        })
      ))

    it("takes any one right signature of several, as while a secret is changed", () =>
      run(({ gateway, sign }) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const text = `{"id":"evt_two","object":"event","type":"a.b","created":1,"data":{"object":{}}}`
          const payload = bytes(text)
          const [time, right] = (yield* sign(payload, now)).split(",")
          const [, wrong] = (yield* sign(payload, now, "wrong")).split(",")
          const verify = (signature: string) => gateway.verify({ payload, signature, receivedAt: now })
          expect(yield* verify([time, wrong, right].join(","))).toMatchObject({ id: "evt_two" })
          expect(yield* Effect.flip(verify([time, wrong, wrong].join(",")))).toMatchObject({ problem: "mismatch" })
          // Only signatures of the current scheme are valid.
          expect(yield* Effect.flip(verify(`${time},${right?.replace("v1=", "v0=")}`))).toMatchObject({
            _tag: "InvalidSignature"
          })
        })
      ))

    it("reports a paid subscription: its checkout, its first invoice and itself", () =>
      run((staged) =>
        Effect.gen(function* () {
          if (staged.pay === undefined) return
          const { customerId, priceId, sessionId, userId } = yield* opened(staged, "subscription")
          yield* staged.pay(sessionId)
          const session = yield* staged.gateway.session(sessionId)
          expect(session).toMatchObject({ mode: "subscription", isPaid: true, customerId, userId, priceId })
          const subscriptionId = session.subscriptionId ?? ""
          const subscription = yield* staged.gateway.subscription(subscriptionId)
          expect(subscription).toMatchObject({ id: subscriptionId, customerId, userId, status: "active" })
          const [item] = subscription.items
          expect(item).toMatchObject({ priceId })
          expect(item?.periodEnd).toBeGreaterThan(item?.periodStart ?? Infinity)

          const events = (yield* eventsOf(staged)).map(({ event }) => event)
          expect(events).toContainEqual({ _tag: "Checkout", session })
          const invoices = events.flatMap((event) => (event._tag === "InvoicePaid" ? [event.invoice] : []))
          expect(invoices).toHaveLength(1)
          expect(invoices[0]).toMatchObject({ customerId, subscriptionId, userId, reason: "create" })
          expect(invoices[0]?.lines).toContainEqual({
            priceId,
            subscriptionId,
            periodStart: item?.periodStart,
            periodEnd: item?.periodEnd,
            isProration: false,
            amount: invoices[0]?.amountPaid,
            quantity: 1
          })
          // A charge of the payment leads to the invoice that it paid.
          if (staged.paymentOf !== undefined) {
            const payment = yield* staged.paymentOf(invoices[0]?.id ?? "")
            expect(yield* staged.gateway.paymentInvoice(payment)).toBe(invoices[0]?.id)
          }
          expect(yield* staged.gateway.paidInvoice(invoices[0]?.id ?? "")).toEqual(invoices[0])
          const kept = yield* staged.gateway.invoices({ customerId, limit: 10 })
          expect(kept.map(({ id }) => id)).toEqual([invoices[0]?.id])
        })
      ))

    it("closes the open checkout pages of a customer, and no paid page", () =>
      run((staged) =>
        Effect.gen(function* () {
          if (staged.pay === undefined) return
          const { pay } = staged
          const paid = yield* opened(staged, "one-time")
          yield* pay(paid.sessionId)
          const { customerId, userId } = paid
          const page = (mode: "subscription" | "one-time") =>
            staged.gateway.checkoutSession({
              customerId,
              userId,
              priceId: mode === "subscription" ? staged.subscriptionPrice : staged.oneTimePrice,
              mode,
              successUrl: "https://parley.example/done",
              cancelUrl: "https://parley.example/plans",
              idempotencyKey: crypto.randomUUID()
            })
          const isOpen = ({ sessionId }: { readonly sessionId: string }) =>
            Effect.map(Effect.exit(pay(sessionId)), Exit.isSuccess)
          const plan = yield* page("subscription")
          const credits = yield* page("one-time")
          yield* staged.gateway.closeCheckouts({ customerId, mode: "subscription" })
          expect(yield* isOpen(plan)).toBe(false)
          expect(yield* isOpen(credits)).toBe(true)
          const others = [yield* page("one-time"), yield* page("subscription")]
          yield* staged.gateway.closeCheckouts({ customerId })
          yield* staged.gateway.closeCheckouts({ customerId })
          expect(yield* Effect.all(others.map(isOpen))).toEqual([false, false])
          expect(yield* staged.gateway.session(paid.sessionId)).toMatchObject({ isPaid: true })
          yield* staged.gateway.closeCheckouts({ customerId: "cus_none" })
        })
      ))

    it("ends a subscription at once, and once", () =>
      run((staged) =>
        Effect.gen(function* () {
          if (staged.pay === undefined) return
          const { sessionId } = yield* opened(staged, "subscription")
          yield* staged.pay(sessionId)
          const id = (yield* staged.gateway.session(sessionId)).subscriptionId ?? ""
          const listed = Effect.map(Stream.runCollect(staged.gateway.records({ since: 0 })), (records) =>
            [...records].some((record) => record._tag === "Subscription" && record.id === id)
          )
          expect(yield* listed).toBe(true)
          yield* staged.gateway.endSubscription(id)
          expect(yield* staged.gateway.subscription(id)).toMatchObject({ status: "ended" })
          expect(yield* listed).toBe(false)
          const again = yield* Effect.flip(staged.gateway.endSubscription(id))
          expect(again).toMatchObject({ _tag: "PaymentObjectNotFound", object: "subscription" })
        })
      ))

    it("reports something bought once, by the payment that its refunds name", () =>
      run((staged) =>
        Effect.gen(function* () {
          if (staged.pay === undefined) return
          const { customerId, priceId, sessionId, userId } = yield* opened(staged, "one-time")
          yield* staged.pay(sessionId)
          const session = yield* staged.gateway.session(sessionId)
          expect(session).toMatchObject({ mode: "one-time", isPaid: true, customerId, userId, priceId })
          expect(session.paymentId).toBeDefined()
          expect(yield* staged.gateway.paymentInvoice(session.paymentId ?? "")).toBeUndefined()
          expect(session.amountTotal).toBeGreaterThan(0)
          const records = yield* Stream.runCollect(staged.gateway.records({ since: 0 }))
          expect([...records]).toContainEqual({ _tag: "Checkout", id: session.id, session })
          const charges = [...records].flatMap((record) => (record._tag === "Charge" ? [record.charge] : []))
          expect(charges).toContainEqual(
            expect.objectContaining({
              paymentId: session.paymentId,
              customerId,
              priceId,
              amount: session.amountTotal,
              amountRefunded: 0,
              currency: session.currency
            })
          )
        })
      ))

    it("reads each event again from its text as it was", () =>
      run((staged) =>
        Effect.gen(function* () {
          if (staged.pay === undefined) return
          const { sessionId } = yield* opened(staged, "subscription")
          yield* staged.pay(sessionId)
          const events = yield* eventsOf(staged)
          expect(events.length).toBeGreaterThan(2)
          for (const event of events) expect(yield* staged.gateway.read(event.payload)).toEqual(event)
        })
      ))
  })
}
