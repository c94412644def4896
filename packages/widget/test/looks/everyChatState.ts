import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import type { Stage, VisitOptions } from "../support/describeWidget.ts"
import type { WidgetPage } from "../support/WidgetPage.ts"

const REPLY = `It depends on what you have bought [1]:

1. **Machines**: two years, see \`warranty.pdf\`.
2. Everything else: *six months* [2].

> Keep the receipt.

| Part | Months |
|:-----|-------:|
| Motor | 24 |
| Belt | 6 |

More at [our page](https://acme.test/warranty).`

const SOURCES = [
  {
    number: 1,
    filename: "warranty.pdf",
    page: 3,
    text: "Machines are covered for two years from the day of purchase."
  },
  {
    number: 2,
    filename: "a-rather-long-name-of-a-file-that-somebody-has-uploaded.docx",
    page: null,
    text: "Six months."
  }
]

/** Waits until nothing moves any more. */
const still = (widget: WidgetPage): Promise<unknown> =>
  Promise.all(
    widget.page
      .frames()
      .map((frame) =>
        frame.waitForFunction(() => document.getAnimations().every(({ playState }) => playState === "finished"))
      )
  )

/** An appearance of the chat. */
export type Look = readonly [name: string, options: VisitOptions]

/** The appearances that every run checks. */
export const LOOKS: ReadonlyArray<Look> = [["narrow", { viewport: { width: 320, height: 560 }, colorScheme: "dark" }]]

/** The other ways. */
export const FURTHER_LOOKS: ReadonlyArray<Look> = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["phone", { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true }],
  ["zoomed", { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 }],
  ["right-to-left", { attributes: 'data-text-dir="rtl" data-position="left"' }]
]

/** Looks at each state of a chat. */
export const everyChatState = (stage: Stage, looks: ReadonlyArray<Look>): void =>
  it.each(looks)("%s: breaks no rule of accessibility, and fits its room", async (name, options) => {
    const widget = await stage.visit(options)
    const looksRight = async (state: string) => {
      await still(widget)
      await screenshot(widget.page, `${name}-${state}`)
      for (const frame of widget.page.frames()) {
        expect([state, await brokenRules(frame)]).toEqual([state, []])
        const tooWide = await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect([state, tooWide <= 0]).toEqual([state, true])
      }
    }
    await widget.open()
    await looksRight("welcome")
    stage.service.sources = SOURCES
    stage.service.answer({ kind: "text", pieces: [REPLY] })
    await widget.ask("How long is the warranty on the things that I have bought from you?")
    await widget.frame.locator("summary").first().click()
    await looksRight("reply")
    await widget.frame.getByRole("button", { name: "our page" }).click()
    await looksRight("link")
    await widget.frame.getByRole("button", { name: "Stay here" }).click()
    expect(widget.complaints).toEqual([])
    stage.service.answer({ kind: "problem", status: 429, code: "visitor_rate_limited", retryAfter: "3600" })
    await widget.ask("Once more")
    await widget.obstacle.waitFor()
    await looksRight("limit")
  })
