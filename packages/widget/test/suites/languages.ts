import { expect, it } from "vitest"
import { texts as french } from "../../app/frame/languages/fr.ts"
import { LANGUAGES } from "../../app/frame/languages/languages.ts"
import { everyLanguage } from "../looks/everyLanguage.ts"
import { describeWidget, hostPage, type Stage } from "../support/describeWidget.ts"

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
  everyLanguage(stage, ["arabic"], [360])

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
