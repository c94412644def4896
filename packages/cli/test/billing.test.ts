import { createHmac } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeStripePayments } from "@parley/adapters-stripe"
import { type ListeningStandIn, listenStandIn } from "@parley/stripe-stand-in"
import type { CheckoutMode } from "@parley/core/adapter"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { serveHere, type ServerHere } from "./processes/serveHere.ts"

const ANN = "ann@example.com"
const API_KEY = "sk_test_of_the_stand_in"
const SECRET = "whsec_of_the_tests"

const prices = [
  { id: "price_pro", name: "Pro", amount: 1_900, currency: "usd", every: { unit: "month", count: 1 } },
  { id: "price_business", name: "Business", amount: 4_900, currency: "usd", every: { unit: "month", count: 1 } },
  { id: "price_credits", name: "Credits", amount: 990, currency: "usd" }
] as const
const catalog = {
  tiers: { pro: { monthlyCredits: 1_000 }, business: { monthlyCredits: 5_000 } },
  prices: { price_pro: { tier: "pro" }, price_business: { tier: "business" }, price_credits: { topup: 700 } }
}

interface Balance {
  readonly allowance: number
  readonly topup: number
  readonly debt: number
}

describe("payments, through a provider of Stripe's protocol and the server's own webhook", () => {
  const folder = temporaryFolder()
  let provider: ListeningStandIn
  let server: ServerHere
  let ann: Visitor
  const environment: Record<string, string> = {}
  beforeAll(async () => {
    provider = await listenStandIn({ prices, apiKey: API_KEY })
    writeFileSync(join(folder.path, "catalog.json"), JSON.stringify(catalog))
    Object.assign(environment, {
      PARLEY_CONFIG: "catalog.json",
      STRIPE_SECRET_KEY: API_KEY,
      STRIPE_WEBHOOK_SECRET: SECRET,
      STRIPE_API_URL: provider.url
    })
    server = await serveHere(folder.path, environment)
    provider.standIn.deliveries.target = { url: `${server.url}/api/webhooks/payment`, secret: SECRET }
    ann = new Visitor(server.url)
    await ann.signIn(ANN)
    await balance()
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await provider.close()
    folder[Symbol.dispose]()
  })

  const balance = () => ann.getJson<Balance>("/api/billing/balance")
  const tier = async () => (await ann.getJson<{ readonly tier: { readonly id: string } }>("/api/me")).tier.id
  const parley = async (...argv: ReadonlyArray<string>) => {
    const { exit, stdout } = await runHere([...argv, "--json"], folder.path, environment)
    return [exit, stdout === "" ? "" : (JSON.parse(stdout) as Record<string, unknown>)] as const
  }
  /** Opens a checkout page as the server does, and pays there. */
  const buy = async (priceId: string, mode: CheckoutMode) => {
    const gateway = makeStripePayments({
      apiKey: Redacted.make(API_KEY),
      apiUrl: provider.url,
      webhookSecret: Redacted.make(SECRET)
    })
    const open = Effect.gen(function* () {
      const { customerId } = yield* gateway.createCustomer({
        userId: ANN,
        email: ANN,
        idempotencyKey: `customer:${ANN}`
      })
      return yield* gateway.checkoutSession({
        customerId,
        userId: ANN,
        priceId,
        mode,
        successUrl: server.url,
        cancelUrl: server.url,
        idempotencyKey: crypto.randomUUID()
      })
    })
    const { sessionId } = await Effect.runPromise(open)
    provider.standIn.pay(sessionId)
    await provider.standIn.deliveries.idle()
    return sessionId
  }

  it("upgrades, renews, changes and ends a plan, and sells credits, by what the provider sends", async () => {
    await buy("price_pro", "subscription")
    expect(await tier()).toBe("pro")
    expect(await balance()).toMatchObject({ allowance: 1_000, topup: 0 })

    await buy("price_credits", "one-time")
    expect(await balance()).toMatchObject({ allowance: 1_000, topup: 700 })
    const payment = provider.standIn.payments.at(-1) ?? ""
    provider.standIn.refund(payment, 495)
    await provider.standIn.deliveries.idle()
    expect(await balance()).toMatchObject({ topup: 350, debt: 0 })
    const dispute = provider.standIn.openDispute(payment)
    await provider.standIn.deliveries.idle()
    expect(await balance()).toMatchObject({ topup: 0, debt: 0 })
    provider.standIn.closeDispute(dispute, "won")
    await provider.standIn.deliveries.idle()
    expect(await balance()).toMatchObject({ topup: 350, debt: 0 })

    const [, { events }] = (await parley("billing", "list", "--user", ANN)) as unknown as [
      number,
      { events: ReadonlyArray<{ readonly id: string; readonly kind: string; readonly state: string }> }
    ]
    expect(events.filter(({ state }) => state !== "applied" && state !== "ignored")).toEqual([])
    const subscription = /sub_[A-Za-z0-9]+/.exec(JSON.stringify(provider.standIn.events))?.[0]
    provider.standIn.changePlan(subscription ?? "", "price_business")
    await provider.standIn.deliveries.idle()
    expect(await tier()).toBe("business")
    expect(await balance()).toMatchObject({ allowance: 5_000 })
    provider.standIn.cancel(subscription ?? "", "now")
    await provider.standIn.deliveries.idle()
    expect(await tier()).toBe("free")
    expect(await balance()).toMatchObject({ allowance: 100, topup: 350 })
    expect(await parley("credits", "verify")).toMatchObject([0, { ok: true }])
  })

  it("catches up with what never came, once, and replays an event without a second effect", async () => {
    provider.standIn.deliveries.hold = true
    const before = await balance()
    const session = await buy("price_credits", "one-time")
    expect(await balance()).toEqual(before)
    const since = ["billing", "catch-up", "--since", "1d"]
    const [, dry] = await parley(...since, "--dry-run")
    expect(dry).toMatchObject({ dryRun: true, states: { applied: 0 } })
    const [exit, report] = await parley(...since)
    expect([exit, report]).toMatchObject([0, { missing: (dry as { readonly missing: number }).missing }])
    expect(await balance()).toMatchObject({ topup: before.topup + 700 })
    expect(await parley(...since)).toMatchObject([0, { missing: 0 }])

    const [, { events }] = (await parley("billing", "list", "--state", "applied")) as unknown as [
      number,
      { events: ReadonlyArray<{ readonly id: string; readonly kind: string }> }
    ]
    const bought = events.find(({ kind }) => kind === "checkout.session.completed")
    expect(await parley("billing", "replay", bought?.id ?? "")).toMatchObject([0, { state: "applied" }])
    expect(await balance()).toMatchObject({ topup: before.topup + 700 })
    const [, shown] = await parley("billing", "show", bought?.id ?? "")
    expect(String((shown as { readonly payload: string }).payload)).toContain(session)
    expect(await parley("billing", "replay", "evt_none")).toEqual([4, ""])
    provider.standIn.deliveries.hold = false
  })

  it("credits verify --with-payments lists payments without credits, and credits without payments", async () => {
    const verify = () => parley("credits", "verify", "--with-payments")
    expect(await verify()).toMatchObject([0, { ok: true, differences: [], payments: { differences: [] } }])
    provider.standIn.deliveries.hold = true
    const session = await buy("price_credits", "one-time")
    provider.standIn.deliveries.hold = false
    const [exit, found] = await verify()
    const missing = { kind: "not-granted", userId: ANN, payment: session }
    expect([exit, found]).toMatchObject([1, { ok: false, differences: [], payments: { differences: [missing] } }])
    const people = await runHere(["credits", "verify", "--with-payments"], folder.path, environment)
    expect([people.exit, people.stdout]).toEqual([1, expect.stringContaining(`${ANN}: ${session}: not-granted`)])
    expect(people.stdout).toContain("1 differences")
    // Of the ledger alone nothing is wrong.
    expect(await parley("credits", "verify")).toMatchObject([0, { ok: true }])
    expect((await parley("credits", "verify", "--with-payments", "--since", "2999-01-01T00:00:00Z"))[0]).toBe(0)
    expect(await parley("billing", "catch-up", "--since", "1d")).toMatchObject([0, { states: { applied: 1 } }])
    expect(await verify()).toMatchObject([0, { ok: true, payments: { differences: [] } }])
  })

  it("doctor lists events that wait or failed, and reports that key and signing secret are of different modes", async () => {
    const inbox = async () => {
      const [exit, report] = await parley("doctor")
      const { checks } = report as { checks: ReadonlyArray<{ name: string; status: string; detail: string }> }
      return [exit, ...checks.filter(({ name }) => name === "payment inbox")] as const
    }
    expect(await inbox()).toMatchObject([0, { status: "ok" }])
    const send = async (kind: string, object: object, livemode: boolean) => {
      const created = Math.floor(Date.now() / 1000)
      const id = `evt_${crypto.randomUUID()}`
      const body = JSON.stringify({ object: "event", id, type: kind, created, livemode, data: { object } })
      const signature = createHmac("sha256", SECRET).update(`${created}.${body}`).digest("hex")
      const answer = await fetch(`${server.url}/api/webhooks/payment`, {
        method: "POST",
        headers: { "content-type": "application/json", "stripe-signature": `t=${created},v1=${signature}` },
        body
      })
      expect(answer.status).toBe(200)
    }
    const charge = { object: "charge", id: "ch_of_nobody", customer: "cus_of_nobody", amount: 990, currency: "usd" }
    await send(
      "charge.refunded",
      { ...charge, amount_refunded: 990, payment_intent: "pi_of_nobody", invoice: null },
      false
    )
    await send("invoice.paid", { object: "invoice", id: "in_live" }, true)
    await send("invoice.paid", { object: "invoice" }, false)
    const [exit, ...found] = await inbox()
    expect([exit, found.map(({ status }) => status)]).toEqual([0, ["note", "note", "note"]])
    expect(found.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("1 events were of the other mode"),
      expect.stringContaining("1 events could not be read"),
      expect.stringContaining("1 events wait")
    ])
  })

  it("operators correct balances and tiers, each with a reason", async () => {
    const before = await balance()
    expect((await parley("credits", "adjust", ANN, "50"))[0]).toBe(2)
    const adjust = ["credits", "adjust", ANN, "--reason", "a test", "--key", "correction-1"]
    expect(await parley(...adjust, "50")).toMatchObject([0, { amount: 50, reason: "a test" }])
    expect(await parley(...adjust, "50")).toMatchObject([0, { amount: 50 }])
    expect((await parley(...adjust, "51"))[0]).toBe(5)
    expect(await balance()).toMatchObject({ topup: before.topup + 50 })

    const payment = provider.standIn.payments.at(-1) ?? ""
    const refund = ["credits", "refund", ANN, payment, "--reason", "paid back by bank"]
    expect(await parley(...refund, "--dry-run")).toMatchObject([0, { granted: 700, paid: 990 }])
    expect(await parley(...refund)).toMatchObject([0, { amount: -700 }])
    expect(await balance()).toMatchObject({ topup: before.topup - 650 })
    // A later refund report of the provider on the same payment does not undo it.
    provider.standIn.refund(payment, 300)
    await provider.standIn.deliveries.idle()
    expect(await balance()).toMatchObject({ topup: before.topup - 650 })
    expect((await parley("credits", "refund", ANN, "pi_none", "--reason", "no such"))[0]).toBe(4)

    expect(await parley("users", "tier", ANN, "business", "--reason", "pilot")).toMatchObject([0, { tier: "business" }])
    expect([await tier(), (await balance()).allowance]).toEqual(["business", 5_000])
    expect(await parley("users", "tier", ANN, "free", "--reason", "pilot ended")).toMatchObject([0, { tier: "free" }])
    expect([await tier(), (await balance()).allowance]).toEqual(["free", 100])
    expect((await parley("users", "tier", "nobody", "pro", "--reason", "x"))[0]).toBe(4)
    expect((await parley("users", "tier", "nobody"))[0]).toBe(4)

    const pinned = ["users", "tier", ANN, "business", "--pin", "--reason", "contract"]
    expect(await parley(...pinned, "--dry-run")).toMatchObject([0, { tier: "business", pinned: true, dryRun: true }])
    expect(await parley("users", "tier", ANN)).toMatchObject([0, { tier: "free", pinned: false }])
    expect(await parley(...pinned)).toMatchObject([0, { tier: "business", pinned: true }])
    expect(await parley("users", "tier", ANN)).toMatchObject([0, { user: ANN, tier: "business", pinned: true }])
    // Her payments are recorded, and change nothing until she is unpinned.
    await buy("price_pro", "subscription")
    expect(await tier()).toBe("business")
    expect(await parley("users", "tier", ANN)).toMatchObject([0, { tier: "business", pinned: true, paidTier: "pro" }])
    const unpinned = ["users", "tier", ANN, "--unpin", "--reason", "contract ended"]
    expect(await parley(...unpinned, "--dry-run")).toMatchObject([0, { pinned: true, paidTier: "pro", dryRun: true }])
    expect(await parley(...unpinned)).toMatchObject([0, { tier: "pro", pinned: false, paidTier: "pro" }])
    expect(await tier()).toBe("pro")
    const mistakes = [["--pin", "--reason", "x"], ["pro", "--unpin", "--reason", "x"], ["pro"], ["--unpin"]]
    for (const mistake of mistakes) expect((await parley("users", "tier", ANN, ...mistake))[0]).toBe(2)
    expect((await parley("users", "tier", ANN, "gold", "--pin", "--reason", "x"))[0]).toBe(2)
    expect(await parley("credits", "verify")).toMatchObject([0, { ok: true }])
  })

  it("an erased person's pages are closed, and what is paid nevertheless is listed until it is refunded", async () => {
    const bob = new Visitor(server.url)
    await bob.signIn("bob@example.com")
    const page = async (priceId: string, mode: CheckoutMode) => {
      const answer = await bob.post("/api/billing/checkout", { priceId, mode })
      const { url } = (await answer.json()) as { readonly url: string }
      return new URL(url).pathname.split("/").at(-1) ?? ""
    }
    const [open, transferred] = [await page("price_pro", "subscription"), await page("price_credits", "one-time")]
    provider.standIn.pay(transferred, { means: "later" })
    await provider.standIn.deliveries.idle()
    expect((await parley("users", "delete", "bob@example.com"))[0]).toBe(0)
    expect(() => provider.standIn.pay(open)).toThrow("closed")
    // The transfer was under way, and arrives.
    provider.standIn.moveClock(provider.standIn.now() + 4 * 86_400_000)
    await provider.standIn.deliveries.idle()
    const payment = provider.standIn.payments.at(-1) ?? ""
    const listed = async () => {
      const [, found] = await parley("billing", "list", "--state", "owed")
      return (found as unknown as { readonly events: ReadonlyArray<{ readonly note: string }> }).events
    }
    const owed = { payment: `payment:${payment}`, user: null, note: "to be refunded: its person was erased" }
    expect(await listed()).toMatchObject([owed])
    const people = await runHere(["billing", "list"], folder.path, environment)
    expect(people.stdout).toContain("to be refunded")
    const doctor = await runHere(["doctor"], folder.path, environment)
    expect(doctor.stdout).toContain("1 payments are to be refunded")
    const verify = () => parley("credits", "verify", "--with-payments")
    const difference = { kind: "not-granted", payment, found: owed.note }
    expect(await verify()).toMatchObject([1, { payments: { differences: [difference] } }])
    expect((await parley("users", "export", "bob@example.com"))[0]).toBe(4)
    provider.standIn.refund(payment)
    await provider.standIn.deliveries.idle()
    expect(await listed()).toEqual([])
    expect(await verify()).toMatchObject([0, { ok: true }])
  })

  it("of two open pages for plans the second is closed once the first is paid, and two that are paid are named", async () => {
    const carol = new Visitor(server.url)
    await carol.signIn("carol@example.com")
    const page = async (priceId: string) => {
      const answer = await carol.post("/api/billing/checkout", { priceId, mode: "subscription" })
      const { url } = (await answer.json()) as { readonly url: string }
      return new URL(url).pathname.split("/").at(-1) ?? ""
    }
    const subscriptions = () =>
      carol.getJson<{ readonly subscription: object; readonly others: ReadonlyArray<{ readonly id: string }> }>(
        "/api/billing/subscription"
      )
    const [small, large] = [await page("price_pro"), await page("price_business")]
    provider.standIn.pay(small)
    await provider.standIn.deliveries.idle()
    expect(() => provider.standIn.pay(large)).toThrow("closed")
    expect(await subscriptions()).toMatchObject({ subscription: { tier: "pro" }, others: [] })

    // Both are paid before the provider reports either of them.
    const dave = new Visitor(server.url)
    await dave.signIn("dave@example.com")
    const daves = async (priceId: string) => {
      const answer = await dave.post("/api/billing/checkout", { priceId, mode: "subscription" })
      return new URL(((await answer.json()) as { readonly url: string }).url).pathname.split("/").at(-1) ?? ""
    }
    const both = [await daves("price_pro"), await daves("price_business")]
    for (const one of both) provider.standIn.pay(one)
    await provider.standIn.deliveries.idle()
    const found = await dave.getJson<Awaited<ReturnType<typeof subscriptions>>>("/api/billing/subscription")
    expect(found).toMatchObject({ subscription: { tier: "business" }, others: [{ tier: "pro", status: "active" }] })
    const [second] = found.others
    const doctor = await runHere(["doctor"], folder.path, environment)
    expect(doctor.stdout).toContain("1 people pay for several at once")
    expect(doctor.stdout).toContain(second?.id)
    const difference = { kind: "second-subscription", userId: "dave@example.com", payment: second?.id }
    expect(await parley("credits", "verify", "--with-payments")).toMatchObject([
      1,
      { payments: { differences: [difference] } }
    ])
    provider.standIn.cancel(second?.id ?? "", "now")
    await provider.standIn.deliveries.idle()
    expect((await dave.getJson<typeof found>("/api/billing/subscription")).others).toEqual([])
    expect((await parley("credits", "verify", "--with-payments"))[0]).toBe(0)
  })

  it("commands that need the provider say so where none is configured", async () => {
    const other = temporaryFolder()
    await runHere(["migrate"], other.path)
    const { exit, stderr } = await runHere(["billing", "catch-up"], other.path, { NODE_ENV: "production" })
    expect([exit, stderr]).toEqual([3, expect.stringContaining("Payments are not set up")])
    other[Symbol.dispose]()
  })
})
