import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import { describeWidget, hostPage } from "../support/describeWidget.ts"
import { CONFIG, KEY } from "../support/ScriptedService.ts"

const welcomeCards = [
  { title: "Prices", text: "What each plan costs,\nand what it includes.", link: "https://acme.test/prices?all#top" },
  { title: "Returns", question: "How do I return a thing?" },
  { title: "A title of a card that is rather long, and a word: Donaudampfschifffahrt", link: "http://acme.test/" }
]

const HOSTILE = [
  ...["javascript:alert(1)", "data:text/html,a", "mailto:a@acme.test", "/prices", "https://user:pass@acme.test", 7].map(
    (link) => ({ title: "Hostile", link })
  ),
  { title: "Leads nowhere" },
  { title: " ", question: "Why?" },
  { question: "Why?" },
  "card",
  null
]

describeWidget("the cards of an empty conversation", (stage) => {
  it("open a page of their own, or ask their question; then they are gone", async () => {
    stage.service.configure(KEY, { ...CONFIG, welcomeCards })
    const widget = await stage.visit()
    await widget.open()
    const link = widget.frame.getByRole("link", { name: "Prices" })
    expect(await link.getAttribute("href")).toBe("https://acme.test/prices?all#top")
    expect(await link.getAttribute("target")).toBe("_blank")
    expect(await link.getAttribute("rel")).toContain("noopener")
    await widget.page.context().route("https://acme.test/**", (route) => route.fulfill({ body: "Prices of Acme" }))
    const [tab] = await Promise.all([widget.page.waitForEvent("popup"), link.click()])
    await tab.getByText("Prices of Acme").waitFor()
    expect(await tab.evaluate(() => [opener, document.referrer])).toEqual([null, ""])
    await tab.close()
    await widget.frame.getByRole("button", { name: "Returns" }).click()
    await expect.poll(() => widget.messages.allTextContents()).toEqual(["How do I return a thing?"])
    expect(await widget.frame.locator(".cards").isVisible()).toBe(false)
    await widget.frame.getByRole("button", { name: "Start a new conversation" }).click()
    await link.waitFor()
    expect(widget.complaints).toEqual([])
  })

  it("lead to pages of the web alone, and are left out otherwise", async () => {
    stage.service.configure(KEY, { ...CONFIG, welcomeCards: [...HOSTILE, { title: "<b>Bold</b>", question: "Why?" }] })
    const widget = await stage.visit()
    await widget.open()
    await widget.frame.getByRole("button", { name: "<b>Bold</b>" }).waitFor()
    expect(await widget.frame.locator(".cards li").count()).toBe(1)
    expect(widget.complaints).toEqual([])
  })

  it.each([
    ["left-to-right", 'lang="en"'],
    ["right-to-left", 'lang="ar" dir="rtl"']
  ])("%s: break no rule of accessibility, and fit wide and narrow windows", async (name, html) => {
    for (const [width, colorScheme] of [
      [1_280, "light"],
      [800, "dark"],
      [360, "light"],
      [360, "dark"]
    ] as const) {
      stage.service.configure(KEY, { ...CONFIG, welcomeCards })
      const widget = await stage.visit({
        url: stage.site.page(`/cards-${name}`, hostPage(stage.tag(), html)),
        viewport: { width, height: 760 },
        colorScheme,
        reducedMotion: "reduce"
      })
      await widget.launcher.click()
      await widget.frame.getByRole("link", { name: "Prices" }).waitFor()
      const shape = `cards-${name}-${width}-${colorScheme}`
      await screenshot(widget.page, shape)
      for (const frame of widget.page.frames()) {
        expect([shape, await brokenRules(frame)]).toEqual([shape, []])
        const tooWide = await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect([shape, tooWide <= 0]).toEqual([shape, true])
      }
    }
  })
})
