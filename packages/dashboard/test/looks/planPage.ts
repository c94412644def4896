import { expect } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { invoices } from "../support/billingPage.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"
import type { DashboardPage } from "../support/DashboardPage.ts"
import type { Shape } from "./Shape.ts"

/** Checks the page of plans and credits of a person with a plan and an invoice. */
export const lookAtPlan = async (
  dashboard: DashboardPage,
  plan: string,
  shapes: ReadonlyArray<Shape>
): Promise<void> => {
  const { page } = dashboard
  for (const { colorScheme, isPhone } of shapes) {
    const shape = `${colorScheme}-${isPhone ? "phone" : "wide"}`
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(isPhone ? { width: 375, height: 2_600 } : { width: 1_280, height: 1_400 })
    await page.goto("/billing?checkout=success&item=plan&from=%2F")
    await page.getByText(`You are on the ${plan} plan now.`).waitFor()
    await invoices(page).nth(1).waitFor()
    await screenshot(page, `billing-${shape}`)
    expect(await brokenRules(page), shape).toEqual([])
    expect(await overflowOf(page), shape).toBeLessThanOrEqual(0)
  }
  expect(dashboard.complaintsBut()).toEqual([])
}
