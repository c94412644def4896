import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import type { Stage } from "../support/describeInChromium.ts"

export const keyboard = (stage: Stage): void => {
  it("is used with the keyboard alone", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await page.getByLabel("Email address").waitFor()
    await page.keyboard.type("keys@example.org")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: /^Model/ }).waitFor()
    const name = () =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent)
    await expect.poll(name).toBe("Your message")
    await page.keyboard.type("What can you do?")
    await page.keyboard.press("Tab")
    await expect.poll(name).toMatch(/^Choose documents/)
    await page.keyboard.press("Tab")
    await expect.poll(name).toMatch(/^Model/)
    await page.keyboard.press("Enter")
    await page.getByRole("menuitemradio").first().waitFor()
    await expect.poll(name).toMatch(/^GPT-6 Luna/)
    await page.keyboard.press("Escape")
    await expect.poll(name).toMatch(/^Model/)
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("Enter")
    await dashboard.reply.getByTitle("Show the receipt").waitFor()
    await expect.poll(name).toBe("Your message")
    for (let steps = 0; steps < 30 && (await name()) !== "Skip to the content"; steps += 1) {
      await page.keyboard.press("Shift+Tab")
    }
    await page.keyboard.press("Tab")
    expect(await name()).toBe("New chat")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "What would you like to know?" }).waitFor()
    expect(dashboard.complaintsBut()).toEqual([])
  })
  it("is found by Ctrl+K, begun by Ctrl+Shift+O and written to by a slash, from any page", async () => {
    const dashboard = await stage.openAs("shortcuts@example.org")
    const { page } = dashboard
    await dashboard.ask("Where do storks spend the winter?")
    await dashboard.replied()
    const chat = page.url()
    await dashboard.goTo("Settings")
    await page.keyboard.press("Control+k")
    const field = page.getByRole("combobox", { name: "Search chats and pages" })
    await field.waitFor()
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await brokenRules(page)).toEqual([])
    await screenshot(page, "palette")
    await page.keyboard.type("storks spend")
    const chosen = page.getByRole("option", { selected: true })
    await chosen.locator("mark").getByText("storks spend").waitFor()
    await page.keyboard.press("Enter")
    await page.locator("[data-role=user]").getByText("Where do storks").waitFor()
    expect(page.url()).toContain(`${chat}?message=`)

    await page.keyboard.press("Control+k")
    await field.fill("usage")
    await page.getByRole("option", { name: "Usage", selected: true }).waitFor()
    await page.keyboard.press("Escape")
    await field.waitFor({ state: "detached" })
    await page.keyboard.press("Control+Shift+O")
    await page.getByRole("heading", { name: "What would you like to know?" }).waitFor()
    await dashboard.goTo("Usage")
    await page.keyboard.press("/")
    await expect.poll(() => dashboard.field.evaluate((element) => element === document.activeElement)).toBe(true)
    // In a field, a slash is a slash.
    await page.keyboard.type("/?")
    expect(await dashboard.field.inputValue()).toBe("/?")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("shows its shortcuts at a question mark, and those of a single key can be switched off", async () => {
    const dashboard = await stage.openAs("single-keys@example.org", {
      options: { viewport: { width: 360, height: 740 } }
    })
    const { page } = dashboard
    await page.goto("/settings")
    await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor()
    await page.keyboard.press("?")
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" })
    await list.getByText("Begin a new chat").waitFor()
    expect(await brokenRules(page)).toEqual([])
    await screenshot(page, "shortcuts-360")
    await list.getByRole("switch", { name: "Shortcuts of a single key" }).click()
    await page.keyboard.press("Escape")
    await list.waitFor({ state: "detached" })
    await page.keyboard.press("?")
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", { name: "Search chats and pages" }).waitFor()
    expect(await list.count()).toBe(0)
    expect(dashboard.complaintsBut()).toEqual([])
  })
}
