import { expect } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"
import type { DashboardPage } from "../support/DashboardPage.ts"
import { makeBot } from "../support/makeBot.ts"
import type { Shape } from "./Shape.ts"

/** Looks at the list of a person's bots and at a bot's own page, which shows the chat itself. */
export const lookAtBots = async (dashboard: DashboardPage, shapes: ReadonlyArray<Shape>): Promise<void> => {
  const { page } = dashboard
  const { id } = await makeBot(page, { displayName: "Harbour guide", suggestedQuestions: ["When is it open?"] })
  await makeBot(page, { displayName: "Night porter", primaryColor: "#b83a62", active: false })
  for (const { colorScheme, isPhone } of shapes) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(isPhone ? { width: 375, height: 3_400 } : { width: 1_440, height: 1_500 })
    for (const [name, path] of [
      ["list", "/bots"],
      ["bot", `/bots/${id}`],
      ["install", `/bots/${id}/install`]
    ] as const) {
      const shape = `${name}-${colorScheme}-${isPhone ? "phone" : "wide"}`
      await page.goto(path)
      await page.getByRole("main").getByText("Harbour guide").first().waitFor()
      if (name === "bot") await page.frameLocator("iframe").getByRole("button", { name: "When is it open?" }).waitFor()
      await screenshot(page, `bots-${shape}`)
      expect(await brokenRules(page), shape).toEqual([])
      expect(await overflowOf(page), shape).toBeLessThanOrEqual(0)
    }
  }
  expect(dashboard.complaintsBut()).toEqual([])
}
