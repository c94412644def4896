import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { memoryStore, STAND_IN_GENERATIONS } from "@parley/stripe-stand-in"
import { JANUARY_31, stagedStandIn, subscribed } from "./stagedStandIn.ts"

const DAY = 86_400_000
const day = (iso: string) => Date.parse(`${iso}T12:00:00Z`)
const isoDays = (times: ReadonlyArray<number>) => times.map((time) => new Date(time).toISOString().slice(0, 10))

describe.each(STAND_IN_GENERATIONS)("the stand-in, writing events as %s", (generation) => {
  it("renews a subscription of the 31st on the last day of each month, through a year", async () => {
    using staged = stagedStandIn({ generation })
    const id = await subscribed(staged)
    staged.standIn.moveClock(day("2027-02-01"))
    const invoices = (await staged.paidInvoices()).toReversed()
    expect(invoices.map(({ reason }) => reason)).toEqual(["create", ...Array<string>(12).fill("cycle")])
    expect(isoDays(invoices.map(({ lines }) => lines[0]?.periodStart ?? 0))).toEqual([
      "2026-01-31",
      "2026-02-28",
      "2026-03-31",
      "2026-04-30",
      "2026-05-31",
      "2026-06-30",
      "2026-07-31",
      "2026-08-31",
      "2026-09-30",
      "2026-10-31",
      "2026-11-30",
      "2026-12-31",
      "2027-01-31"
    ])
    expect(invoices.every(({ createdAt, lines }) => createdAt === lines[0]?.periodStart)).toBe(true)
    const subscription = await Effect.runPromise(staged.gateway.subscription(id))
    expect(isoDays([subscription.items[0]?.periodEnd ?? 0])).toEqual(["2027-02-28"])
  })

  it("tries a payment that failed again, and ends the subscription when it gives up", async () => {
    using staged = stagedStandIn({ generation })
    const id = await subscribed(staged, "price_pro", { card: "fails" })
    staged.standIn.moveClock(day("2026-03-01"))
    const status = async () => (await Effect.runPromise(staged.gateway.subscription(id))).status
    expect(await status()).toBe("past-due")
    const renewed = staged.standIn.events.filter(
      ({ created, kind }) => kind === "customer.subscription.updated" && created * 1000 === day("2026-02-28")
    )
    expect(renewed, "of two reports of one second nobody could tell the later one").toHaveLength(1)
    const failed = staged.standIn.events.find(({ kind }) => kind === "invoice.payment_failed")
    const { id: unpaid } = (JSON.parse(failed?.text ?? "") as { data: { object: { id: string } } }).data.object
    expect(await Effect.runPromise(Effect.flip(staged.gateway.paidInvoice(unpaid)))).toMatchObject({
      _tag: "PaymentObjectNotFound",
      object: "invoice"
    })
    staged.standIn.moveClock(day("2026-03-04"))
    expect(await status()).toBe("past-due")
    staged.standIn.moveClock(day("2026-03-20"))
    expect(await Effect.runPromise(staged.gateway.subscription(id))).toMatchObject({
      status: "ended",
      endedAt: day("2026-02-28") + 7 * DAY
    })
    expect(await staged.paidInvoices()).toHaveLength(1)
    const kinds = (await staged.reports()).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === "invoice.payment_failed")).toHaveLength(4)
    expect(kinds.at(-1)).toBe("customer.subscription.deleted")
  })

  it("brings a subscription back when the failed payment is made good", async () => {
    using staged = stagedStandIn({ generation })
    const id = await subscribed(staged, "price_pro", { card: "fails" })
    staged.standIn.moveClock(day("2026-03-01"))
    staged.standIn.setCard(id, "works")
    staged.standIn.moveClock(day("2026-03-04"))
    expect(await Effect.runPromise(staged.gateway.subscription(id))).toMatchObject({ status: "active" })
    const invoices = await staged.paidInvoices()
    expect(invoices.map(({ reason }) => reason)).toEqual(["cycle", "create"])
    expect(invoices[0]?.createdAt).toBe(day("2026-02-28"))
  })

  it("ends a subscription with its period or at once, and takes the first back", async () => {
    using staged = stagedStandIn({ generation })
    const id = await subscribed(staged)
    const subscription = () => Effect.runPromise(staged.gateway.subscription(id))
    staged.standIn.cancel(id, "period-end")
    expect(await subscription()).toMatchObject({ status: "active", endsAt: day("2026-02-28") })
    staged.standIn.resume(id)
    expect(await subscription()).toMatchObject({ status: "active", endsAt: undefined })
    staged.standIn.cancel(id, "period-end")
    staged.standIn.moveClock(day("2026-03-05"))
    expect(await subscription()).toMatchObject({ status: "ended", endedAt: day("2026-02-28") })
    expect(await staged.paidInvoices()).toHaveLength(1)

    const other = await subscribed(staged)
    expect(other).not.toBe(id)
    staged.standIn.cancel(other, "now")
    expect(await Effect.runPromise(staged.gateway.subscription(other))).toMatchObject({ endedAt: day("2026-03-05") })
  })

  it("corrects the rest of a period when the plan changes, and begins a new one if its length does", async () => {
    using staged = stagedStandIn({ generation })
    const id = await subscribed(staged)
    staged.standIn.moveClock(day("2026-02-14"))
    staged.standIn.changePlan(id, "price_business")
    const [corrected] = await staged.paidInvoices()
    expect(corrected).toMatchObject({ reason: "update", amountPaid: 4_000 })
    expect(corrected?.lines.map(({ isProration, periodEnd, priceId }) => [priceId, isProration, periodEnd])).toEqual([
      ["price_pro", true, day("2026-02-28")],
      ["price_business", true, day("2026-02-28")]
    ])
    expect(await Effect.runPromise(staged.gateway.subscription(id))).toMatchObject({
      items: [{ priceId: "price_business", periodEnd: day("2026-02-28") }]
    })
    staged.standIn.changePlan(id, "price_pro_year")
    const [begun] = await staged.paidInvoices()
    expect(begun?.lines.map(({ isProration }) => isProration)).toEqual([true, false])
    expect(await Effect.runPromise(staged.gateway.subscription(id))).toMatchObject({
      items: [{ priceId: "price_pro_year", periodStart: day("2026-02-14"), periodEnd: day("2027-02-14") }]
    })
  })

  it("begins with days for nothing, and charges when they are over", async () => {
    using staged = stagedStandIn({ generation })
    const id = await subscribed(staged, "price_pro", { trialDays: 14 })
    const subscription = () => Effect.runPromise(staged.gateway.subscription(id))
    expect(await subscription()).toMatchObject({ status: "trialing", items: [{ periodEnd: JANUARY_31 + 14 * DAY }] })
    staged.standIn.moveClock(day("2026-02-15"))
    expect(await subscription()).toMatchObject({ status: "active", items: [{ periodEnd: day("2026-03-14") }] })
    const invoices = await staged.paidInvoices()
    expect(invoices.map(({ amountPaid, reason }) => [reason, amountPaid])).toEqual([
      ["cycle", 2_000],
      ["create", 0]
    ])
  })

  it("sells for nothing with a coupon of 100 %, and says that nothing was to pay", async () => {
    using staged = stagedStandIn({ generation })
    const { sessionId } = await staged.checkout("price_credits", "one-time")
    staged.standIn.pay(sessionId, { isFree: true })
    expect(await Effect.runPromise(staged.gateway.session(sessionId))).toMatchObject({
      isPaid: true,
      amountTotal: 0,
      paymentId: undefined
    })
    await subscribed(staged, "price_pro", { isFree: true })
    staged.standIn.moveClock(day("2026-03-01"))
    const invoices = await staged.paidInvoices()
    expect(invoices.map(({ amountPaid }) => amountPaid)).toEqual([0, 0, 0])
    const ofPlan = invoices.filter(({ subscriptionId }) => subscriptionId !== undefined)
    expect(ofPlan.map(({ lines }) => lines[0]?.amount)).toEqual([2_000, 2_000])
  })

  it("reports a transfer when it arrives, and when it does not", async () => {
    using staged = stagedStandIn({ generation })
    const first = await staged.checkout("price_credits", "one-time")
    const second = await staged.checkout("price_pro", "subscription")
    staged.standIn.pay(first.sessionId, { means: "later" })
    staged.standIn.pay(second.sessionId, { means: "later-fails" })
    const isPaid = async (id: string) => (await Effect.runPromise(staged.gateway.session(id))).isPaid
    expect(await isPaid(first.sessionId)).toBe(false)
    staged.standIn.moveClock(JANUARY_31 + 3 * DAY)
    expect([await isPaid(first.sessionId), await isPaid(second.sessionId)]).toEqual([true, false])
    const sessions = (await staged.reports()).flatMap(({ event, kind }) =>
      event._tag === "Checkout" ? [[kind, event.session.isPaid]] : []
    )
    expect(sessions).toEqual([
      ["checkout.session.completed", false],
      ["checkout.session.completed", false],
      ["checkout.session.async_payment_succeeded", true],
      ["checkout.session.async_payment_failed", false]
    ])
  })

  it("gives payments back in parts, and lets disputes be won and lost", async () => {
    using staged = stagedStandIn({ generation })
    for (const user of ["ann", "bob"]) {
      const { sessionId } = await staged.checkout("price_credits", "one-time", user)
      staged.standIn.pay(sessionId)
    }
    const [ann = "", bob = ""] = staged.standIn.payments
    staged.standIn.refund(ann, 200)
    staged.standIn.refund(ann)
    expect(() => staged.standIn.refund(ann)).toThrow("given back")
    const won = staged.standIn.openDispute(bob)
    staged.standIn.closeDispute(won, "won")
    const reports = (await staged.reports()).flatMap(({ event }): ReadonlyArray<unknown> => {
      if (event._tag === "Charge") return [event.charge.amountRefunded]
      return event._tag === "Dispute" ? [event.dispute.funds] : []
    })
    expect(reports).toEqual([200, 500, "withdrawn", "withdrawn", "reinstated", "reinstated"])
  })

  it("tells nothing that cannot be read", async () => {
    using staged = stagedStandIn({ generation })
    const id = await subscribed(staged)
    staged.standIn.changePlan(id, "price_business")
    staged.standIn.moveClock(day("2026-06-01"))
    staged.standIn.cancel(id, "now")
    for (const { event } of await staged.reports()) expect(event).not.toMatchObject({ _tag: "Unreadable" })
  })
})

