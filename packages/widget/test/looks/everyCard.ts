import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import { hostPage, type Stage } from "../support/describeWidget.ts"
import { CONFIG, KEY } from "../support/ScriptedService.ts"

export const welcomeCards = [
  { title: "Prices", text: "What each plan costs,\nand what it includes.", link: "https://acme.test/prices?all#top" },
  { title: "Returns", question: "How do I return a thing?" },
  { title: "A title of a card that is rather long, and a word: Donaudampfschifffahrt", link: "http://acme.test/" }
]

/** The width of a window, and its colours. */
type CardLook = readonly [width: number, colorScheme: "light" | "dark"]

/** The appearance that every run checks. */
export const CARD_LOOKS: ReadonlyArray<CardLook> = [[360, "dark"]]

/** The other ways. */
export const FURTHER_CARD_LOOKS: ReadonlyArray<CardLook> = [
  [1_280, "light"],
  [800, "dark"],
  [360, "light"]
]

/** Looks at the cards in both directions of writing. */
export const everyCard = (stage: Stage, looks: ReadonlyArray<CardLook>): void =>
  it.each([
    ["left-to-right", 'lang="en"'],
    ["right-to-left", 'lang="ar" dir="rtl"']
  ])("%s: break no rule of accessibility, and fit wide and narrow windows", async (name, html) => {
    for (const [width, colorScheme] of looks) {
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
