import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import type { Stage } from "../support/describeInChromium.ts"

/** The marked words on the page. */
const marked = () => [...(CSS.highlights.get("found") ?? [])].map((range) => String(range))

/** A person searches their chats, and jumps to the place. */
export const foundWords = (stage: Stage): void => {
  it.each([1280, 360])("finds words in another branch and reads them there, marked, at %i px", async (width) => {
    const options = { viewport: { width, height: 800 } }
    const dashboard = await stage.openAs(`seeker-${width}@example.org`, { options })
    const { page } = dashboard
    await dashboard.ask("Where do storks spend the winter?")
    await dashboard.replied()
    await page.getByRole("button", { name: "Edit and ask again" }).click()
    await page.getByLabel("Your message, edited").fill("Where do herons breed?")
    await page.getByRole("button", { name: "Ask again" }).click()
    await page.locator("[data-role=user]").getByText("2/2").waitFor()
    await dashboard.replied()
    await dashboard.goTo("New chat")
    await dashboard.openMenu()
    await page.getByRole("searchbox").fill("STORKS spend")
    const link = dashboard.navigation.getByRole("link", { name: /storks spend/ })
    await link.locator("mark").waitFor()
    expect(await link.locator("mark").textContent()).toBe("storks spend")
    await screenshot(page, `found-list-${width}`)
    await link.click()
    await page.locator("[data-role=user]").getByText("Where do storks spend the winter?").waitFor()
    await page.locator("[data-role=user]").getByText("1/2").waitFor()
    await expect.poll(() => page.evaluate(marked)).toEqual(["storks spend"])
    await screenshot(page, `found-chat-${width}`)
    expect(dashboard.complaintsBut()).toEqual([])
  })
}
