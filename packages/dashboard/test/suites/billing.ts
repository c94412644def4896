import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { lookAtPlan } from "../looks/planPage.ts"
import { SHAPES } from "../looks/Shape.ts"
import { ARRIVES, button, currentPlan, invoices, SEEN, subscribe } from "../support/billingPage.ts"
import { brokenRules } from "../support/brokenRules.ts"
import type { DashboardPage } from "../support/DashboardPage.ts"
import type { Stage } from "../support/describeInChromium.ts"

interface Offers {
  readonly plans: ReadonlyArray<{ readonly id: string; readonly prices: ReadonlyArray<{ readonly priceId: string }> }>
}

const openBilling = async (dashboard: DashboardPage) => {
  await dashboard.page.goto("/billing")
  await currentPlan(dashboard.page).waitFor()
}

/** The effects of the buttons on the stand-in's own page. */
const AT_STAND_IN = {
  "a week on": ["clock", { days: "7" }],
  "31 days on": ["clock", { days: "31" }],
  down: ["outage", { state: "down" }],
  up: ["outage", { state: "up" }]
} as const

const atStandIn = async (page: Page, what: keyof typeof AT_STAND_IN) => {
  const [action, form] = AT_STAND_IN[what]
  const answer = await page.request.post(`/dev/payments/${action}`, { form })
  expect(answer.status()).toBe(200)
}

/** Asks a question as a client of the HTTP interface, in the session of a page. */
const spend = async (page: Page) => {
  const reply = await page.request.post("/api/chat", { data: { messages: [{ role: "user", content: "Hello?" }] } })
  expect(reply.status()).toBe(200)
  await reply.text()
}

/** Buys credits on the stand-in's page, as far as the button that ends it. */
const buy = async (page: Page, credits: string, end: (checkout: Page) => Promise<void>) => {
  await button(page, `Buy ${credits}`).click()
  await page.getByRole("heading", { name: "Checkout" }).waitFor()
  await end(page)
}

const pay = (checkout: Page) => checkout.getByRole("button", { name: "Pay", exact: true }).click()

/** Does something on the provider's page for the person's plan, and comes back. */
const atPortal = async (page: Page, act: (page: Page) => Promise<void>, open = "Manage plan and payment") => {
  await button(page, open).click()
  await page.getByRole("heading", { name: "Your plan" }).waitFor()
  await act(page)
  await page.getByRole("link", { name: "Back", exact: true }).click()
  await currentPlan(page).waitFor()
}

const press = (name: string) => async (page: Page) => {
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === "POST"),
    button(page, name).click()
  ])
  await page.getByRole("heading", { name: "Your plan" }).waitFor()
}

