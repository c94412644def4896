import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import type { Stage } from "../support/describeInChromium.ts"
import { hostileReplies } from "../../../../test/support/hostileReplies.ts"

const CHAT = "3f0c9a1e-0000-4000-8000-000000000000"
const SEED = 20_011

/** Each reply whole, and once more cut somewhere. */
const shown = hostileReplies.flatMap((text, index) => [text, text.slice(0, (index * SEED) % (text.length + 1))])

const now = new Date().toISOString()
const messages = shown.map((content, index) => ({
  id: `3f0c9a1e-0000-4000-8000-${String(index).padStart(12, "0")}`,
  role: "assistant",
  content,
  state: "complete",
  model: "model-a-mini",
  credits: 1,
  receipt: null,
  sources: [],
  createdAt: now
}))

export const hostileChat = (stage: Stage): void => {
  it("loads nothing from elsewhere, runs nothing, and breaks no layout", async () => {
    const dashboard = await stage.openAs("hostile@example.org", { path: "/settings" })
    const { page } = dashboard
    await page.setViewportSize({ width: 375, height: 740 })
    const { host } = new URL(page.url())
    const elsewhere: Array<string> = []
    page.on("request", (request) => {
      const url = new URL(request.url())
      if (url.host !== host && url.protocol !== "data:" && url.protocol !== "blob:") elsewhere.push(request.url())
    })
    const dialogs: Array<string> = []
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    const chat = { id: CHAT, title: "Hostile", createdAt: now, updatedAt: now, documentIds: [], running: null }
    await page.route(`**/api/chats/${CHAT}`, (route) =>
      route.fulfill({ json: { ...chat, messages, limit: 500, nextBefore: null } })
    )
    await page.goto(`/chats/${CHAT}`)
    await expect.poll(() => page.locator("[data-markdown]").count()).toBe(shown.length)
    // Formulas are typeset when KaTeX has been loaded.
    await page.locator("[data-markdown] .katex").first().waitFor()
    await page.waitForLoadState("networkidle")

    expect(elsewhere).toEqual([])
    expect(dialogs).toEqual([])
    expect(await page.evaluate(() => "hit" in globalThis)).toBe(false)
    expect(await page.title()).toContain("Parley")
    const foreign = page.locator(
      "[data-markdown] :is(img, script, iframe, object, embed, style, link, form, video, audio, base, meta)"
    )
    expect(await foreign.count()).toBe(0)
    const broken = await page.evaluate(() => {
      const width = document.documentElement.clientWidth
      const covers = ["fixed", "absolute", "sticky"]
      return [...document.querySelectorAll("[data-markdown]")].flatMap((reply) => {
        const box = reply.getBoundingClientRect()
        const isWide = box.right > width + 1 || reply.scrollWidth > reply.clientWidth + 1
        const isOver = [...reply.querySelectorAll("*:not(.katex *)")].some(
          (each) => covers.includes(getComputedStyle(each).position) && !each.classList.contains("visually-hidden")
        )
        return isWide || isOver ? [reply.textContent?.slice(0, 80) ?? ""] : []
      })
    })
    expect(broken).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
    await screenshot(page, "hostile")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("is on a page on which no text becomes HTML or a script, and that may use no device", async () => {
    const dashboard = await stage.openAs("trusted@example.org", { path: "/settings" })
    const refused = await dashboard.page.evaluate(async () => {
      const nameOf = async (work: () => unknown) => {
        try {
          await work()
          return "done"
        } catch (error) {
          return (error as Error).name
        }
      }
      return [
        await nameOf(() => (document.createElement("div").innerHTML = "<img src=x>")),
        await nameOf(() => document.body.insertAdjacentHTML("beforeend", "<img src=x>")),
        await nameOf(() => (document.createElement("script").src = "/theme.js")),
        await nameOf(() => new Worker("/theme.js")),
        ...["camera", "microphone", "geolocation", "payment", "clipboard-write"].filter((feature) =>
          (
            document as unknown as { featurePolicy: { allowsFeature(name: string): boolean } }
          ).featurePolicy.allowsFeature(feature)
        )
      ]
    })
    expect(refused).toEqual(["TypeError", "TypeError", "TypeError", "TypeError", "microphone", "clipboard-write"])
  })
}
