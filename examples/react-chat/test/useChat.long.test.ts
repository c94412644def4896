import { createTestParley } from "@parley/core/testing/parley"
import { expect, it } from "vitest"
import { whereChromiumIs } from "../../../test/support/chromium.ts"
import { withPage } from "./openPage.ts"

whereChromiumIs(() => {
  it("shows sources, cost and balance of each reply, continues the chat, and says why a reply was refused", async () => {
    await using parley = await createTestParley({ config: { tiers: { free: { monthlyCredits: 12 } } } })
    await parley.addText({ userId: "ann", filename: "storks.txt", text: "Storks return in March." })
    const usage = { freshInput: 1_000, cacheRead: 0, cacheWrite: 0, output: 10 }
    parley.model.says(["In ", "March [1]."], usage).says("They said March [1].", usage)
    await withPage(parley, "useChatMain.tsx", async (page) => {
      const send = async (text: string) => {
        await page.getByLabel("Message").fill(text)
        await page.getByRole("button", { name: "Send" }).click()
      }
      await send("When do storks return?")
      const replies = page.locator("article.assistant")
      const shown = /^\[1\] storks\.txt In March \[1\]\. (\d+) credits, (\d+) left$/
      await expect.poll(() => replies.first().textContent()).toMatch(shown)
      const [, credits, left] = shown.exec((await replies.first().textContent()) ?? "") ?? []
      const balance = await parley.credits.balance("ann")
      expect({ credits: Number(credits), left: Number(left) }).toEqual({
        credits: 12 - balance.available,
        left: balance.available
      })
      await send("Are you sure?")
      await expect.poll(() => replies.last().textContent()).toContain("They said March [1].")
      const { chats } = await parley.chat.list({ userId: "ann", limit: 9, offset: 0 })
      expect(chats).toHaveLength(1)
      await expect.poll(() => replies.last().textContent()).toMatch(/left$/)
      const { available } = await parley.credits.balance("ann")
      await parley.credits.adjust({ userId: "ann", amount: -available, key: "spent", reason: "test" })
      await send("Once more?")
      await expect.poll(() => page.getByRole("alert").textContent()).toContain("credits")
    })
  })
})