/** A person's steps with credits, at the stand-in's pages; the person begins with three credits. */
export const billing = (stage: Stage): void => {
  describe("plans and credits", { timeout: 400_000 }, () => {
    it("a chat that is out of credits leads to buying some, and back to the question", async () => {
      const dashboard = await stage.openAs("buyer@example.org", { ...SEEN, path: "/" })
      const { page } = dashboard
      for (const _ of [3, 2, 1]) await spend(page)
      await dashboard.ask("What can you do?")
      await page.getByRole("alert").getByText("This would cost more than you have").waitFor()
      await screenshot(page, "billing-out-of-credits")
      await page.getByRole("link", { name: "Get more credits" }).click()
      await page.getByText("Nothing real is charged here").waitFor()

      await buy(page, "1,000 credits for $5", (checkout) => checkout.getByRole("link", { name: "Cancel" }).click())
      await page.getByText("Nothing was charged.", { exact: true }).waitFor()
      await screenshot(page, "billing-cancelled")
      expect(await currentPlan(page).textContent()).toContain("Credits left0")

      await buy(page, "1,000 credits for $5", pay)
      await page.getByText("Your credits are here: you have 1,000 credits now.").waitFor(ARRIVES)
      await screenshot(page, "billing-bought")
      await page.getByRole("status").getByRole("link", { name: "Back to your chat" }).click()
      await expect.poll(() => dashboard.field.inputValue()).toBe("What can you do?")
      await dashboard.field.press("Enter")
      await dashboard.replied()
      expect(dashboard.complaintsBut(/status of 402 .*\/api\/chat/)).toEqual([])
    })

    it("where nothing is sold the page says so", async () => {
      const dashboard = await stage.openAs("nothing@example.org", SEEN)
      const { page } = dashboard
      await page.route("**/api/billing/plans", async (route) => {
        const response = await route.fetch()
        const { plans } = (await response.json()) as { plans: ReadonlyArray<object> }
        await route.fulfill({ json: { plans: plans.map((plan) => ({ ...plan, prices: [] })), credits: [] } })
      })
      await openBilling(dashboard)
      await page.getByText("Nothing is sold on this server").waitFor()
      await screenshot(page, "billing-nothing-sold")
      expect(await brokenRules(page)).toEqual([])
      expect(dashboard.complaintsBut()).toEqual([])
    })

    it("while the payment provider does not answer the plans are shown without prices, until they are asked for again", async () => {
      const dashboard = await stage.openAs("waiting@example.org", SEEN)
      const { page } = dashboard
      let isAway = true
      await page.route("**/api/billing/plans", async (route) => {
        const response = await route.fetch()
        const body = (await response.json()) as { plans: ReadonlyArray<object> }
        const plans = body.plans.map((plan) => ({ ...plan, prices: [] }))
        await route.fulfill({ json: isAway ? { plans, credits: [], pricesUnavailable: true } : body })
      })
      await openBilling(dashboard)
      await page.getByText("Prices cannot be shown at the moment").waitFor()
      expect(await page.getByText(/Nothing is sold on this server|Not on sale/).count()).toBe(0)
      await page.getByRole("heading", { name: "Business" }).waitFor()
      await screenshot(page, "billing-no-prices")
      expect(await brokenRules(page)).toEqual([])
      isAway = false
      await button(page, "Try again").click()
      await page.getByText("$20 a month").first().waitFor()
      expect(await page.getByText("Prices cannot be shown at the moment").count()).toBe(0)
      expect(dashboard.complaintsBut()).toEqual([])
    })
  })
}

