import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { texts as arabic } from "../../app/frame/languages/ar.ts"
import { texts as french } from "../../app/frame/languages/fr.ts"
import { brokenRules } from "../support/brokenRules.ts"
import { hostPage, type Stage } from "../support/describeWidget.ts"
import { CONFIG, KEY } from "../support/ScriptedService.ts"
import type { WidgetPage } from "../support/WidgetPage.ts"

const PAGES = {
  arabic: { html: 'lang="ar" dir="rtl"', texts: arabic },
  french: { html: 'lang="fr"', texts: french }
}

const looksRight = async (widget: WidgetPage, name: string) => {
  await Promise.all(
    widget.page
      .frames()
      .map((frame) =>
        frame.waitForFunction(() => document.getAnimations().every((each) => each.playState === "finished"))
      )
  )
  await screenshot(widget.page, name)
  for (const frame of widget.page.frames()) {
    expect([name, await brokenRules(frame)]).toEqual([name, []])
    const tooWide = await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect([name, tooWide <= 0]).toEqual([name, true])
  }
}

/** Looks at each state of a chat in these languages and widths. */
export const everyLanguage = (
  stage: Stage,
  names: ReadonlyArray<keyof typeof PAGES>,
  widths: ReadonlyArray<number>
): void =>
  it.each(names)("in %s: breaks no rule of accessibility, and fits wide and narrow windows", async (name) => {
    const { html, texts } = PAGES[name]
    const welcomeMessage =
      name === "arabic" ? "مرحبًا! كيف يمكنني مساعدتك؟" : "Bonjour\u00a0! Comment puis-je vous aider\u00a0?"
    const suggestedQuestions = name === "arabic" ? ["ما مدة الضمان؟"] : ["Quelle est la durée de la garantie ?"]
    for (const width of widths) {
      stage.service.reset()
      stage.service.configure(KEY, { ...CONFIG, welcomeMessage, suggestedQuestions })
      const widget = await stage.visit({
        url: stage.site.page(`/${name}`, hostPage(stage.tag(), html)),
        viewport: { width, height: 720 },
        reducedMotion: "reduce"
      })
      await widget.launcher.waitFor()
      await looksRight(widget, `${name}-${width}-closed`)
      await widget.launcher.click()
      const field = widget.frame.getByLabel(texts.field, { exact: true })
      await field.waitFor()
      await looksRight(widget, `${name}-${width}-welcome`)
      stage.service.sources = [{ number: 1, filename: "warranty.pdf", page: 3, text: "Two years." }]
      stage.service.answer({
        kind: "text",
        pieces: [`${welcomeMessage} [1]\n\n- ${suggestedQuestions[0]}\n- [Acme](https://acme.test)`]
      })
      await field.fill(suggestedQuestions[0] ?? "")
      await field.press("Enter")
      await widget.frame.locator("summary").first().click()
      await looksRight(widget, `${name}-${width}-reply`)
      await widget.frame.getByRole("button", { name: "Acme" }).click()
      await looksRight(widget, `${name}-${width}-link`)
      await widget.frame.getByRole("button", { name: texts.linkCancel }).click()
      stage.service.answer({ kind: "problem", status: 429, code: "visitor_rate_limited", retryAfter: "300" })
      await field.fill("…")
      await field.press("Enter")
      await widget.obstacle.waitFor()
      await looksRight(widget, `${name}-${width}-limit`)
    }
  })
