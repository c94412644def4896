import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { AxeResults } from "axe-core"
import type { BrowserContextOptions, Page } from "playwright-core"
import { expect, it } from "vitest"
import { describeInChromium, screenshot } from "./support/describeInChromium.ts"
import type { DashboardPage } from "./support/DashboardPage.ts"
import { leasePdf, lockedPdf } from "./support/files.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Every rule of WCAG 2.2 A and AA, and of good practice, that the page breaks, with where. */
const brokenRules = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run()
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`))
  })
}

const isFocused = (dashboard: DashboardPage) => dashboard.field.evaluate((field) => field === document.activeElement)

describeInChromium("the dashboard for everybody", {}, (stage) => {
  it.each<[name: string, options: BrowserContextOptions]>([
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["narrow", { viewport: { width: 320, height: 640 } }],
    ["wide", { viewport: { width: 2200, height: 1200 } }]
  ])("breaks no rule of accessibility in any state, %s", async (name, options) => {
    const dashboard = await stage.open(options)
    const { page } = dashboard
    const check = async (state: string) => {
      await screenshot(page, `${name}-${state}`)
      expect(await brokenRules(page), state).toEqual([])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(overflow, `${state}: nothing to scroll sideways`).toBeLessThanOrEqual(0)
    }
    const library = page.getByRole("button", { name: "Library" })
    const toggleLibrary = async () => {
      if (name === "narrow") await library.click()
    }

    await page.getByLabel("Email address").waitFor()
    await check("sign-in")
    await dashboard.signIn(`${name}@example.org`)
    await check("empty")
    await toggleLibrary()
    await dashboard.add(leasePdf, lockedPdf)
    await dashboard.isReady("lease.pdf")
    await dashboard
      .document("locked.pdf")
      .getByText(/^Failed/)
      .waitFor()
    await check("documents")
    await toggleLibrary()
    await dashboard.ask("With which notice may the lease be ended, and when is the deposit paid back?")
    await dashboard.stopButton.waitFor()
    await check("streaming")
    await dashboard.replied()
    await dashboard.reply.locator("summary").first().click()
    await check("sources")
    await page.getByRole("button", { name: "show the credit history" }).click()
    await page.getByRole("cell", { name: /^Reply/ }).waitFor()
    await check("credits")
    await page.keyboard.press("Escape")
    await toggleLibrary()
    await page.getByRole("button", { name: /^Delete the chat/ }).click()
    await check("question")
  })

  it("is used from sign-in to the source of a reply with the keyboard alone", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await page.getByLabel("Email address").waitFor()
    await page.keyboard.type("keys@example.org")
    await page.keyboard.press("Enter")
    await dashboard.field.waitFor()
    await expect.poll(() => isFocused(dashboard)).toBe(true)

    // Asked for early: on a busy machine a key pressed at once can come before the browser hands its chooser over.
    const chooser = page.waitForEvent("filechooser")
    await tabTo(page, "file", "backwards")
    await page.keyboard.press("Space")
    await (
      await chooser
    ).setFiles([{ name: leasePdf.name, mimeType: "application/pdf", buffer: Buffer.from(leasePdf.bytes) }])
    await dashboard.isReady("lease.pdf")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Space")
    expect(await page.getByRole("checkbox", { name: "lease.pdf" }).isChecked()).toBe(false)
    await page.keyboard.press("Space")
    expect(await page.getByRole("checkbox", { name: "lease.pdf" }).isChecked()).toBe(true)

    await tabTo(page, "question", "forwards")
    await page.keyboard.type("With which notice")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("may the lease be ended?")
    expect(await dashboard.field.inputValue()).toBe("With which notice\nmay the lease be ended?")
    await page.keyboard.press("Enter")
    await dashboard.replied()
    await expect.poll(() => isFocused(dashboard)).toBe(true)

    await page.keyboard.press("Shift+Tab")
    await tabTo(page, "A", "backwards")
    await page.keyboard.press("Enter")
    const source = dashboard.reply.locator("details.source").first()
    expect(await source.getAttribute("open")).toBe("")
    expect(await source.locator("summary").evaluate((summary) => summary === document.activeElement)).toBe(true)
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("shows where the focus is at every stop of the keyboard", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("focus@example.org")
    await dashboard.add(leasePdf)
    await dashboard.isReady("lease.pdf")
    await page.locator("body").evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    const stops = await page.locator("#app :is(button, input, select, textarea, a, [tabindex])").count()
    const unmarked: Array<string> = []
    for (let stop = 0; stop < stops; stop += 1) {
      await page.keyboard.press("Tab")
      const marked = await page.evaluate(() => {
        const focused = document.activeElement
        if (focused === null || focused === document.body) return "nothing"
        // The label draws the ring of the file input, and the frame around it that of the message field.
        const drawn = focused.id === "file" ? focused.nextElementSibling : focused
        const ring = drawn === null ? undefined : getComputedStyle(drawn)
        const frame = focused.id === "question" ? getComputedStyle(focused.closest("form") ?? focused) : undefined
        return ring?.outlineStyle === "solid" || (frame?.boxShadow ?? "none") !== "none" ? "" : focused.outerHTML
      })
      if (marked !== "" && marked !== "nothing") unmarked.push(marked)
    }
    expect(unmarked).toEqual([])
  })

  it("tells a streamed reply to screen readers in sentences, not in tokens", async () => {
    const dashboard = await stage.open()
    const { page } = dashboard
    await dashboard.signIn("reader@example.org")
    const told = await page.evaluateHandle(() => {
      const sentences: Array<string> = []
      const region = document.getElementById("announcements")
      new MutationObserver((records) => {
        for (const record of records) for (const node of record.addedNodes) sentences.push(node.textContent ?? "")
      }).observe(region ?? document.body, { childList: true })
      return sentences
    })
    await dashboard.ask("What can you do?")
    await dashboard.stopButton.waitFor()
    const words = dashboard.reply.locator(".words")
    expect(await words.getAttribute("aria-live")).toBe("off")
    expect(await dashboard.reply.getAttribute("aria-busy")).toBe("true")
    const reply = await dashboard.replied()
    expect(await dashboard.reply.getAttribute("aria-busy")).toBeNull()

    const [first, ...rest] = (await told.jsonValue()).filter((sentence) => sentence !== "")
    expect(first).toBe("The assistant is replying. Press Escape to stop.")
    expect(rest.at(-1)).toBe("The reply is complete.")
    expect(rest.slice(0, -1).join(" ").replace(/\s+/g, " ")).toBe(reply.replace(/\s+/g, " ").trim())
    expect(rest.length, "a few announcements, not one a token").toBeLessThan(8)
    expect(await page.locator("#transcript").getAttribute("role")).toBe("log")
    expect(await page.locator("#announcements").getAttribute("aria-live")).toBe("polite")
  })

  it("moves nothing for people who prefer reduced motion", async () => {
    const dashboard = await stage.open({ reducedMotion: "reduce" })
    const { page } = dashboard
    await dashboard.signIn("still@example.org")
    await dashboard.ask("What can you do?")
    await dashboard.stopButton.waitFor()
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .map((animation) => (animation instanceof CSSAnimation ? animation.animationName : "other"))
    )
    expect(moving).toEqual([])
    await dashboard.replied()
  })
})

/** Presses Tab until the element with this id, or of this kind, has the focus. */
const tabTo = async (page: Page, idOrTag: string, direction: "forwards" | "backwards"): Promise<void> => {
  for (let presses = 0; presses < 60; presses += 1) {
    const there = await page.evaluate(
      (wanted) => document.activeElement?.id === wanted || document.activeElement?.tagName === wanted,
      idOrTag
    )
    if (there) return
    await page.keyboard.press(direction === "forwards" ? "Tab" : "Shift+Tab")
  }
  throw new Error(`${idOrTag} cannot be reached with Tab.`)
}