/** The steps with plans and with payments that take time or fail. */
export const furtherBilling = (stage: Stage): void => {
  describe("plans and payments", { timeout: 400_000 }, () => {
    it("a payment that takes days is waited for, and its credits show as soon as they come", async () => {
      const dashboard = await stage.openAs("transfer@example.org", SEEN)
      const { page } = dashboard
      await currentPlan(page).waitFor()
      await buy(page, "1,000 credits for $5", async (checkout) => {
        await checkout.getByLabel("A transfer that arrives after three days").check()
        await pay(checkout)
      })
      await page.getByText("Your payment is being confirmed").waitFor()
      await screenshot(page, "billing-waiting")
      await atStandIn(page, "a week on")
      await page.getByText("Your credits are here: you have 1,003 credits now.").waitFor(ARRIVES)
      expect(dashboard.complaintsBut()).toEqual([])
    })

    it("a person upgrades, changes to a dearer plan, and gets the credits of the next month with its invoice", async () => {
      const dashboard = await stage.openAs("upgrader@example.org", SEEN)
      const { page } = dashboard
      await currentPlan(page).waitFor()
      await screenshot(page, "billing-free")
      await subscribe(page, "Pro")
      await currentPlan(page)
        .getByText(/Renews on \w+ \d+, \d{4}, for \$20 a month\./)
        .waitFor()
      await expect.poll(() => dashboard.balance()).toBe(5_000)
      await invoices(page).filter({ hasText: "$20.00" }).getByText("Paid").waitFor()

      await button(page, "Change to Business").click()
      await page.getByLabel("Another plan").selectOption({ label: "Business, $100.00 a month" })
      await press("Change plan")(page)
      await page.getByRole("link", { name: "Back", exact: true }).click()
      await currentPlan(page).getByRole("heading", { name: "Business" }).waitFor()
      await expect.poll(() => dashboard.balance()).toBe(25_000)

      await page.goto("/")
      await dashboard.ask("Hello?")
      await dashboard.replied()
      await expect.poll(() => dashboard.balance()).toBeLessThan(25_000)
      await atStandIn(page, "31 days on")
      await openBilling(dashboard)
      await expect.poll(() => dashboard.balance()).toBe(25_000)
      await invoices(page).filter({ hasText: "$100.00" }).getByText("Paid").waitFor()
      expect(dashboard.complaintsBut()).toEqual([])
    })

    it("a second subscription that is paid for is said, with what to do", async () => {
      const dashboard = await stage.openAs("twice@example.org", SEEN)
      const { page } = dashboard
      await currentPlan(page).waitFor()
      const offers = (await (await page.request.get("/api/billing/plans")).json()) as Offers
      const urls: Array<string> = []
      for (const plan of ["pro", "business"]) {
        const priceId = offers.plans.find(({ id }) => id === plan)?.prices[0]?.priceId
        const answer = await page.request.post("/api/billing/checkout", { data: { priceId, mode: "subscription" } })
        urls.push(((await answer.json()) as { readonly url: string }).url)
      }
      // Pages are closed once another one is paid, unless the provider does not answer.
      await atStandIn(page, "down")
      for (const url of urls) await page.request.post(`${url}/pay`, { form: { means: "works" }, maxRedirects: 0 })
      await atStandIn(page, "up")
      await openBilling(dashboard)
      await page.getByRole("alert").getByText("You also pay for another subscription (Pro)").waitFor(ARRIVES)
      await screenshot(page, "billing-twice")
      expect(await currentPlan(page).getByRole("heading", { name: "Business" }).count()).toBe(1)
      expect(dashboard.complaintsBut()).toEqual([])
    })

    it("a payment that fails is said with what to do, and all is well once it is paid", async () => {
      const dashboard = await stage.openAs("declined@example.org", SEEN)
      const { page } = dashboard
      await currentPlan(page).waitFor()
      await subscribe(page, "Pro", (checkout) => checkout.getByLabel("The card is declined at renewals").check())
      await atStandIn(page, "31 days on")
      await openBilling(dashboard)
      await currentPlan(page).getByRole("alert").getByText("Your last payment did not go through.").waitFor()
      await invoices(page).getByText("To be paid").waitFor()
      await screenshot(page, "billing-past-due")
      expect(await brokenRules(page)).toEqual([])
      const repair = async (portal: Page) => {
        await press("Take a card that works")(portal)
        await press("Pay now")(portal)
      }
      await atPortal(page, repair, "Check the payment")
      await currentPlan(page)
        .getByText(/^Renews on/)
        .waitFor()
      expect(await currentPlan(page).getByRole("alert").count()).toBe(0)
      expect(await invoices(page).getByText("To be paid").count()).toBe(0)
      expect(dashboard.complaintsBut()).toEqual([])
    })

    it("a yearly plan shows its monthly credits, stays until its end when it is cancelled, and ends at once on request", async () => {
      const dashboard = await stage.openAs("canceller@example.org", SEEN)
      const { page } = dashboard
      await currentPlan(page).waitFor()
      await page.getByRole("radiogroup", { name: "Pay" }).getByText("Yearly").click()
      await page.getByText("$200 a year").waitFor()
      await subscribe(page, "Pro")
      await currentPlan(page).getByText("Paid at once, and its credits come month by month").waitFor()

      await atPortal(page, press("Cancel the plan"))
      await currentPlan(page)
        .getByText(/^Ends on \w+ \d+, \d{4}\. Until then nothing changes; after that you are on Free\./)
        .waitFor()
      await screenshot(page, "billing-ends")
      expect(await brokenRules(page)).toEqual([])
      await atPortal(page, press("End it at once"))
      await currentPlan(page).getByRole("heading", { name: "Free" }).waitFor()
      await button(page, "Choose Pro").waitFor()

      await atStandIn(page, "down")
      await button(page, "Choose Pro").click()
      await page
        .getByRole("alert")
        .getByText("The payment provider does not answer for now. Nothing was charged.")
        .waitFor()
      await atStandIn(page, "up")
      expect(dashboard.complaintsBut(/status of 502 .*\/api\/billing/)).toEqual([])
    })

    it("a trial is shown with the plan after it", async () => {
      const dashboard = await stage.openAs("trier@example.org", SEEN)
      const { page } = dashboard
      await currentPlan(page).waitFor()
      await subscribe(page, "Pro", (checkout) => checkout.getByLabel("Days for nothing first").fill("14"))
      await currentPlan(page).getByText("Trial", { exact: true }).waitFor()
      await currentPlan(page)
        .getByText(/^Your trial lasts until \w+ \d+, \d{4}\. After that it costs \$20 a month\.$/)
        .waitFor()
      await screenshot(page, "billing-trial")
      expect(dashboard.complaintsBut()).toEqual([])
    })

    it("breaks no rule of accessibility and does not scroll sideways, dark and on a phone", async () => {
      const dashboard = await stage.openAs("upgrader@example.org", SEEN)
      await lookAtPlan(dashboard, "Business", SHAPES)
    })
  })
}
