import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type ListeningStandIn, listenStandIn } from "@parley/stripe-stand-in"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"

const KEY = "sk_test_of_the_stand_in"
const SECRET = "whsec_of_the_tests"
const PLAN = {
  id: "price_pro",
  name: "Pro",
  amount: 1_900,
  currency: "usd",
  every: { unit: "month", count: 1 }
} as const
const CREDITS = { id: "price_credits", name: "Credits", amount: 990, currency: "usd" } as const

interface Found {
  readonly status: string
  readonly detail: string
  readonly advice?: string
}

describe("parley doctor, of payments", () => {
  const folder = temporaryFolder()
  let provider: ListeningStandIn
  beforeAll(async () => {
    provider = await listenStandIn({ prices: [PLAN, CREDITS], apiKey: KEY })
  })
  afterAll(async () => {
    await provider.close()
    folder[Symbol.dispose]()
  })

  const doctor = async (environment: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) => {
    const { exit, stderr, stdout } = await runHere(["doctor", "--json", ...flags], folder.path, environment)
    for (const secret of [environment["STRIPE_SECRET_KEY"], environment["STRIPE_WEBHOOK_SECRET"]]) {
      if (secret) expect(stdout + stderr).not.toContain(secret)
    }
    const { checks } = JSON.parse(stdout) as { readonly checks: ReadonlyArray<Found & { readonly name: string }> }
    return { exit, of: (name: string) => checks.find((check) => check.name === name) }
  }

  it.each([
    [{}, "note", "by the stand-in"],
    [{ STRIPE_SECRET_KEY: "sk_live_1234567890" }, "ok", "real money"],
    [{ STRIPE_SECRET_KEY: "rk_test_1234567890" }, "ok", "test mode"],
    [{ STRIPE_SECRET_KEY: "1234567890" }, "note", "no known form"],
    [{ STRIPE_SECRET_KEY: "pk_live_1234567890" }, "failed", "publishable key"]
  ])("tells who takes them: with %o it is %s", async (environment, status, detail) => {
    const { exit, of } = await doctor({
      STRIPE_WEBHOOK_SECRET: "STRIPE_SECRET_KEY" in environment ? SECRET : "",
      ...environment
    })
    expect(of("payments")).toMatchObject({ status, detail: expect.stringContaining(detail) })
    expect(exit).toBe(status === "failed" ? 3 : 0)
  })

  it.each([
    [undefined, "failed", "none is taken"],
    ["sk_test_1234567890", "note", "no known form"],
    [SECRET, "ok", "signed"]
  ])("tells whether the provider's events are taken: with the secret %s it is %s", async (secret, status, detail) => {
    const { exit, of } = await doctor({
      STRIPE_SECRET_KEY: KEY,
      ...(secret === undefined ? {} : { STRIPE_WEBHOOK_SECRET: secret })
    })
    expect(of("payment events")).toMatchObject({ status, detail: expect.stringContaining(detail) })
    expect(exit).toBe(status === "failed" ? 3 : 0)
  })

  it("a server in production with a key and without the secret of events does not start: exit code 3", async () => {
    const { exit, stderr } = await runHere(["serve"], folder.path, {
      NODE_ENV: "production",
      PORT: "0",
      PARLEY_ALLOW_STAND_INS: "1",
      PARLEY_SESSION_SECRET: "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE",
      PARLEY_SESSION_ISSUER: "us",
      PARLEY_SESSION_AUDIENCE: "parley",
      STRIPE_SECRET_KEY: KEY
    })
    expect([exit, stderr]).toEqual([3, expect.stringContaining("STRIPE_WEBHOOK_SECRET: ")])
    expect(stderr).not.toContain(KEY)
  })

  const atProvider = (prices: object, apiUrl = provider.url) => {
    writeFileSync(join(folder.path, "catalog.json"), JSON.stringify({ prices }))
    const keys = { STRIPE_SECRET_KEY: KEY, STRIPE_WEBHOOK_SECRET: SECRET, STRIPE_API_URL: apiUrl }
    return { PARLEY_CONFIG: "catalog.json", ...keys }
  }

  it("sends no request without --live", async () => {
    const { of } = await doctor(atProvider({ price_gone: { tier: "pro" } }))
    expect(of("live payments")).toBeUndefined()
  })

  it("asks the provider for the prices of the catalog with --live, and names each that does not fit", async () => {
    const whole = await doctor(atProvider({ price_pro: { tier: "pro" }, price_credits: { topup: 700 } }), "--live")
    expect([whole.exit, whole.of("live payments")]).toMatchObject([0, { status: "ok" }])
    const wrong = { price_gone: { tier: "pro" }, price_pro: { topup: 700 }, price_credits: { tier: "business" } }
    const { exit, of } = await doctor(atProvider(wrong), "--live")
    expect([exit, of("live payments")?.status]).toEqual([3, "failed"])
    const { detail } = of("live payments") as Found
    expect(detail.split("; ").toSorted()).toEqual([
      "price_credits is for a plan and is paid only once there",
      "price_gone is not for sale there",
      "price_pro is for credits and is a subscription there"
    ])
  })

  it("names with --live the settings of the portal that contradict the guide", async () => {
    const whole = await doctor(atProvider({ price_pro: { tier: "pro" } }), "--live")
    expect(whole.of("live portal")).toMatchObject({ status: "ok" })
    const portal = {
      subscription_update: {
        enabled: true,
        default_allowed_updates: ["price"],
        proration_behavior: "create_prorations"
      }
    }
    const loose = await listenStandIn({ prices: [PLAN, CREDITS], apiKey: KEY, portal })
    const { exit, of } = await doctor(atProvider({ price_pro: { tier: "pro" } }, loose.url), "--live")
    await loose.close()
    expect([exit, of("live portal")?.status]).toEqual([0, "note"])
    expect(of("live portal")?.detail).toContain("subscription_update.proration_behavior is create_prorations")
    expect(of("live portal")?.detail).toContain("lacks decreasing_item_amount")
  })

  it("says with --live that the provider refuses the key, or does not answer", async () => {
    const prices = { price_pro: { tier: "pro" } }
    const refused = await doctor({ ...atProvider(prices), STRIPE_SECRET_KEY: "sk_test_another" }, "--live")
    expect([refused.exit, refused.of("live payments")]).toMatchObject([3, { status: "failed" }])
    const silent = await doctor(atProvider(prices, "http://127.0.0.1:9"), "--live")
    expect([silent.exit, silent.of("live payments")]).toMatchObject([69, { status: "failed" }])
  })
})
