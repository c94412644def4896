import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import { sharedChat } from "../looks/sharedChat.ts"
import { CHAT_LOOKS } from "../looks/WindowLook.ts"
import { describeInChromium } from "../support/describeInChromium.ts"

describeInChromium("a chat with a reply", {}, (stage) => {
  sharedChat(stage, CHAT_LOOKS)
})

const BOTH = { tiers: { free: { models: ["model-a-mini", "model-a"] } } }

describeInChromium("a person whose plan has two models", BOTH, (stage) => {
  it("follows the instructions and the model that the person chose in the settings", async () => {
    const dashboard = await stage.openAs("preferring@example.org", {
      options: { viewport: { width: 360, height: 740 } }
    })
    const { page } = dashboard
    const before = await page.getByRole("button", { name: /^Model/ }).getAttribute("aria-label")
    await page.goto("/settings")
    const model = page.getByRole("combobox", { name: "The model of new chats" })
    await model.waitFor()
    const names = await model.locator("option").allTextContents()
    expect(names.length).toBe(3)
    await model.selectOption({ index: names.length - 1 })
    await page.getByLabel("Instructions for every reply").fill("Answer in one sentence.")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("Saved.").waitFor()
    expect(await brokenRules(page)).toEqual([])
    await screenshot(page, "preferences-360")
    await page.reload()
    await expect
      .poll(() => page.getByLabel("Instructions for every reply").inputValue())
      .toBe("Answer in one sentence.")
    await dashboard.goTo("New chat")
    const chosen = page.getByRole("button", { name: /^Model/ })
    await expect.poll(() => chosen.getAttribute("aria-label")).toContain(names.at(-1) ?? "")
    expect(await chosen.getAttribute("aria-label")).not.toBe(before)
    expect(dashboard.complaintsBut()).toEqual([])
  })
})
