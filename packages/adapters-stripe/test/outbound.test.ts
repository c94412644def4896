import { Cause, Effect, Exit, Redacted, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { makeStripePayments, type StripeOptions } from "../src/index.ts"
import { event, invoice, SECONDS, session } from "./payloads/generations.ts"
import { json as answer, scriptedServer, type Script } from "../../../test/support/ScriptedServer.ts"

/** Answers with JSON, as Stripe does. */
const json: typeof answer = (response, status, value, headers) =>
  answer(response, status, value, { "request-id": "req_1", ...headers })

/** An error as Stripe writes it, with a text that must get nowhere. */
const refusal = (type: string, more: object = {}) => ({ error: { type, message: "PROVIDER TEXT", ...more } })

const quick = { baseDelayMs: 1, maxDelayMs: 20, requestMs: 60_000, totalMs: 110_000, retries: 2 }

const staged = async (script: Script, more: Partial<StripeOptions> = {}) => {
  const server = await scriptedServer(script)
  const gateway = makeStripePayments({
    apiKey: Redacted.make("sk_test_1"),
    webhookSecret: Redacted.make("whsec_1"),
    apiUrl: server.url,
    limits: quick,
    ...more
  })
  return { ...server, gateway }
}

/** The idempotency keys that a server was sent, in the order in which each came first. */
const keysOf = ({ seen }: Awaited<ReturnType<typeof staged>>) =>
  new Set(seen.map(({ headers }) => headers["idempotency-key"]?.toString()))

const failureOf = async (effect: Effect.Effect<unknown, unknown>) => {
  const exit = await Effect.runPromiseExit(effect)
  return (Exit.isFailure(exit) ? Cause.squash(exit.cause) : exit) as Record<string, unknown>
}

const checkout = {
  customerId: "cus_1",
  userId: "ann",
  priceId: "price_pro",
  mode: "subscription" as const,
  successUrl: "https://parley.example/done",
  cancelUrl: "https://parley.example/plans",
  idempotencyKey: "checkout:1"
}

describe("a request", () => {
  it("for a checkout page carries person and price on the session and on what comes of it, the version and the key", async () => {
    await using server = await staged((_request, response) =>
      json(response, 200, { id: "cs_1", url: "https://pay.example" })
    )
    const link = await Effect.runPromise(server.gateway.checkoutSession(checkout))
    await Effect.runPromise(server.gateway.checkoutSession({ ...checkout, mode: "one-time" }))
    expect(link).toEqual({ sessionId: "cs_1", url: "https://pay.example" })
    const [subscribed, bought] = server.seen.map(({ form }) => Object.fromEntries(form))
    const whom = { "metadata[parley_user]": "ann", "metadata[parley_price]": "price_pro", client_reference_id: "ann" }
    expect(subscribed).toMatchObject({
      ...whom,
      mode: "subscription",
      customer: "cus_1",
      "line_items[0][price]": "price_pro",
      "line_items[0][quantity]": "1",
      "subscription_data[metadata][parley_user]": "ann",
      "subscription_data[metadata][parley_price]": "price_pro"
    })
    expect(bought).toMatchObject({
      ...whom,
      mode: "payment",
      "payment_intent_data[metadata][parley_user]": "ann",
      "payment_intent_data[metadata][parley_price]": "price_pro",
      "invoice_creation[enabled]": "true"
    })
    expect(subscribed).not.toHaveProperty("invoice_creation[enabled]")
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: "Bearer sk_test_1",
      "stripe-version": "2026-10-28.endive",
      "idempotency-key": "checkout:1"
    })
    expect(server.seen[0]?.headers).not.toHaveProperty("x-stripe-client-telemetry")
  })

  it("goes below the path of the configured address", async () => {
    await using server = await scriptedServer((_request, response) => json(response, 200, { id: "cus_1" }))
    const gateway = makeStripePayments({
      apiKey: Redacted.make("sk_test_1"),
      webhookSecret: undefined,
      apiUrl: `${server.url}/dev/payments/`
    })
    await Effect.runPromise(gateway.createCustomer({ userId: "ann", email: undefined, idempotencyKey: "k" }))
    expect(server.seen[0]?.path).toBe("/dev/payments/v1/customers")
  })

  it("is sent again with the same key after an outage, a rate limit or a lost connection, and then given up", async () => {
    await using server = await staged((_request, response, { count }) => {
      if (count === 0) return json(response, 503, refusal("api_error"))
      if (count === 1) return json(response, 429, refusal("invalid_request_error", { code: "rate_limit" }))
      return json(response, 200, { id: "cus_1" })
    })
    const input = { userId: "ann", email: "a@example.com", idempotencyKey: "customer:ann" }
    expect(await Effect.runPromise(server.gateway.createCustomer(input))).toEqual({ customerId: "cus_1" })
    expect(server.seen).toHaveLength(3)
    expect(keysOf(server).size).toBe(1)

    await using down = await staged((_request, response) => json(response, 500, refusal("api_error")))
    expect(await failureOf(down.gateway.createCustomer(input))).toMatchObject({
      _tag: "PaymentUnavailable",
      operation: "createCustomer"
    })
    expect(down.seen).toHaveLength(3)

    await using cut = await staged((_request, response, { count }) =>
      count === 0 ? response.destroy() : json(response, 200, { id: "cus_1" })
    )
    await Effect.runPromise(cut.gateway.createCustomer(input))
    expect(keysOf(cut)).toEqual(keysOf(server))
  })

  it("takes another key where the provider would repeat an outage to this one for a day", async () => {
    await using server = await staged((_request, response, { count }) =>
      count === 0
        ? json(response, 500, refusal("api_error"), { "idempotent-replayed": "true" })
        : json(response, 200, { id: "cus_1" })
    )
    const input = { userId: "ann", email: undefined, idempotencyKey: "customer:ann" }
    await Effect.runPromise(server.gateway.createCustomer(input))
    const [first, second] = [...keysOf(server)]
    expect(second).toBe(`${first}:again`)
  })

  it("takes another key for a customer with another address, and none that is too long", async () => {
    await using server = await staged((_request, response) => json(response, 200, { id: "cus_1" }))
    const create = (email: string | undefined, userId = "ann") =>
      Effect.runPromise(server.gateway.createCustomer({ userId, email, idempotencyKey: `customer:${userId}` }))
    await create("ann@example.com")
    await create("ann@example.org")
    await create(undefined)
    await create("ann@example.com")
    expect(keysOf(server).size).toBe(3)
    await create(undefined, "u".repeat(255))
    expect(Math.max(...[...keysOf(server)].map((key = "") => key.length))).toBeLessThanOrEqual(255)
  })

  it("is not sent again where the provider says not to, or asks to wait longer than people do", async () => {
    await using told = await staged((_request, response) =>
      json(response, 500, refusal("api_error"), { "stripe-should-retry": "false" })
    )
    expect(await failureOf(told.gateway.session("cs_1"))).toMatchObject({ _tag: "PaymentUnavailable" })
    expect(told.seen).toHaveLength(1)
    await using busy = await staged((_request, response) =>
      json(response, 429, refusal("invalid_request_error"), { "retry-after": "30" })
    )
    expect(await failureOf(busy.gateway.session("cs_1"))).toMatchObject({ retryAfterMs: 30_000 })
    expect(busy.seen).toHaveLength(1)
  })

  it("ends when its time is over, however slowly the answer comes", async () => {
    await using silent = await staged(() => undefined, { limits: { ...quick, requestMs: 50, retries: 0 } })
    expect(await failureOf(silent.gateway.session("cs_1"))).toMatchObject({ _tag: "PaymentUnavailable" })
    await using slow = await staged(
      (_request, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.write("{")
      },
      { limits: { ...quick, requestMs: 60_000, totalMs: 50 } }
    )
    expect(await failureOf(slow.gateway.session("cs_1"))).toMatchObject({ _tag: "PaymentUnavailable" })
  })

  it("is closed when no reader waits for it any more", async () => {
    const closed = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    await using server = await staged((_request, response) => {
      response.on("close", () => closed.resolve())
      asked.resolve()
    })
    const abort = new AbortController()
    const call = Effect.runPromiseExit(server.gateway.session("cs_1"), { signal: abort.signal })
    await asked.promise
    abort.abort()
    await closed.promise
    expect(Exit.isFailure(await call)).toBe(true)
    expect(server.seen).toHaveLength(1)
  })
})

