import type { Page } from "playwright-core"

/** Enough for a shortened reply or two, and then for none. */
export const poor = { tiers: { free: { monthlyCredits: 3 } } }

/** The whole page of plans and credits, as a person reads it from above. */
export const SEEN = { path: "/billing", options: { viewport: { width: 1280, height: 1400 } } }

/**
 * The stand-in sends an event that was not taken again after 2, 10 and 60 seconds, as on a busy machine, and the page asks
 * ever more seldom.
 */
export const ARRIVES = { timeout: 180_000 }

export const currentPlan = (page: Page) => page.getByRole("region", { name: "Your plan" })
export const invoices = (page: Page) => page.getByRole("region", { name: "Invoices" }).getByRole("row")
export const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name })

/** Subscribes on the stand-in's page and comes back. */
export const subscribe = async (
  page: Page,
  plan: string,
  more: (page: Page) => Promise<void> = async () => undefined
) => {
  await button(page, `Choose ${plan}`).click()
  await page.getByRole("heading", { name: "Checkout" }).waitFor()
  await more(page)
  await button(page, "Subscribe").click()
  await page.getByText(`You are on the ${plan} plan now.`).waitFor(ARRIVES)
}
