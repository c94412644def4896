import { PaymentInbox } from "@parley/core/effect"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { billedShop, type BilledShop } from "./billedShop.ts"

interface SoldByLink {
  readonly customer: string
  readonly mode: "payment" | "subscription"
  readonly price: string
  readonly quantity?: number
}

/** The session of an operator's own payment link: it has no metadata. */
const payByLink = async (shop: BilledShop, { customer, mode, price, quantity = 1 }: SoldByLink): Promise<string> => {
  const form = new URLSearchParams({
    customer,
    mode,
    "line_items[0][price]": price,
    "line_items[0][quantity]": String(quantity),
    success_url: "http://127.0.0.1/",
    cancel_url: "http://127.0.0.1/"
  })
  const response = await shop.standIn.fetch(`${shop.standIn.base}/v1/checkout/sessions`, {
    method: "POST",
    body: form,
    headers: { authorization: `Bearer ${shop.standIn.apiKey}`, "content-type": "application/x-www-form-urlencoded" }
  })
  const { id } = (await response.json()) as { readonly id: string }
  shop.standIn.pay(id)
  return id
}

const customerOf = (shop: BilledShop, userId: string) =>
  Effect.map(
    shop.gateway.createCustomer({ userId, email: undefined, idempotencyKey: `customer:${userId}` }),
    ({ customerId }) => customerId
  )

const linked = async (shop: BilledShop, userId: string): Promise<string> => {
  const customerId = await shop.run(customerOf(shop, userId))
  await shop.run(PaymentInbox.use((inbox) => inbox.link({ userId, customerId, replaces: undefined })))
  return customerId
}

describe("a payment link of the operator's own", () => {
  it("sells credits to a customer who is linked, as many packs as were bought", async () => {
    await using shop = await billedShop()
    await payByLink(shop, { customer: await linked(shop, "ann"), mode: "payment", price: "price_credits", quantity: 3 })
    await shop.deliverAll()
    expect(await shop.account("ann")).toMatchObject({ topup: 2_100 })
    expect(await shop.differences()).toEqual([])
    const [payment = ""] = shop.standIn.payments
    shop.standIn.refund(payment, 500)
    await shop.deliverAll()
    expect(await shop.account("ann")).toMatchObject({ topup: 1_400 })
    await shop.deliverAll()
    expect(await shop.account("ann")).toMatchObject({ topup: 1_400 })
  })

  it("sells a plan to them", async () => {
    await using shop = await billedShop()
    const customer = await linked(shop, "ann")
    await payByLink(shop, { customer, mode: "subscription", price: "price_pro" })
    await shop.deliverAll()
    expect(await shop.account("ann")).toMatchObject({ tier: "pro", allowance: 1_000 })
    const states = (await shop.events()).map(({ state }) => state)
    expect(new Set(states)).toEqual(new Set(["applied", "ignored"]))
  })

  it("waits for a customer who is not linked, without a question to the provider, and counts once they are", async () => {
    await using shop = await billedShop()
    const customerId = await shop.run(customerOf(shop, "ann"))
    await payByLink(shop, { customer: customerId, mode: "payment", price: "price_credits" })
    const before = shop.asked.length
    await shop.deliverAll()
    expect(shop.asked.slice(before)).toEqual([])
    await shop.run(PaymentInbox.use((inbox) => inbox.link({ userId: "ann", customerId, replaces: undefined })))
    expect(await shop.account("ann")).toMatchObject({ topup: 700 })
  })

  it("that sells several things gives the credits of those that are for credits", async () => {
    await using shop = await billedShop()
    await payByLink(shop, { customer: await linked(shop, "ann"), mode: "payment", price: "price_credits", quantity: 2 })
    shop.twist = (path, answer) => {
      if (!/^checkout\/sessions\/[^/]+$/.test(path)) return answer
      const session = answer as { readonly line_items?: { readonly data: ReadonlyArray<object> } }
      const shirt = { id: "li_shirt", object: "item", price: { id: "price_shirt", object: "price" }, quantity: 5 }
      const data = [shirt, ...(session.line_items?.data ?? [])]
      return { ...session, line_items: { object: "list", has_more: false, data } }
    }
    await shop.deliverAll()
    expect(await shop.account("ann")).toMatchObject({ topup: 1_400 })
  })

  it("for what is not in the catalog is refused, and tells the operator so", async () => {
    await using shop = await billedShop()
    await payByLink(shop, { customer: await linked(shop, "ann"), mode: "payment", price: "price_credits" })
    shop.twist = (path, answer) =>
      /^checkout\/sessions\/[^/]+$/.test(path)
        ? JSON.parse(JSON.stringify(answer).replaceAll("price_credits", "price_shirt"))
        : answer
    await shop.deliverAll()
    expect((await shop.events()).filter(({ state }) => state === "refused")).toMatchObject([
      { userId: "ann", note: "its price is for no credits in the catalog" }
    ])
  })
})