describe("a failure", () => {
  it.each([
    ["a wrong key", 401, refusal("invalid_request_error"), { _tag: "PaymentRefused", reason: "invalid_request_error" }],
    [
      "a key without rights",
      403,
      refusal("invalid_request_error", { code: "more_permissions_required" }),
      { reason: "more_permissions_required" }
    ],
    [
      "a bad parameter",
      400,
      refusal("invalid_request_error", { code: "parameter_unknown" }),
      { reason: "parameter_unknown" }
    ],
    ["a code that is no code", 400, refusal("x", { code: "Dear customer, call 555" }), { reason: "unknown" }],
    ["a key used with other parameters", 400, refusal("idempotency_error"), { reason: "idempotency_error" }],
    ["a proxy's page", 502, "<html>", { _tag: "PaymentUnavailable" }],
    ["a proxy's JSON without an error", 502, { message: "bad gateway" }, { _tag: "PaymentUnavailable" }],
    ["an address that is not the provider's", 404, "<html>", { _tag: "PaymentRefused" }],
    ["a path that the provider has not", 404, refusal("invalid_request_error"), { _tag: "PaymentRefused" }],
    ["another server's page", 200, "<html>", { _tag: "PaymentRefused" }],
    [
      "a session of an unknown form",
      200,
      { id: "cs_1", mode: "other" },
      { _tag: "PaymentObjectUnreadable", problem: "session.mode: not a known word" }
    ]
  ])("%s has a name, and none of the provider's text", async (_name, status, body, expected) => {
    await using server = await staged((_request, response) => json(response, status, body))
    const failure = await failureOf(server.gateway.session("cs_1"))
    expect(failure).toMatchObject(expected)
    const { cause: _cause, stack: _stack, ...told } = failure
    expect(`${JSON.stringify(told)} ${String(failure["message"])}`).not.toContain("PROVIDER TEXT")
  })

  it("of a missing object names which of those that the call needs", async () => {
    const missing = (param?: string) => refusal("invalid_request_error", { code: "resource_missing", param })
    await using server = await staged((request, response) =>
      json(response, 404, missing(request.form.has("customer") ? "line_items[0][price]" : undefined))
    )
    expect(await failureOf(server.gateway.checkoutSession(checkout))).toMatchObject({
      _tag: "PaymentObjectNotFound",
      object: "price",
      id: "price_pro"
    })
    expect(await failureOf(server.gateway.charge("ch_1"))).toMatchObject({ object: "charge", id: "ch_1" })
  })

  it("of an address that leads elsewhere sends nothing there", async () => {
    await using elsewhere = await scriptedServer((_request, response) => json(response, 200, { id: "cs_1" }))
    await using server = await staged((_request, response) => {
      response.writeHead(307, { location: `${elsewhere.url}/v1/customers` }).end()
    })
    expect(await failureOf(server.gateway.session("cs_1"))).toMatchObject({ reason: "redirected" })
    expect(elsewhere.seen).toEqual([])
  })

  it("without a key, or without the secret of events, names the missing one, and sends no request", async () => {
    await using server = await staged(() => undefined, { apiKey: undefined, webhookSecret: undefined })
    expect(await failureOf(server.gateway.session("cs_1"))).toMatchObject({
      _tag: "PaymentsNotConfigured",
      missing: "key"
    })
    expect(await failureOf(server.gateway.prices(["price_1"]))).toMatchObject({ missing: "key" })
    const signed = { payload: new Uint8Array([1]), signature: "t=1,v1=00", receivedAt: 1 }
    expect(await failureOf(server.gateway.verify(signed))).toMatchObject({ missing: "webhook-secret" })
    expect(server.seen).toEqual([])
  })

  it("and a notice to developers write nothing of the provider's to the process's warnings", async () => {
    const warnings: Array<unknown> = []
    const listen = (warning: unknown) => warnings.push(warning)
    process.on("warning", listen)
    await using server = await staged((_request, response) =>
      json(response, 200, { id: "cus_1" }, { "stripe-notice": "PROVIDER TEXT" })
    )
    await Effect.runPromise(server.gateway.createCustomer({ userId: "ann", email: undefined, idempotencyKey: "k" }))
    await new Promise((resolve) => setImmediate(resolve))
    process.off("warning", listen)
    expect(warnings).toEqual([])
  })
})

