import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { describeInChromium } from "../support/describeInChromium.ts"

/** The words of the messages that a page shows, in order. */
const shown = (page: Page) => page.locator("[data-role]").allTextContents()

const QUESTIONS = ["What is a heron?", "What is a stork?", "What is a crane?"]

describeInChromium("a person with a chat open in two tabs and on another device", {}, (stage) => {
  it("sees each new turn on all of them, also in the list of chats, without touching them", async () => {
    const first = await stage.openAs("everywhere@example.org")
    const device = await stage.openAs("everywhere@example.org")
    await first.ask(QUESTIONS[0] ?? "")
    await first.replied()
    await device.navigation.getByRole("link", { name: QUESTIONS[0] ?? "" }).click()
    const tab = await first.page.context().newPage()
    await tab.goto(first.page.url())
    for (const page of [tab, device.page])
      await page
        .getByText(QUESTIONS[0] ?? "")
        .last()
        .waitFor()

    await first.ask(QUESTIONS[1] ?? "")
    await first.replied()
    const pages = [first.page, tab, device.page]
    for (const page of pages) await page.getByTitle("Show the receipt").nth(1).waitFor()

    await device.ask(QUESTIONS[2] ?? "")
    await device.replied()
    for (const page of pages) await page.getByTitle("Show the receipt").nth(2).waitFor()
    const turns = await shown(first.page)
    expect(turns).toHaveLength(6)
    for (const page of pages) await expect.poll(() => shown(page)).toEqual(turns)
    expect([first, device].flatMap((dashboard) => dashboard.complaintsBut())).toEqual([])
  })

  it("keeps its own turn if two ask at once, and finds the other one beside it", async () => {
    const first = await stage.openAs("at-once@example.org")
    await first.ask(QUESTIONS[0] ?? "")
    await first.replied()
    const device = await stage.openAs("at-once@example.org", { path: new URL(first.page.url()).pathname })
    await device.replies.first().waitFor()
    const turns = [
      { page: first.page, own: QUESTIONS[1] ?? "", other: QUESTIONS[2] ?? "" },
      { page: device.page, own: QUESTIONS[2] ?? "", other: QUESTIONS[1] ?? "" }
    ]
    await Promise.all([first.ask(QUESTIONS[1] ?? ""), device.ask(QUESTIONS[2] ?? "")])
    for (const { page, own } of turns) {
      await page.getByTitle("Show the receipt").nth(1).waitFor()
      await page.locator("[data-role=user]").nth(1).getByText(/\d\/2/).waitFor()
      expect(await page.locator("[data-role=user]").nth(1).textContent()).toContain(own)
    }
    for (const { page, other } of turns) {
      const second = page.locator("[data-role=user]").nth(1)
      const isFirst = await second.getByText("1/2").isVisible()
      await second.getByRole("button", { name: isFirst ? "Next version" : "Previous version" }).click()
      await second.getByText(other).waitFor()
      await page.getByTitle("Show the receipt").nth(1).waitFor()
    }
    expect([first, device].flatMap((dashboard) => dashboard.complaintsBut())).toEqual([])
  })
})
