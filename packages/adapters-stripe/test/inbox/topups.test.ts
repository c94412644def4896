import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { STAND_IN_GENERATIONS } from "@parley/stripe-stand-in"
import { billedShop } from "./billedShop.ts"

describe.each(STAND_IN_GENERATIONS)("credits that are bought, where the provider writes events as %s", (generation) => {
  it("have an invoice of their customer, which is for no plan", async () => {
    await using shop = await billedShop({ generation })
    const { customerId } = await shop.buy("ann", "price_credits")
    await shop.deliverAll()
    const invoices = await shop.run(shop.gateway.invoices({ customerId, limit: 10 }))
    expect(invoices).toMatchObject([{ amount: 5, currency: "usd", status: "paid", description: "5,000 credits" }])
    expect(await shop.account("ann")).toMatchObject({ tier: "free", topup: 700 })
    expect(await shop.differences()).toEqual([])
    const states = (await shop.events()).map(({ state }) => state)
    expect(new Set(states)).toEqual(new Set(["applied", "ignored"]))
  })

  it.each(["in order", "backwards"])("follow their refund and their dispute, which come %s", async (order) => {
    await using shop = await billedShop({ generation })
    await shop.buy("ann", "price_credits")
    await shop.buy("bob", "price_credits")
    const [paidByAnn = "", paidByBob = ""] = shop.standIn.payments
    shop.standIn.refund(paidByAnn, 250)
    shop.standIn.openDispute(paidByBob)
    const events = shop.standIn.events.map(({ text }) => text)
    for (const text of order === "backwards" ? events.toReversed() : events) await shop.deliver(text)
    expect(await shop.account("ann")).toMatchObject({ topup: 350, debt: 0 })
    expect(await shop.account("bob")).toMatchObject({ topup: 0, debt: 0 })
  })

  it("are not taken back with the refund of a plan, nor a plan with theirs", async () => {
    await using shop = await billedShop({ generation })
    await shop.buy("ann", "price_pro")
    await shop.buy("ann", "price_credits")
    await shop.deliverAll()
    const [plan = ""] = shop.standIn.payments
    shop.standIn.refund(plan)
    await shop.deliverAll()
    expect(await shop.account("ann")).toMatchObject({ tier: "pro", allowance: 0, topup: 700 })
  })
})

describe("a gateway without the secret of the provider's events", () => {
  it("opens no checkout page, because its payment would belong to no person", async () => {
    await using shop = await billedShop({ webhookSecret: undefined })
    const page = { successUrl: "http://127.0.0.1/", cancelUrl: "http://127.0.0.1/" }
    const input = { customerId: "cus_1", userId: "ann", priceId: "price_credits", idempotencyKey: "k", ...page }
    const refusal = await shop.run(Effect.flip(shop.gateway.checkoutSession({ ...input, mode: "one-time" })))
    expect(refusal).toMatchObject({ _tag: "PaymentsNotConfigured", missing: "webhook-secret" })
    expect(shop.asked).toEqual([])
  })
})
