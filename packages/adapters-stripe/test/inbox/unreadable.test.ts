import { PaymentInbox } from "@parley/core/effect"
import { describe, expect, it } from "vitest"
import { billedShop, type BilledShop } from "./billedShop.ts"

interface Line {
  readonly parent: { readonly type: string }
}
interface Listed {
  readonly data?: ReadonlyArray<Record<string, unknown>>
}

/** A line of an invoice that is for no part of a subscription, in a form that a later version of the provider has. */
const strangeLine = { id: "il_strange", object: "line_item", parent: { type: "of_tomorrow" } }

type Change = (invoice: Record<string, unknown>) => unknown

/** Has the provider's lists, look-ups and events bring other invoices of a customer. */
const withInvoices = (shop: BilledShop, customer: () => string | undefined, change: Change): void => {
  const changed = (value: unknown): unknown => {
    const invoice = value as Record<string, unknown>
    return invoice["object"] === "invoice" && invoice["customer"] === customer() ? change(invoice) : value
  }
  shop.twist = (path, answer) => {
    if (path === "events") {
      const data = (answer as Listed).data ?? []
      return { ...(answer as object), data: data.map((event) => JSON.parse(twisted(JSON.stringify(event)))) }
    }
    if (path !== "invoices") return changed(answer)
    return { ...(answer as object), data: ((answer as Listed).data ?? []).map(changed) }
  }
  const twisted = (text: string): string => {
    const event = JSON.parse(text) as { data: { object: unknown } }
    return JSON.stringify({ ...event, data: { object: changed(event.data.object) } })
  }
}

const cut: Change = (invoice) => ({ ...invoice, lines: { ...(invoice["lines"] as object), has_more: true } })
const broken: Change = (invoice) => ({ ...invoice, currency: 7 })

describe("an object of the provider's that cannot be read", () => {
  it("stops no catch-up: its event is kept as unreadable, and every other purchase is granted", async () => {
    await using shop = await billedShop()
    const { customerId } = await shop.buy("bob", "price_pro")
    for (const userId of ["ann", "cem", "dea", "eva", "fay"]) await shop.buy(userId, "price_credits")
    withInvoices(shop, () => customerId, broken)
    const report = await shop.catchUp()
    expect(report.states).toMatchObject({ unreadable: 1, refused: 0 })
    for (const userId of ["ann", "cem", "dea", "eva", "fay"]) {
      expect(await shop.account(userId)).toMatchObject({ topup: 700 })
    }
    const unreadable = (await shop.events()).filter(({ state }) => state === "unreadable")
    expect(unreadable).toMatchObject([{ kind: "invoice.paid", userId: "bob", note: "invoice.currency: not a text" }])
  })

  it("is a difference of its person, and every other difference is found as well", async () => {
    await using shop = await billedShop()
    const { customerId } = await shop.buy("bob", "price_pro")
    const { sessionId } = await shop.buy("ann", "price_credits")
    withInvoices(shop, () => customerId, broken)
    const found = await shop.differences()
    expect(found).toContainEqual(
      expect.objectContaining({ kind: "unreadable", userId: "bob", found: "invoice.currency: not a text" })
    )
    expect(found).toContainEqual(expect.objectContaining({ kind: "not-granted", userId: "ann", payment: sessionId }))
  })

  it("does no harm where it is of another product's customer: it waits like all that is theirs", async () => {
    await using shop = await billedShop()
    const { customerId } = await shop.run(
      shop.gateway.createCustomer({ userId: "stranger", email: undefined, idempotencyKey: "other" })
    )
    const other = { object: "invoice", id: "in_other", customer: customerId, status: "paid", lines: { data: "none" } }
    shop.twist = (path, answer) =>
      path === "invoices" ? { ...(answer as object), data: [...((answer as Listed).data ?? []), other] } : answer
    expect(await shop.differences()).toEqual([])
    const event = {
      id: "evt_other",
      object: "event",
      type: "invoice.paid",
      created: 1_769_860_800,
      data: { object: other }
    }
    expect(await shop.deliver(JSON.stringify(event))).toMatchObject({ state: "waiting" })
  })
})