describe("the stand-in", () => {
  it("keeps its clock going forward, and what it knows when it begins again", async () => {
    const kept: Array<string> = []
    const store = {
      load: () => JSON.parse(kept.at(-1) ?? "null"),
      save: (state: unknown) => void kept.push(JSON.stringify(state))
    }
    kept.push(JSON.stringify(memoryStore().load()))
    let id = ""
    {
      using staged = stagedStandIn({ store })
      id = await subscribed(staged)
      staged.standIn.moveClock(day("2026-02-10"))
      expect(() => staged.standIn.moveClock(day("2026-02-09"))).toThrow("only goes forward")
    }
    using again = stagedStandIn({ store })
    expect(again.standIn.now()).toBe(day("2026-02-10"))
    expect(await Effect.runPromise(again.gateway.subscription(id))).toMatchObject({ status: "active" })
  })

  it("answers a key once: the same request gets the first answer, another one is refused", async () => {
    using staged = stagedStandIn()
    const create = async (email: string) => {
      const response = await staged.standIn.fetch(`${staged.standIn.base}/v1/customers`, {
        method: "POST",
        body: new URLSearchParams({ email }),
        headers: { authorization: `Bearer ${staged.standIn.apiKey}`, "idempotency-key": "k" }
      })
      return { status: response.status, body: (await response.json()) as object }
    }
    const [first, again, other] = [
      await create("a@example.com"),
      await create("a@example.com"),
      await create("b@example.com")
    ]
    expect(first).toMatchObject({ status: 200, body: { object: "customer" } })
    expect(again).toEqual(first)
    expect(other).toMatchObject({ status: 400, body: { error: { type: "idempotency_error" } } })
  })

  it("refuses what Stripe refuses: a wrong key, an unknown parameter, a price that does not fit the mode", async () => {
    using staged = stagedStandIn()
    const post = async (path: string, form: Record<string, string>, key = staged.standIn.apiKey) => {
      const response = await staged.standIn.fetch(`${staged.standIn.base}/v1/${path}`, {
        method: "POST",
        body: new URLSearchParams(form),
        headers: { authorization: `Bearer ${key}` }
      })
      return [response.status, ((await response.json()) as { error?: { code?: string } }).error?.code]
    }
    expect(await post("customers", {}, "sk_test_other")).toEqual([401, undefined])
    expect(await post("customers", { emial: "a@example.com" })).toEqual([400, "parameter_unknown"])
    expect(await post("nowhere", {})).toEqual([404, undefined])
    await expect(staged.checkout("price_credits", "subscription")).rejects.toThrow("refused")
  })

  it("answers no request while it is down, and goes on afterwards", async () => {
    using staged = stagedStandIn()
    staged.standIn.setOutage(true)
    await expect(staged.customer()).rejects.toMatchObject({ _tag: "PaymentUnavailable" })
    staged.standIn.setOutage(false)
    expect(await staged.customer()).toMatch(/^cus_/)
  })
})
