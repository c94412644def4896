import { createHmac } from "node:crypto"
import { InvalidSignature, PaymentRefused, PaymentUnavailable } from "@parley/core/adapter"
import { noPayments } from "@parley/core/effect"
import { PaymentEventStore, type ReceivedPaymentEvent, StorageFailed, type PaymentProvider } from "@parley/core/adapter"
import { neutralProvider } from "@parley/core/testing"
import { openInMemory } from "@parley/core"
import { Effect } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { openRaw, rawPost } from "./support/openRaw.ts"
import { cookieFor, startServer, type TestServer, type TestServerOptions } from "./support/startServer.ts"

const SIGNED = "payments of the tests"
const signatureOf = (bytes: Uint8Array | string) => createHmac("sha256", SIGNED).update(bytes).digest("hex")

const config = {
  tiers: { pro: { monthlyCredits: 1_000 } },
  prices: { price_pro: { tier: "pro" }, price_credits: { topup: 700 } }
}

/** A provider that signs, counts its customers and knows one that was deleted. */
const provider = () => {
  const created: Array<string> = []
  const portals: Array<{ readonly customerId: string; readonly returnUrl: string }> = []
  const customers = new Map<string, string>()
  const gateway = {
    ...neutralProvider(),
    createCustomer: ({ idempotencyKey }) =>
      Effect.gen(function* () {
        yield* Effect.yieldNow
        const before = customers.get(idempotencyKey)
        if (before !== undefined) return { customerId: before }
        created.push(idempotencyKey)
        const customerId = `cus_${created.length}`
        customers.set(idempotencyKey, customerId)
        return { customerId }
      }),
    portalSession: ({ customerId, returnUrl }) =>
      Effect.sync(() => {
        portals.push({ customerId, returnUrl })
        return { url: `https://pay.example/${customerId}` }
      }),
    invoices: ({ customerId }) =>
      Effect.succeed([
        {
          id: "in_1",
          amount: 12.5,
          currency: "usd",
          status: "paid",
          createdAt: Date.UTC(2027, 0, 31),
          invoiceUrl: `https://pay.example/${customerId}/in_1`,
          description: undefined
        }
      ]),
    verify: ({ payload, signature }) =>
      signature === signatureOf(payload)
        ? neutralProvider().verify({ payload, signature, receivedAt: 0 })
        : Effect.fail(new InvalidSignature({ problem: "mismatch" }))
  } satisfies PaymentProvider
  return { gateway, created, portals }
}

let server: TestServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const start = async (payments: PaymentProvider | undefined, more: TestServerOptions["parley"] = {}) => {
  server = await startServer({ parley: { config, ...(payments === undefined ? {} : { payments }), ...more } })
  return server
}

const checkout = (id: string, changes: object = {}): string =>
  JSON.stringify(
    {
      id,
      kind: "checkout.session.completed",
      createdAt: Date.UTC(2027, 0, 31),
      customerId: "cus_9",
      event: {
        _tag: "Checkout",
        session: {
          id: `cs_${id}`,
          mode: "one-time",
          customerId: "cus_9",
          userId: "ann",
          priceId: "price_credits",
          paymentId: `pi_${id}`,
          isPaid: true,
          amountTotal: 990,
          currency: "usd",
          createdAt: 0,
          ...changes
        }
      } satisfies object
    } satisfies Partial<Omit<ReceivedPaymentEvent, "event">> & { readonly event: object },
    null,
    1
  )

const hook = (to: TestServer, body: string, headers: Readonly<Record<string, string>>) =>
  to.fetch("/api/webhooks/payment", {
    method: "POST",
    body,
    headers: { "content-type": "application/json", ...headers }
  })

const topupOf = async (to: TestServer, user: string) =>
  ((await (await to.fetch("/api/billing/balance", { user })).json()) as { readonly topup: number }).topup

