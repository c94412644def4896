import { Stream } from "effect"
import { describe, expect, it } from "vitest"
import { STAND_IN_GENERATIONS } from "@parley/stripe-stand-in"
import { billedShop, type BilledShop } from "./inbox/billedShop.ts"

interface Listed {
  readonly data: ReadonlyArray<object>
}

const recordsOf = async (shop: BilledShop, since = 0) => [
  ...(await shop.run(Stream.runCollect(shop.gateway.records({ since }))))
]

describe.each(STAND_IN_GENERATIONS)("the objects that the provider lists, of %s", (generation) => {
  it("are charges, refunds, disputes, paid sessions, paid invoices and live subscriptions, in this order", async () => {
    await using shop = await billedShop({ generation })
    const { customerId } = await shop.buy("ann", "price_credits")
    const [payment = ""] = shop.standIn.payments
    shop.standIn.refund(payment, 100)
    const dispute = shop.standIn.openDispute(payment)
    await shop.buy("ann", "price_pro")
    const records = await recordsOf(shop)
    expect(records.map(({ _tag }) => _tag)).toEqual([
      "Charge",
      "Charge",
      "Refund",
      "Dispute",
      "Checkout",
      "Checkout",
      "InvoicePaid",
      "InvoicePaid",
      "Subscription"
    ])
    const charges = records.flatMap((record) => (record._tag === "Charge" ? [record.charge] : []))
    const sold = charges.find(({ paymentId }) => paymentId === payment)
    expect(sold).toMatchObject({ customerId, priceId: "price_credits", amountRefunded: 100, invoiceId: null })
    expect(records).toContainEqual(expect.objectContaining({ _tag: "Refund", chargeId: sold?.id }))
    expect(records).toContainEqual(expect.objectContaining({ _tag: "Dispute", id: dispute }))
  })

  it("are those since a time, and all subscriptions that go on", async () => {
    await using shop = await billedShop({ generation })
    await shop.buy("ann", "price_credits")
    await shop.buy("ann", "price_pro")
    const later = shop.standIn.now() + 60_000
    expect((await recordsOf(shop, later)).map(({ _tag }) => _tag)).toEqual(["Subscription"])
  })

  it("leave out charges that were declined, and bring one that cannot be read as unreadable beside the others", async () => {
    await using shop = await billedShop({ generation })
    const { customerId } = await shop.buy("ann", "price_credits")
    shop.twist = (path, answer) => {
      if (path !== "charges") return answer
      const { data } = answer as Listed
      const others = data.flatMap((charge) => [
        { ...charge, id: "ch_declined", status: "failed" },
        { ...charge, id: "ch_strange", amount: "much" },
        charge
      ])
      return { ...(answer as object), data: others }
    }
    const charges = (await recordsOf(shop)).filter(({ _tag }) => _tag === "Charge" || _tag === "Unreadable")
    expect(charges).toMatchObject([
      { id: "ch_strange", _tag: "Unreadable", subject: { customerId } },
      { _tag: "Charge", charge: { customerId } }
    ])
  })
})

describe("a part of a charge that is disputed in another currency than the purchase", () => {
  it("is no difference, since the same part of the credits was taken", async () => {
    await using shop = await billedShop()
    await shop.buy("ann", "price_credits")
    shop.standIn.openDispute(shop.standIn.payments[0] ?? "")
    const inEuros = (amount: number) => (value: object) => ({ ...value, currency: "eur", amount })
    const [charged, disputed] = [inEuros(2_000), inEuros(1_000)]
    shop.twist = (path, answer) => {
      if (path.startsWith("charges/")) return charged(answer as object)
      const change = { charges: charged, disputes: disputed }[path]
      return change === undefined ? answer : { ...(answer as object), data: (answer as Listed).data.map(change) }
    }
    for (const { text } of shop.standIn.events) {
      const event = JSON.parse(text) as { readonly data: { readonly object: { readonly object: string } } }
      const { object } = event.data
      const isDispute = object.object === "dispute"
      await shop.deliver(JSON.stringify(isDispute ? { ...event, data: { object: disputed(object) } } : event))
    }
    expect(await shop.account("ann")).toMatchObject({ topup: 350 })
    expect(await shop.differences()).toEqual([])
  })
})
