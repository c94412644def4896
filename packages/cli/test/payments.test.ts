import { defaultCatalog } from "@parley/core"
import { BillingService, CreditService } from "@parley/core/effect"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readSettings } from "../src/config/readConfig.ts"
import { usesStandInPayments } from "../src/config/rules/serveRules.ts"
import { saleCatalog, standInPrices } from "../src/payments/standInSale.ts"
import { openHttp } from "../src/server/openHttp.ts"
import { openParts } from "../src/server/openParts.ts"
import { runningParts } from "../src/server/startUpText.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"

const configOf = (environment: Readonly<Record<string, string>>, folder = "/nowhere") =>
  readSettings({ PORT: "0", LOG_LEVEL: "error", ...environment }, folder).config

const SESSIONS = { PARLEY_SESSION_SECRET: "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE" }

describe("payments", () => {
  it.each([
    ["nothing is set", {}, true],
    ["a key is set", { STRIPE_SECRET_KEY: "sk_test_1" }, false],
    ["the server is in production", { NODE_ENV: "production", ...SESSIONS }, false],
    ["stand-ins are allowed in production", { NODE_ENV: "production", PARLEY_ALLOW_STAND_INS: "1", ...SESSIONS }, true],
    ["others can reach the server", { HOST: "0.0.0.0", ...SESSIONS }, false],
    ["a proxy stands in front", { PARLEY_TRUST_PROXY: "1", ...SESSIONS }, false]
  ])("where %s: the stand-in sells %j %s", (_name, environment, expected) => {
    const config = configOf(environment)
    expect(usesStandInPayments(config)).toBe(expected)
    const part = runningParts(config, []).find(({ part: name }) => name === "payments")
    expect(part?.runsOn.includes("stand-in: no money moves")).toBe(expected)
  })

  it("have prices to try out where the catalog has none, and the catalog's own where it has", () => {
    expect(standInPrices(saleCatalog(defaultCatalog)).map(({ id }) => id)).toEqual(
      expect.arrayContaining(["price_pro_monthly", "price_business_yearly", "price_credits_5000"])
    )
    const own = { ...defaultCatalog, prices: { price_1: { tier: "pro" as const }, price_2: { topup: 2_000 } } }
    expect(saleCatalog(own)).toBe(own)
    expect(standInPrices(own)).toEqual([
      { id: "price_1", name: "Pro", amount: 2_000, currency: "usd", every: { unit: "month", count: 1 } },
      { id: "price_2", name: "2,000 credits", amount: 1_000, currency: "usd" }
    ])
  })
})

describe("a server without keys", () => {
  const folder = temporaryFolder()
  const scope = Effect.runSync(Scope.make())
  const started = Effect.gen(function* () {
    const config = configOf({}, folder.path)
    const runtime = yield* openParts(config)
    const { beginPayments, port } = yield* openHttp(config, runtime)
    yield* Effect.promise(async () => beginPayments())
    return { runtime, url: `http://localhost:${port}` }
  })
  let server: Effect.Success<typeof started>
  beforeAll(async () => {
    server = await Effect.runPromise(Scope.provide(started, scope))
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    folder[Symbol.dispose]()
  })

  /** The input of a checkout page, as the dashboard's server requests it. */
  const checkout = (priceId: string, mode: "subscription" | "one-time") =>
    server.runtime.runPromise(
      BillingService.use((billing) =>
        billing.generateCheckoutLink({
          userId: "ann",
          email: "ann@example.com",
          priceId,
          mode,
          successUrl: `${server.url}/?bought`,
          cancelUrl: `${server.url}/`
        })
      )
    )

  const post = (url: string, form: Record<string, string>) =>
    fetch(url, { method: "POST", body: new URLSearchParams(form), redirect: "manual" })

  const balance = () => server.runtime.runPromise(CreditService.use((credits) => credits.balance("ann")))

  it("shows the stand-in's pages, marked as a stand-in", async () => {
    const page = await fetch(`${server.url}/dev/payments`)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain("Stand-in for the payment provider")
  })

  it.each([
    ["forwarded by a proxy", { "x-forwarded-for": "203.0.113.7" }, 404],
    ["forwarded by a tunnel", { "cf-connecting-ip": "203.0.113.7" }, 404],
    ["sent by a page of another site", { origin: "https://evil.example" }, 403]
  ])("takes no form that is %s", async (_name, headers: Record<string, string>, status) => {
    const body = new URLSearchParams({ days: "31" })
    const answer = await fetch(`${server.url}/dev/payments/clock`, {
      method: "POST",
      body,
      headers,
      redirect: "manual"
    })
    expect(answer.status).toBe(status)
  })

  it("sells a plan and credits through its own webhook, and renews the plan when the stand-in's clock is moved", async () => {
    expect((await balance()).available).toBe(100)
    const plan = await checkout("price_pro_monthly", "subscription")
    expect(plan.url).toMatch(/^http:\/\/localhost:\d+\/dev\/payments\/checkout\//)
    const paid = await post(`${plan.url}/pay`, { means: "works" })
    expect([paid.status, paid.headers.get("location")]).toEqual([303, `${server.url}/?bought`])
    expect((await balance()).allowance).toBe(5_000)

    const credits = await checkout("price_credits_5000", "one-time")
    await post(`${credits.url}/pay`, { means: "works" })
    expect((await balance()).topup).toBe(5_000)

    const subscription = () => server.runtime.runPromise(BillingService.use((billing) => billing.subscription("ann")))
    const { subscription: before } = await subscription()
    await post(`${server.url}/dev/payments/clock`, { days: "31" })
    const { subscription: after } = await subscription()
    expect(after).toMatchObject({ id: before?.id, tier: "pro", status: "active" })
    expect(after?.paidUntil).toBeGreaterThan(before?.paidUntil ?? Infinity)
  })
})