describe("a list", () => {
  const invoices = Array.from({ length: 250 }, (_, index) => invoice("2026-10-28.endive", { id: `in_${index}` }))

  /** Serves a list in pages as Stripe does. */
  const pages =
    (all: ReadonlyArray<{ readonly id: string }>): Script =>
    (request, response) => {
      const query = new URL(request.path, "http://x").searchParams
      const begin = all.findIndex(({ id }) => id === query.get("starting_after")) + 1
      const data = all.slice(begin, begin + Number(query.get("limit")))
      json(response, 200, { object: "list", data, has_more: begin + data.length < all.length })
    }

  it("of invoices has all pages up to the limit, and asks for none beyond", async () => {
    await using server = await staged(pages(invoices))
    const kept = (limit: number) => Effect.runPromise(server.gateway.invoices({ customerId: "cus_1", limit }))
    expect((await kept(1_000)).map(({ id }) => id)).toEqual(invoices.map(({ id }) => id))
    expect(server.seen).toHaveLength(3)
    expect(await kept(120)).toHaveLength(120)
    expect(server.seen).toHaveLength(5)
    expect(await kept(12)).toHaveLength(12)
    expect(server.seen.at(-1)?.path).toContain("limit=12")
    expect(server.seen.at(-1)?.path).toContain("customer=cus_1")
  })

  it("of invoices tells totals in major units, the currency in small letters, and leaves drafts out", async () => {
    const listed = [
      invoice("2026-10-28.endive", { id: "in_1", total: 1_250, currency: "JPY" }),
      invoice("2026-10-28.endive", { id: "in_2", status: "draft" }),
      invoice("2026-10-28.endive", { id: "in_3", total: -1_999, status: "open", description: "Corrected" })
    ]
    await using server = await staged(pages(listed))
    expect(await Effect.runPromise(server.gateway.invoices({ customerId: "cus_1", limit: 10 }))).toEqual([
      {
        id: "in_1",
        amount: 1_250,
        currency: "jpy",
        status: "paid",
        createdAt: SECONDS.january * 1000,
        invoiceUrl: "https://invoice.stripe.com/i/1",
        description: "1 x Pro"
      },
      expect.objectContaining({ id: "in_3", amount: -19.99, status: "open", description: "Corrected" })
    ])
  })

  it("of events asks for the kinds that matter since a time, and may be left early", async () => {
    const events = Array.from({ length: 150 }, (_, index) =>
      event("2026-10-28.endive", "invoice.paid", invoice("2026-10-28.endive"), { id: `evt_${index}` })
    )
    await using server = await staged(pages(events))
    const found = server.gateway.events({ since: SECONDS.january * 1000 + 999 })
    const first = await Effect.runPromise(Stream.runCollect(Stream.take(found, 5)))
    expect([...first].map(({ id }) => id)).toEqual(["evt_0", "evt_1", "evt_2", "evt_3", "evt_4"])
    expect(server.seen).toHaveLength(1)
    const query = new URL(server.seen[0]?.path ?? "", "http://x").searchParams
    expect(query.get("created[gte]")).toBe(String(SECONDS.january))
    expect(query.get("types[0]")).toBe("checkout.session.completed")
    expect(await Effect.runPromise(Stream.runCount(found))).toBe(150)
  })

  it("of lines completes an invoice that brings only the first, which its event does not ask for", async () => {
    const first = invoice("2026-10-28.endive", {}, [true])
    const cut = { ...first, lines: { ...first.lines, has_more: true } }
    const lines = invoice("2026-10-28.endive", {}, [true, true, false]).lines.data
    const list = pages(lines.map((line, index) => ({ ...line, id: `il_${index}` })))
    await using server = await staged((request, response, at) =>
      request.path.startsWith("/v1/invoices/in_1/lines?") ? list(request, response, at) : json(response, 200, cut)
    )
    const read = await Effect.runPromise(
      server.gateway.read(JSON.stringify(event("2026-10-28.endive", "invoice.paid", cut)))
    )
    expect(read.event).toMatchObject({ invoice: { lines: [{ isProration: true }], isCut: true } })
    expect(server.seen).toEqual([])
    const whole = await Effect.runPromise(server.gateway.paidInvoice("in_1"))
    expect(whole).toMatchObject({ lines: [{ isProration: true }, { isProration: true }, { isProration: false }] })
    expect(whole).not.toHaveProperty("isCut")
  })

  it("of items completes a session whose metadata name no price; none is asked for where they do", async () => {
    const item = (id: string, quantity: number) => ({ id, price: { id: "price_1" }, quantity })
    const line_items = { object: "list", has_more: true, data: [item("li_0", 1)] }
    await using server = await staged((request, response, at) =>
      request.path.includes("/line_items")
        ? pages([item("li_0", 1), item("li_1", 2)])(request, response, at)
        : json(response, 200, session({ ...(request.path.includes("cs_ours") ? {} : { metadata: {} }), line_items }))
    )
    expect(await Effect.runPromise(server.gateway.session("cs_link"))).toMatchObject({
      priceId: undefined,
      items: [
        { priceId: "price_1", quantity: 1 },
        { priceId: "price_1", quantity: 2 }
      ]
    })
    expect(server.seen[0]?.path).toContain("expand")
    const before = server.seen.length
    expect(await Effect.runPromise(server.gateway.session("cs_ours"))).not.toHaveProperty("items")
    expect(server.seen).toHaveLength(before + 1)
  })

  it("has all that can be read where something in it cannot", async () => {
    const strange = { id: "in_strange", object: "invoice", customer: "cus_1", currency: 7 }
    const kept = invoice("2026-10-28.endive", { id: "in_2" })
    await using server = await staged((request, response, at) => {
      if (request.path.startsWith("/v1/invoices")) return pages([strange, kept])(request, response, at)
      if (request.path.startsWith("/v1/prices/price_strange")) return json(response, 200, { id: "price_strange" })
      if (request.path.startsWith("/v1/prices/")) {
        return json(response, 200, { id: "price_1", active: true, currency: "usd", unit_amount: 5, recurring: null })
      }
      if (!request.path.startsWith("/v1/events")) return pages([])(request, response, at)
      const events = [{ id: "evt_0" }, event("2026-10-28.endive", "invoice.paid", strange)]
      return pages(events)(request, response, at)
    })
    const run = Effect.runPromise
    expect((await run(server.gateway.invoices({ customerId: "cus_1", limit: 10 }))).map(({ id }) => id)).toEqual([
      "in_2"
    ])
    expect((await run(server.gateway.prices(["price_strange", "price_1"]))).map(({ priceId }) => priceId)).toEqual([
      "price_1"
    ])
    const events = await run(Stream.runCollect(server.gateway.events({ since: 0 })))
    expect([...events]).toMatchObject([{ id: "evt_1", event: { _tag: "Unreadable" } }])
    const records = await run(Stream.runCollect(server.gateway.records({ since: 0 })))
    expect([...records]).toMatchObject([
      { id: "in_strange", _tag: "Unreadable", subject: { customerId: "cus_1" } },
      { id: "in_2", _tag: "InvoicePaid" }
    ])
  })
})

describe("a price", () => {
  const price = (more: object) => ({
    id: "price_1",
    active: true,
    currency: "usd",
    unit_amount: 2_000,
    recurring: null,
    ...more
  })
  it.each([
    [{}, { amount: 20, currency: "usd", every: undefined }],
    [{ recurring: { interval: "month", interval_count: 3 } }, { every: { unit: "month", count: 3 } }],
    [{ unit_amount: null, unit_amount_decimal: "0.5", billing_scheme: "per_unit" }, { amount: 0.005 }],
    [{ unit_amount: null, unit_amount_decimal: null, billing_scheme: "tiered" }, { amount: undefined }],
    [{ unit_amount: null, custom_unit_amount: { minimum: 100 } }, { amount: undefined }]
  ])("%j costs %j", async (more, expected) => {
    await using server = await staged((_request, response) => json(response, 200, price(more)))
    expect(await Effect.runPromise(server.gateway.prices(["price_1"]))).toMatchObject([expected])
  })

  it("that is sold no more is left out", async () => {
    await using server = await staged((_request, response) => json(response, 200, price({ active: false })))
    expect(await Effect.runPromise(server.gateway.prices(["price_1"]))).toEqual([])
  })
})
