import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { listenStandIn } from "@parley/stripe-stand-in"
import { stagedStandIn, subscribed, type Staged } from "./stagedStandIn.ts"
import { sale } from "./sale.ts"

const textOf = async (response: Response) => (await response.text()).replace(/\s+/g, " ")

const post = ({ standIn }: Staged, url: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  standIn.handle(new Request(url, { method: "POST", body: new URLSearchParams(form), headers }))

const show = ({ standIn }: Staged, url: string) => standIn.handle(new Request(url))

describe("a page of the stand-in", () => {
  it("says that it is one, loads nothing but its style, and runs nothing", async () => {
    using staged = stagedStandIn()
    const { url } = await staged.checkout("price_pro", "subscription")
    for (const page of [url, `${staged.standIn.base}/`, `${staged.standIn.base}/portal/${await staged.customer()}`]) {
      const response = await show(staged, page)
      const text = await textOf(response)
      expect(text).toContain("No real money moves here")
      expect(text).toMatch(/<html lang="en">.*<title>.+<\/title>.*<main>.*<h1>.+<\/h1>/)
      expect(text).not.toMatch(/<script|onclick|style="/)
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'; style-src 'self'")
    }
    expect((await show(staged, `${staged.standIn.base}/style.css`)).headers.get("content-type")).toBe("text/css")
  })

  it("for a checkout takes the payment and leads back, once", async () => {
    using staged = stagedStandIn()
    const { sessionId, url } = await staged.checkout("price_pro", "subscription")
    expect(await textOf(await show(staged, url))).toContain("$20.00 a month")
    const declined = await post(staged, `${url}/pay`, { means: "declined" })
    expect([declined.status, await textOf(declined)]).toEqual([409, expect.stringContaining("The card was declined")])
    const paid = await post(staged, `${url}/pay`, { means: "works" })
    expect([paid.status, paid.headers.get("location")]).toEqual([
      303,
      `http://127.0.0.1:3000/done?session=${sessionId}`
    ])
    expect(await Effect.runPromise(staged.gateway.session(sessionId))).toMatchObject({ isPaid: true })
    expect((await post(staged, `${url}/pay`, { means: "works" })).status).toBe(409)
    expect(await textOf(await show(staged, url))).toContain("This page is closed")
  })

  it("for plans cancels, keeps, changes and pays, for its own customer's plans alone", async () => {
    using staged = stagedStandIn()
    const id = await subscribed(staged)
    const portal = await Effect.runPromise(
      staged.gateway.portalSession({ customerId: await staged.customer(), returnUrl: "http://127.0.0.1:3000/plans" })
    )
    const text = await textOf(await show(staged, portal.url))
    expect(text).toContain('href="http://127.0.0.1:3000/plans"')
    expect(text).toContain("Renews on Feb 28, 2026")
    const [address = ""] = portal.url.split("?")
    const act = async (name: string, form: Record<string, string> = {}) =>
      (await post(staged, `${address}/${name}`, { id, return_url: "http://127.0.0.1:3000/plans", ...form })).status
    const subscription = () => Effect.runPromise(staged.gateway.subscription(id))
    expect(await act("cancel")).toBe(303)
    expect((await subscription()).endsAt).toBeDefined()
    expect(await act("resume")).toBe(303)
    expect((await subscription()).endsAt).toBeUndefined()
    expect(await act("change-plan", { price: "price_business" })).toBe(303)
    expect(await subscription()).toMatchObject({ items: [{ priceId: "price_business" }] })
    expect(await act("change-plan", { price: "price_credits" })).toBe(409)
    expect(await act("card-fails")).toBe(303)
    staged.standIn.moveClock(Date.UTC(2026, 2, 1))
    expect(await textOf(await show(staged, portal.url))).toContain("The last payment failed")
    const [open] = staged.standIn.events.filter(({ kind }) => kind === "invoice.payment_failed")
    const invoice = (JSON.parse(open?.text ?? "") as { data: { object: { id: string } } }).data.object.id
    expect(await act("pay-invoice", { id: invoice })).toBe(303)
    expect(await subscription()).toMatchObject({ status: "active" })

    const other = `${staged.standIn.base}/portal/${await staged.customer("eve")}`
    expect((await post(staged, `${other}/cancel-now`, { id })).status).toBe(409)
    expect(await subscription()).toMatchObject({ status: "active" })
    expect(await act("cancel-now")).toBe(303)
    expect(await subscription()).toMatchObject({ status: "ended" })
  })

  it("of its own moves the clock, gives money back, disputes and sends events again", async () => {
    const sent: Array<string> = []
    using staged = stagedStandIn({
      webhook: { url: "http://127.0.0.1:3000/hook", secret: "whsec_1" },
      fetch: (_input, init) => {
        sent.push(String(init?.body))
        return Promise.resolve(new Response(null))
      }
    })
    await subscribed(staged)
    const { base } = staged.standIn
    const before = staged.standIn.now()
    expect((await post(staged, `${base}/clock`, { days: "31" })).status).toBe(303)
    expect(staged.standIn.now() - before).toBe(31 * 86_400_000)
    expect((await post(staged, `${base}/clock`, { to: "1" })).status).toBe(409)
    expect((await post(staged, `${base}/clock`, { days: "x" })).status).toBe(409)
    const [first = "", second = ""] = staged.standIn.payments
    expect((await post(staged, `${base}/payments/${first}/refund`, { part: "half" })).status).toBe(303)
    expect((await post(staged, `${base}/payments/${second}/dispute`, {})).status).toBe(303)
    const text = await textOf(await show(staged, `${base}/`))
    expect(text).toContain("$10.00 given back")
    const dispute = /disputes\/(dp_[0-9a-f]+)\/close/.exec(text)?.[1]
    expect((await post(staged, `${base}/disputes/${dispute}/close`, { outcome: "lost" })).status).toBe(303)
    const [event] = staged.standIn.events
    const times = sent.length
    expect((await post(staged, `${base}/events/${event?.id}/send`, {})).status).toBe(303)
    expect(sent.slice(times)).toEqual([event?.text])
    expect((await post(staged, `${base}/outage`, { state: "down" })).status).toBe(303)
    expect(await textOf(await show(staged, `${base}/`))).toContain("answers no requests")
  })

  it("shows what people wrote as text, and leads to web pages alone", async () => {
    using staged = stagedStandIn()
    const input = { userId: "eve", email: `"><script>alert(1)</script>`, idempotencyKey: "k" }
    const { customerId } = await Effect.runPromise(staged.gateway.createCustomer(input))
    const portal = `${staged.standIn.base}/portal/${customerId}?return_url=${encodeURIComponent("javascript:alert(1)")}`
    const text = await textOf(await show(staged, portal))
    expect(text).toContain("&lt;script&gt;")
    expect(text).not.toMatch(/<script|javascript:/)
  })

  it("takes no form of another site, and is not found by another name", async () => {
    using staged = stagedStandIn()
    const { url } = await staged.checkout("price_pro", "subscription")
    for (const site of ["cross-site", "same-site"]) {
      expect((await post(staged, `${url}/pay`, { means: "works" }, { "sec-fetch-site": site })).status).toBe(403)
    }
    for (const origin of ["https://evil.example", "http://localhost.evil.example", "null"]) {
      expect((await post(staged, `${url}/pay`, { means: "works" }, { origin })).status).toBe(403)
    }
    const own = { origin: new URL(url).origin }
    expect((await post(staged, `${url}/pay`, { means: "declined" }, own)).status).toBe(409)
    const hidden = { origin: "null", "sec-fetch-site": "same-origin" }
    expect((await post(staged, `${url}/pay`, { means: "declined" }, hidden)).status).toBe(409)
    const elsewhere = url.replace("127.0.0.1", "rebound.example")
    expect((await show(staged, elsewhere)).status).toBe(403)
    expect((await show(staged, url.replace("/dev/payments", ""))).status).toBe(404)
    expect((await show(staged, `${staged.standIn.base}/checkout/none`)).status).toBe(404)
  })

  it("is served over the wire, with a bound on what is sent to it", async () => {
    const { close, url } = await listenStandIn({ prices: sale })
    try {
      expect((await fetch(`${url}/`)).status).toBe(200)
      const large = await fetch(`${url}/clock`, { method: "POST", body: "x".repeat(300_000) })
      expect(large.status).toBe(413)
    } finally {
      await close()
    }
  })
})
