import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { texts as arabic } from "../../app/frame/languages/ar.ts"
import { texts as french } from "../../app/frame/languages/fr.ts"
import { LANGUAGES } from "../../app/frame/languages/languages.ts"
import { brokenRules } from "../support/brokenRules.ts"
import { describeWidget, hostPage, type Stage } from "../support/describeWidget.ts"
import { CONFIG, KEY } from "../support/ScriptedService.ts"
import type { WidgetPage } from "../support/WidgetPage.ts"

const CATALOGUE = new RegExp(`/assets/(${LANGUAGES.join("|")})-[^/]+\\.js$`)

/** Visits a page whose tag of `html` and of the script have these attributes, in a browser of this locale. */
const visit = async (stage: Stage, html: string, attributes: string, locale: string) => {
  const asked = { catalogues: [] as Array<string>, configs: [] as Array<string | null> }
  const widget = await stage.visit({
    url: stage.site.page("/languages", hostPage(stage.tag(attributes), html)),
    locale,
    prepare: async (context) =>
      void context.on("request", (request) => {
        const [, language] = CATALOGUE.exec(request.url()) ?? []
        if (language !== undefined) asked.catalogues.push(language)
        if (request.url().includes("/config/")) asked.configs.push(new URL(request.url()).searchParams.get("lang"))
      })
  })
  await widget.launcher.waitFor()
  return { widget, asked }
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

describeWidget("the language of the chat", (stage) => {
  it.each([
    ["the tag's", 'lang="fr"', 'data-lang="it"', "de-DE", "it"],
    ["the page's", 'lang="fr-CA"', "", "de-DE", "fr"],
    ["the browser's", "", "", "de-DE", "de"],
    ["English", 'lang="sv"', 'data-lang="da"', "fi-FI", "en"]
  ])("is %s, and no other is loaded", async (_whose, html, attributes, locale, language) => {
    const { asked, widget } = await visit(stage, html, attributes, locale)
    await expect.poll(() => asked.configs).toEqual([language])
    expect(asked.catalogues).toEqual([language])
    expect(await widget.frame.locator("html").getAttribute("lang")).toBe(language)
    expect(widget.complaints).toEqual([])
  })

  it("is that of a message, too", async () => {
    const { widget } = await visit(stage, 'lang="fr"', "", "de-DE")
    await widget.launcher.click()
    await widget.frame.getByLabel(french.field, { exact: true }).fill("Bonjour")
    await widget.frame.getByRole("button", { name: french.send }).click()
    await expect.poll(() => stage.service.asked.at(-1)).toMatchObject({ message: "Bonjour", lang: "fr" })
  })

  it("is loaded again if the service did not answer", async () => {
    let tries = 0
    const widget = await stage.visit({
      url: stage.site.page("/retried", hostPage(stage.tag('data-lang="nl"'))),
      prepare: async (context) => {
        await context.clock.install()
        await context.route(CATALOGUE, async (route) => {
          tries += 1
          if (tries < 3) await route.abort()
          else await route.continue()
        })
      }
    })
    await expect
      .poll(async () => {
        await widget.page.clock.runFor(1_000)
        return widget.launcher.isVisible()
      })
      .toBe(true)
    expect(await widget.launcher.getAttribute("aria-label")).toBe("Chatten met Ada of Acme")
  })
})

describeWidget("a chat in another language", (stage) => {
  it.each([
    ["arabic", 'lang="ar" dir="rtl"', arabic],
    ["french", 'lang="fr"', french]
  ])("in %s: breaks no rule of accessibility, and fits wide and narrow windows", async (name, html, texts) => {
    const welcomeMessage =
      name === "arabic" ? "مرحبًا! كيف يمكنني مساعدتك؟" : "Bonjour\u00a0! Comment puis-je vous aider\u00a0?"
    const suggestedQuestions = name === "arabic" ? ["ما مدة الضمان؟"] : ["Quelle est la durée de la garantie ?"]
    for (const width of [360, 1280]) {
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

  it("stands on the side that the owner has set, in a page from right to left, too", async () => {
    const side = async (attributes: string) => {
      const widget = await stage.visit({
        url: stage.site.page("/side", hostPage(stage.tag(attributes), 'lang="ar" dir="rtl"')),
        alone: true
      })
      await widget.launcher.waitFor()
      return (await widget.launcher.boundingBox())!.x < 640 ? "left" : "right"
    }
    expect([await side('data-position="right"'), await side('data-position="left"'), await side("")]).toEqual([
      "right",
      "left",
      "left"
    ])
  })
})
