import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { describeInChromium } from "../support/describeInChromium.ts"
import { leasePdf, lockedPdf } from "../support/files.ts"
import { checkLook, type Look } from "./Look.ts"

const CHAT = "3f0c9a1e-0000-4000-8000-0000000000bb"

const MARKDOWN = [
  "## A heading",
  "Words with **weight**, `code` and [a link](https://example.org). It holds $e^{i\\pi} = -1$.",
  "| month | rent |\n|---|--:|\n| May | 1,450 |",
  "```ts\nconst rent = 1_450\n```",
  "- [x] done\n- [ ] open",
  "> A quote.",
  "$$\\sum_{i=1}^n i = \\frac{n(n+1)}{2}$$"
].join("\n\n")

/** Answers the address of a chat with a reply that has everything in it that a reply may have. */
const routeMarkdownChat = async (page: Page) => {
  const now = new Date().toISOString()
  const message = { id: CHAT, role: "assistant", content: MARKDOWN, state: "stopped", model: null, credits: 1 }
  await page.route(`**/api/chats/${CHAT}`, (route) =>
    route.fulfill({
      json: {
        ...{ id: CHAT, title: "Markdown", createdAt: now, updatedAt: now, documentIds: [], running: null },
        ...{ messages: [{ ...message, receipt: null, sources: [], createdAt: now }], limit: 100, nextBefore: null }
      }
    })
  )
}

/** Looks at each state of a chat. */
export const everyChatState = (looks: ReadonlyArray<Look>): void =>
  describeInChromium("a chat", {}, (stage) => {
    it.each(looks)("breaks no rule of accessibility in any state, $name", async (look) => {
      const documents = [leasePdf, lockedPdf]
      const dashboard = await stage.openAs(`chat-${look.name}@example.org`, { documents, options: look.options })
      const { page } = dashboard
      const check = (state: string) => checkLook(page, look, `chat-${state}`)
      const dialog = page.getByRole("dialog")
      const close = async () => {
        await page.keyboard.press("Escape")
        await dialog.waitFor({ state: "detached" })
      }
      await dashboard.documentsButton.filter({ hasText: /document/ }).click()
      await dialog.getByText("lease.pdf").waitFor()
      await check("documents")
      await close()
      // So slow that it is still being written during the whole check.
      await dashboard.ask("With which notice may the lease be ended? !offline slow 1000")
      await dashboard.words.waitFor()
      await check("writing")
      await dashboard.stopButton.click()
      await dashboard.replied()
      await check("stopped")
      await dashboard.ask("How high is the deposit?")
      await dashboard.replied()
      await dashboard.reply.getByTitle("Show the receipt").click()
      await dashboard.reply.getByRole("row", { name: /Charged/ }).waitFor()
      await check("reply")
      await dashboard.reply
        .getByRole("button", { name: /^Source \d+$/ })
        .first()
        .click()
      await dialog.locator("mark").first().waitFor()
      await check("source")
      await close()
      await page.getByRole("button", { name: /^Model/ }).click()
      await page.getByRole("menuitemradio").first().waitFor()
      await check("models")
      await page.keyboard.press("Escape")
      await page.locator('[data-role="user"]').last().hover()
      await page.getByRole("button", { name: "Edit and ask again" }).last().click()
      await check("editing")
      await page.keyboard.press("Escape")
      await dashboard.openMenu()
      await dashboard.navigation.getByRole("link", { name: /With which notice/ }).waitFor()
      await check("menu")

      await routeMarkdownChat(page)
      await page.goto(`/chats/${CHAT}`)
      await page.locator(".katex").nth(1).waitFor()
      await check("markdown")
      expect(dashboard.complaintsBut()).toEqual([])
    })
  })
