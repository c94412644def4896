import { expect, it } from "vitest"
import { describeInChromium } from "../support/describeInChromium.ts"

describeInChromium("a chat", {}, (stage) => {
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
})