describe("an invoice with more lines than its event brings", () => {
  it("is paid for by its subscription's lines, with any other kinds of lines", async () => {
    await using shop = await billedShop()
    const { customerId } = await shop.buy("bob", "price_pro")
    withInvoices(
      shop,
      () => customerId,
      (invoice) => {
        const lines = invoice["lines"] as { readonly data: ReadonlyArray<Line> }
        return { ...invoice, lines: { ...lines, data: [strangeLine, ...lines.data] } }
      }
    )
    expect((await shop.catchUp()).states).toMatchObject({ unreadable: 0, refused: 0 })
    expect(await shop.account("bob")).toMatchObject({ tier: "pro", allowance: 1_000 })
  })

  it("is completed for people who are known, and not asked for where it is another product's", async () => {
    await using shop = await billedShop()
    const { customerId } = await shop.buy("bob", "price_pro")
    const other = await shop.run(
      shop.gateway.createCustomer({ userId: "stranger", email: undefined, idempotencyKey: "other" })
    )
    const paid = shop.standIn.events.find(({ kind }) => kind === "invoice.paid")?.text ?? ""
    const event = JSON.parse(paid) as { data: { object: Record<string, unknown> } }
    const lines = { ...(event.data.object["lines"] as object), data: [strangeLine], has_more: true }
    const mine = { ...event, data: { object: { ...event.data.object, lines } } }
    const details = { type: "subscription_details", subscription_details: { metadata: {}, subscription: "sub_other" } }
    const theirs = {
      ...event,
      id: "evt_theirs",
      data: { object: { ...event.data.object, lines, customer: other.customerId, id: "in_other", parent: details } }
    }
    const charge = { object: "charge", id: "ch_other", customer: other.customerId, amount: 5, amount_refunded: 5 }
    const refunded = {
      ...event,
      id: "evt_refunded",
      type: "charge.refunded",
      data: { object: { ...charge, currency: "usd", payment_intent: "pi_other" } }
    }
    const before = shop.asked.length
    expect(await shop.deliver(JSON.stringify(theirs))).toMatchObject({ state: "waiting" })
    expect(await shop.deliver(JSON.stringify(refunded))).toMatchObject({ state: "waiting" })
    expect(shop.asked.slice(before)).toEqual([])
    withInvoices(shop, () => customerId, cut)
    expect(await shop.deliver(JSON.stringify(mine))).toMatchObject({ state: "applied" })
    expect(await shop.account("bob")).toMatchObject({ tier: "pro" })
  })

  it("waits for its person, and is completed once its customer is linked", async () => {
    await using shop = await billedShop()
    const { customerId } = await shop.run(
      shop.gateway.createCustomer({ userId: "gus", email: undefined, idempotencyKey: "gus" })
    )
    const { sessionId } = await shop.run(
      shop.gateway.checkoutSession({
        customerId,
        userId: "gus",
        priceId: "price_pro",
        mode: "subscription",
        successUrl: "http://127.0.0.1:3000/done",
        cancelUrl: "http://127.0.0.1:3000/plans",
        idempotencyKey: "k"
      })
    )
    shop.standIn.pay(sessionId)
    const paid = shop.standIn.events.find(({ kind }) => kind === "invoice.paid")?.text ?? ""
    const event = JSON.parse(paid) as { data: { object: Record<string, unknown> } }
    const nameless = JSON.parse(JSON.stringify(event.data.object).replaceAll("parley_user", "other")) as object
    const object = cut({ ...nameless })
    expect(await shop.deliver(JSON.stringify({ ...event, data: { object } }))).toMatchObject({ state: "waiting" })
    await shop.run(PaymentInbox.use((inbox) => inbox.link({ userId: "gus", customerId, replaces: undefined })))
    expect(await shop.account("gus")).toMatchObject({ tier: "pro", allowance: 1_000 })
  })
})
