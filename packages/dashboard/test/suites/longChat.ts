import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import type { Stage } from "../support/describeInChromium.ts"
import { CHAT, routeLongChat } from "../support/longChat.ts"

/** As web.dev calls it good is 0.1. */
const MOST_SHIFT = 0.05

/** Far longer than a page takes to render: any late content would shift the page. */
const SLOW_MS = 700

/** The sum of all layout shifts of the page so far that no input caused. */
const shiftOf = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list, observer) => {
          observer.disconnect()
          const shifts = list.getEntries() as Array<PerformanceEntry & { value: number; hadRecentInput: boolean }>
          resolve(shifts.reduce((sum, { hadRecentInput, value }) => sum + (hadRecentInput ? 0 : value), 0))
        }).observe({ type: "layout-shift", buffered: true })
        // Without a shift, nothing is reported.
        setTimeout(() => resolve(0), 500)
      })
  )

/** The files that render replies, their sources and their formulas. */
const DRAWING = /\/assets\/(Markdown|SourceList|CodeBlock|typesetFormula)-[^/]*\.(js|css)$/

/** The requests of the parts around a chat. */
const AROUND = /\/api\/(documents|models|billing\/balance)$/

/**
 * Delays the files that render a chat, as a slow connection does, and the parts around it until long after it is
 * shown.
 */
const slowly = async (page: Page) => {
  const delay = (address: RegExp, milliseconds: number) =>
    page.route(address, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      await route.continue()
    })
  await delay(DRAWING, SLOW_MS)
  await delay(AROUND, 5 * SLOW_MS)
}

/** The position of a message in the window, and the focused element. */
const placeOf = (page: Page, text: string) =>
  page
    .getByText(text, { exact: true })
    .first()
    .evaluate((element) => Math.round(element.getBoundingClientRect().top))

/** Reading a chat of many messages. */
export const longChat = (stage: Stage): void => {
  describe("a long chat", () => {
    it.each([
      { width: 1280, height: 800 },
      { width: 360, height: 740 }
    ])("is drawn once, at its end, when it is opened on a slow connection, $width px wide", async (viewport) => {
      const dashboard = await stage.openAs("opens@example.org", { path: "/settings", options: { viewport } })
      const { page } = dashboard
      await routeLongChat(page)
      await slowly(page)
      await page.goto(`/chats/${CHAT}`)
      await dashboard.reply
        .getByRole("button", { name: /^Source \d+$/ })
        .first()
        .waitFor()
      await dashboard.reply.locator(".katex").first().waitFor()
      await page.getByRole("button", { name: /^Model/ }).waitFor()
      await screenshot(page, `long-chat-${viewport.width}`)
      const shift = await shiftOf(page)
      process.stdout.write(`layout shift ${shift.toFixed(4)} at ${viewport.width} px\n`)
      expect(shift).toBeLessThan(MOST_SHIFT)
      const fromEnd = await page
        .getByRole("region", { name: "Conversation" })
        .evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
      expect(fromEnd).toBeLessThan(2)
      expect(dashboard.complaintsBut()).toEqual([])
    })

    it.each(["the keyboard", "the mouse"])(
      "keeps the reader's place and the focus when earlier messages are shown with %s",
      async (means) => {
        const dashboard = await stage.openAs("reads-back@example.org", { path: "/settings" })
        const { page } = dashboard
        await routeLongChat(page)
        await page.goto(`/chats/${CHAT}`)
        const earlier = page.getByRole("button", { name: "Show earlier messages" })
        await earlier.waitFor()
        for (const [pages, first, from] of [
          [1, "Question 100", 0],
          [2, "Question 50", 15]
        ] as const) {
          const region = page.getByRole("region", { name: "Conversation" })
          await region.evaluate((box, top) => (box.scrollTop = top), from)
          const before = await placeOf(page, first)
          if (means === "the mouse") await earlier.click()
          else {
            await earlier.focus()
            await page.keyboard.press("Enter")
          }
          await expect.poll(() => page.locator('[data-role="user"]').count()).toBe(50 * (pages + 1))
          expect(Math.abs((await placeOf(page, first)) - before), `page ${pages}`).toBeLessThanOrEqual(2)
          await page.getByRole("status").filter({ hasText: "100 earlier messages are shown above." }).waitFor()
          const focused = page.locator(":focus")
          expect(await focused.textContent()).toContain(first)
          await screenshot(page, `earlier-${pages}`)
        }
        expect(await earlier.count()).toBe(0)
        await page.keyboard.press("Tab")
        const place = await page.locator(":focus").evaluate((element) => element.getBoundingClientRect().top)
        expect(place).toBeGreaterThan(0)
        expect(dashboard.complaintsBut()).toEqual([])
      }
    )
  })
}