describe("without a payment provider", () => {
  test("portal, invoices and webhook say that payments are not configured", async () => {
    const to = await start(undefined)
    const portal = await to.fetch("/api/billing/portal", { method: "POST", user: "ann" })
    await expectProblem(portal, 503, "payments_not_configured")
    await expectProblem(await hook(to, "{}", { "payment-signature": "x" }), 503, "payments_not_configured")
    await expectProblem(await to.fetch("/api/billing/portal", { method: "POST" }), 401, "unauthorized")
  })
})

describe("the portal", () => {
  test("gives a person one customer, also when calls race, and leads back here", async () => {
    const { created, gateway, portals } = provider()
    const to = await start(gateway)
    const open = () => to.fetch("/api/billing/portal", { method: "POST", user: "ann" })
    const answers = await Promise.all([open(), open(), open(), open()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await answers[0]?.json()).toEqual({ url: "https://pay.example/cus_1" })
    await open()
    expect(created).toEqual(["customer:ann"])
    expect(new Set(portals.map(({ customerId }) => customerId))).toEqual(new Set(["cus_1"]))
    expect(new URL(portals[0]?.returnUrl ?? "").pathname).toBe("/")
  })

  test("leads back to the configured address, else to a Host that is this machine, and to no other", async () => {
    const { gateway, portals } = provider()
    const openFrom = async (to: TestServer, host: string) => {
      const connection = await openRaw(to.port)
      const headers = { host, cookie: await cookieFor("ann"), connection: "close" }
      connection.socket.write(rawPost("/api/billing/portal", headers, ""))
      await connection.closed
      return connection.received()
    }
    const to = await start(gateway)
    for (const host of ["evil.example", "localhost.evil.example", "localhost@evil.example", "127.0.0.1/evil"]) {
      expect(await openFrom(to, host)).toMatch(/^HTTP\/1.1 (503|400) /)
    }
    expect(portals).toEqual([])
    expect(await openFrom(to, `localhost:${to.port}`)).toMatch(/^HTTP\/1.1 200 /)
    await to.close()
    server = await startServer({
      parley: { config, payments: gateway },
      app: { baseUrl: "http://chat.example/parley" }
    })
    await openFrom(server, "evil.example")
    expect(portals.map(({ returnUrl }) => returnUrl)).toEqual([
      `http://localhost:${to.port}/`,
      "http://chat.example/parley/"
    ])
  })

  test("answers 502 while the provider is down, and nothing is half done", async () => {
    const { gateway } = provider()
    let isDown = true
    const down = Effect.suspend(() =>
      Effect.fail(new PaymentUnavailable({ operation: "createCustomer", retryAfterMs: 2_000, cause: "vendor text" }))
    )
    const to = await start({
      ...gateway,
      createCustomer: (input) => (isDown ? down : gateway.createCustomer(input))
    })
    const open = () => to.fetch("/api/billing/portal", { method: "POST", user: "ann" })
    const refused = await open()
    expect(refused.headers.get("retry-after")).toBe("2")
    expect(await refused.clone().text()).not.toContain("vendor text")
    await expectProblem(refused, 502, "payment_provider_unavailable")
    isDown = false
    expect((await open()).status).toBe(200)
  })
})

const bodyOf = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>

/** A subscription to the plan, as a provider reports it that was paid. */
const subscribed = (id: string, changes: object = {}): string =>
  JSON.stringify({
    id,
    kind: "invoice.paid",
    createdAt: Date.UTC(2027, 0, 31),
    customerId: "cus_1",
    event: {
      _tag: "InvoicePaid",
      invoice: {
        id: `in_${id}`,
        customerId: "cus_1",
        subscriptionId: "sub_1",
        userId: "ann",
        reason: "create",
        amountPaid: 2_000,
        currency: "usd",
        lines: [
          {
            priceId: "price_pro",
            subscriptionId: "sub_1",
            periodStart: Date.UTC(2027, 0, 31),
            periodEnd: Date.UTC(2027, 1, 28),
            isProration: false,
            amount: 2_000,
            quantity: 1,
            ...changes
          }
        ],
        createdAt: Date.UTC(2027, 0, 31)
      }
    }
  })

describe("plans", () => {
  const prices = (asked: Array<ReadonlyArray<string>> = []) => ({
    ...provider().gateway,
    prices: (ids: ReadonlyArray<string>) =>
      Effect.sync(() => {
        asked.push(ids)
        return [
          { priceId: "price_pro", amount: 20, currency: "usd", every: { unit: "month" as const, count: 1 } },
          { priceId: "price_credits", amount: undefined, currency: "jpy", every: undefined }
        ]
      })
  })

  test("say what they include and cost, and the provider is asked once for many readers", async () => {
    const asked: Array<ReadonlyArray<string>> = []
    const to = await start(prices(asked))
    const read = async (user: string) => bodyOf(await to.fetch("/api/billing/plans", { user }))
    const [one, other] = await Promise.all([read("ann"), read("bob")])
    expect(one).toEqual(other)
    expect(asked).toEqual([["price_pro", "price_credits"]])
    expect(one).toMatchObject({
      plans: [
        { id: "free", prices: [] },
        {
          id: "pro",
          name: "Pro",
          monthlyCredits: 1_000,
          prices: [{ priceId: "price_pro", amount: 20, currency: "usd", every: { unit: "month", count: 1 } }]
        },
        { id: "business", prices: [] }
      ],
      credits: [{ credits: 700, priceId: "price_credits", amount: null, currency: "jpy", every: null }]
    })
  })

  test("have no prices if nothing is sold, or while the provider does not answer, which is said", async () => {
    const nothingSold = await bodyOf(await (await start(undefined)).fetch("/api/billing/plans", { user: "ann" }))
    const noPrices = { plans: [{ prices: [] }, { prices: [] }, { prices: [] }], credits: [] }
    expect(nothingSold).toMatchObject({ ...noPrices, pricesUnavailable: false })
    await server?.close()
    const sold = { priceId: "price_pro", amount: 20, currency: "usd", every: undefined }
    const down = Effect.fail(new PaymentUnavailable({ operation: "prices", cause: "vendor text" }))
    let answer: Effect.Effect<ReadonlyArray<typeof sold>, PaymentUnavailable> = down
    const to = await start({ ...provider().gateway, prices: () => Effect.suspend(() => answer) })
    const read = async () => bodyOf(await to.fetch("/api/billing/plans", { user: "ann" }))
    expect(await read()).toMatchObject({ ...noPrices, pricesUnavailable: true })
    answer = Effect.never
    expect(await read()).toMatchObject({ ...noPrices, pricesUnavailable: true })
    answer = Effect.succeed([sold])
    expect(await read()).toMatchObject({ plans: [{}, { prices: [{ amount: 20 }] }, {}], pricesUnavailable: false })
  })

  test("are 502 if the provider refuses this server, which an operator has to repair", async () => {
    const refused = new PaymentRefused({ operation: "prices", reason: "invalid key", cause: "vendor text" })
    const to = await start({ ...provider().gateway, prices: () => Effect.fail(refused) })
    await expectProblem(await to.fetch("/api/billing/plans", { user: "ann" }), 502, "payment_provider_refused")
  })
})

describe("the subscription", () => {
  test("is returned with its plan, price and dates, and is null without one", async () => {
    const to = await start(provider().gateway)
    const read = async (user: string) => bodyOf(await to.fetch("/api/billing/subscription", { user }))
    expect(await read("ann")).toEqual({ customerId: null, subscription: null, others: [] })
    const text = subscribed("evt_1", { periodEnd: Date.UTC(2028, 0, 31) })
    expect((await hook(to, text, { "payment-signature": signatureOf(text) })).status).toBe(200)
    expect(await read("ann")).toEqual({
      customerId: "cus_1",
      subscription: {
        id: "sub_1",
        tier: "pro",
        nextTier: null,
        priceId: "price_pro",
        status: "active",
        givesMonthly: true,
        paidUntil: "2028-01-31T00:00:00.000Z",
        endsAt: null
      },
      others: []
    })
    expect(await read("bob")).toEqual({ customerId: null, subscription: null, others: [] })
  })
})

describe("checkout", () => {
  const listening = () => {
    const links: Array<{ readonly successUrl: string; readonly cancelUrl: string }> = []
    const { gateway } = provider()
    const checkoutSession: typeof gateway.checkoutSession = (input) =>
      Effect.andThen(
        Effect.sync(() => links.push({ successUrl: input.successUrl, cancelUrl: input.cancelUrl })),
        gateway.checkoutSession(input)
      )
    return { links, gateway: { ...gateway, checkoutSession } }
  }
  const buy = (to: TestServer, body: object, user = "ann") => to.post("/api/billing/checkout", body, user)

  test("leads back to the page of this server that was named, and says there what became of it", async () => {
    const { gateway, links } = listening()
    const to = await start(gateway)
    const answer = await buy(to, { priceId: "price_credits", mode: "one-time", returnTo: "/billing?from=%2Fchats%2F1" })
    expect((await bodyOf(answer))["url"]).toMatch(/^https:\/\/pay\.example\/checkout\//)
    await buy(to, { priceId: "price_pro", mode: "subscription" })
    const back = (text: string | undefined) => (text ?? "").replace(/^http:\/\/[^/]+/, "")
    expect(links.map(({ cancelUrl, successUrl }) => [back(successUrl), back(cancelUrl)])).toEqual([
      ["/billing?from=%2Fchats%2F1&checkout=success", "/billing?from=%2Fchats%2F1&checkout=cancelled"],
      ["/?checkout=success", "/?checkout=cancelled"]
    ])
  })

  test.each(["//evil.example/", "/\\evil.example", "https://evil.example/", "evil", "", "/a\nb", "/é"])(
    "leads no person to %j, nor does the portal",
    async (returnTo) => {
      const { gateway, links } = listening()
      const to = await start(gateway)
      await expectProblem(
        await buy(to, { priceId: "price_credits", mode: "one-time", returnTo }),
        400,
        "invalid_request"
      )
      const portal = `/api/billing/portal?${new URLSearchParams({ returnTo })}`
      await expectProblem(await to.fetch(portal, { method: "POST", user: "ann" }), 400, "invalid_request")
      expect(links).toEqual([])
    }
  )

  test("refuses a price that is not on sale, a mode that does not fit, and a second plan beside the first", async () => {
    const { gateway, links } = listening()
    const to = await start(gateway)
    await expectProblem(await buy(to, { priceId: "price_x", mode: "one-time" }), 422, "price_not_offered")
    await expectProblem(await buy(to, { priceId: "price_pro", mode: "one-time" }), 422, "price_not_offered")
    await expectProblem(await buy(to, { priceId: "price_pro", mode: "gift" }), 400, "invalid_request")
    const text = subscribed("evt_1")
    await hook(to, text, { "payment-signature": signatureOf(text) })
    await expectProblem(await buy(to, { priceId: "price_pro", mode: "subscription" }), 409, "already_subscribed")
    expect(links).toEqual([])
    expect((await buy(to, { priceId: "price_credits", mode: "one-time" })).status).toBe(200)
    expect((await buy(to, { priceId: "price_pro", mode: "subscription" }, "bob")).status).toBe(200)
  })

  test("says that payments are not configured where they are not", async () => {
    const to = await start(undefined)
    const answer = await buy(to, { priceId: "price_credits", mode: "one-time" })
    await expectProblem(answer, 503, "payments_not_configured")
  })
})

describe("invoices", () => {
  test("are given for the person's own customer alone", async () => {
    const { gateway } = provider()
    const asked: Array<string> = []
    const to = await start({
      ...gateway,
      invoices: (input) =>
        Effect.andThen(
          Effect.sync(() => asked.push(input.customerId)),
          gateway.invoices(input)
        )
    })
    const list = (customerId: string | undefined, user = "ann") =>
      to.fetch(`/api/billing/invoices${customerId === undefined ? "" : `?customerId=${customerId}`}`, { user })
    await expectProblem(await list(undefined), 400, "invalid_request")
    await expectProblem(await list(""), 400, "invalid_request")
    await expectProblem(await list("cus_1"), 404, "customer_not_found")
    await to.fetch("/api/billing/portal", { method: "POST", user: "ann" })
    await expectProblem(await list("cus_1", "bob"), 404, "customer_not_found")
    expect(asked).toEqual([])
    expect(await (await list("cus_1")).json()).toEqual({
      invoices: [
        {
          id: "in_1",
          amount: 12.5,
          currency: "usd",
          status: "paid",
          date: "2027-01-31T00:00:00.000Z",
          invoiceUrl: "https://pay.example/cus_1/in_1",
          description: null
        }
      ]
    })
  })
})

describe("the webhook", () => {
  test("takes the very bytes that were signed, under either header, and each event once", async () => {
    const to = await start(provider().gateway)
    const text = checkout("evt_1")
    for (const header of ["payment-signature", "stripe-signature", "stripe-signature"]) {
      const taken = await hook(to, text, { [header]: signatureOf(text) })
      expect({ status: taken.status, body: await taken.json() }).toEqual({ status: 200, body: { received: true } })
    }
    expect(await topupOf(to, "ann")).toBe(700)
    const reserialised = JSON.stringify(JSON.parse(checkout("evt_2")))
    const refused = await hook(to, reserialised, { "payment-signature": signatureOf(checkout("evt_2")) })
    await expectProblem(refused, 400, "invalid_signature")
    await expectProblem(await hook(to, text, {}), 400, "invalid_signature")
    expect(await topupOf(to, "ann")).toBe(700)
  })

  test("keeps what it cannot match, and applies it when its customer is linked", async () => {
    const to = await start(provider().gateway)
    const text = checkout("evt_1", { userId: undefined, customerId: "cus_1" }).replace('"cus_9"', '"cus_1"')
    expect((await hook(to, text, { "payment-signature": signatureOf(text) })).status).toBe(200)
    expect(await topupOf(to, "ann")).toBe(0)
    await to.fetch("/api/billing/portal", { method: "POST", user: "ann" })
    expect(await topupOf(to, "ann")).toBe(700)
  })

  test("answers 500 where the storage fails, leaves nothing, and takes the same event later", async () => {
    const stores = await openInMemory()
    let fails = true
    const paymentEvents = PaymentEventStore.of({
      ...stores.paymentEvents,
      conclude: (input) =>
        Effect.tap(stores.paymentEvents.conclude(input), () =>
          fails
            ? Effect.fail(new StorageFailed({ operation: "test", retryable: false, cause: new Error("no") }))
            : Effect.void
        )
    })
    const to = await start(provider().gateway, { ...stores, paymentEvents })
    const text = checkout("evt_1")
    const send = () => hook(to, text, { "payment-signature": signatureOf(text) })
    await expectProblem(await send(), 500, "storage_unavailable")
    expect(await topupOf(to, "ann")).toBe(0)
    fails = false
    expect((await send()).status).toBe(200)
    expect(await topupOf(to, "ann")).toBe(700)
  })

  test("without a signing secret answers 503", async () => {
    const to = await start({ ...provider().gateway, verify: noPayments.verify })
    await expectProblem(await hook(to, "{}", { "stripe-signature": "x" }), 503, "payments_not_configured")
  })
})
