import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import type { Language, Message } from "../../app/messages/format.ts"
import { loadCatalogue } from "../../app/messages/loadCatalogue.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"
import { describeInChromium } from "../support/describeInChromium.ts"
import { leasePdf } from "../support/files.ts"
import { makeBot } from "../support/makeBot.ts"

/** A text without values and plurals. */
const textIn = async (language: Language, key: string): Promise<string> =>
  String(((await loadCatalogue(language)) as Readonly<Record<string, Message>>)[key])

const WIDTHS = [1280, 800, 360]

/** The texts of controls and headings that are cut off; not those for screen readers alone, which are one pixel wide. */
const cutTexts = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("button, label, legend, h1, h2, h3, [role=radio]")]
      .filter((each) => each.checkVisibility() && each.clientWidth > 1)
      .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX !== "visible")
      .map((each) => each.innerText)
  )

describeInChromium("the dashboard in another language", {}, (stage) => {
  it.each([
    ["fr", "fr-FR"],
    ["es", "es-ES"]
  ] as const)("%s: breaks no rule of accessibility and no layout, at any width", async (language, locale) => {
    const dashboard = await stage.openAs(`${language}@example.org`, {
      documents: [leasePdf],
      options: { locale, reducedMotion: "reduce" }
    })
    const { page } = dashboard
    const messages = [{ role: "user", content: "With which notice may the lease be ended?" }]
    const reply = await page.request.post("/api/chat", { data: { messages } })
    await reply.text()
    const chatId = reply.headers()["x-chat-id"] ?? ""
    const translations = { fr: { welcomeMessage: "Bonjour !" }, ar: { suggestedQuestions: ["ما مدة الضمان؟"] } }
    const { id } = await makeBot(page, { displayName: "Harbour guide", suggestedQuestions: ["Why?"], translations })
    const pages = [
      ["chat", `/chats/${chatId}`, "chat.conversation"],
      ["start", "/", "chat.greeting"],
      ["usage", "/usage", "usage.history"],
      ["bots", "/bots", "bots.new"],
      ["bot", `/bots/${id}`, "bots.translations"],
      ["documents", "/documents", "documents.upload"],
      ["billing", "/billing", "nav.billing"],
      ["settings", "/settings", "settings.costs"]
    ] as const
    const wrong: Array<object> = []
    for (const [name, path, key] of pages) {
      const text = await textIn(language, key)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await page.goto(path)
        const named = page.getByRole("main").getByText(text, { exact: true })
        const awaited = (name === "chat" ? page.locator("[data-markdown]") : named).first()
        await awaited.waitFor()
        const state = `${language}-${name}-${width}`
        await screenshot(page, state)
        await awaited.scrollIntoViewIfNeeded()
        await screenshot(page, `${state}-below`)
        const broken = [...(await brokenRules(page)), ...(await cutTexts(page)).map((text) => `cut: ${text}`)]
        const overflow = await overflowOf(page)
        if (broken.length > 0 || overflow > 0) wrong.push({ state, broken, overflow })
      }
    }
    expect(wrong).toEqual([])
    expect(await page.locator("html").getAttribute("lang")).toBe(language)
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("is the browser's, loads no other, and changes in the settings", async () => {
    const { page } = await stage.openAs("changes@example.org", { path: "/settings", options: { locale: "pt-BR" } })
    const loaded = () =>
      page.evaluate(() =>
        performance.getEntriesByType("resource").flatMap(({ name }) => /\/assets\/(de|fr|es|pt)-/.exec(name)?.[1] ?? [])
      )
    await page.getByRole("heading", { name: await textIn("pt", "nav.settings"), level: 1 }).waitFor()
    expect(await loaded()).toEqual(["pt"])
    await page.getByLabel(await textIn("pt", "settings.language")).selectOption("es")
    await page.getByRole("heading", { name: await textIn("es", "nav.settings"), level: 1 }).waitFor()
    expect(await loaded()).toEqual(["pt", "es"])
    expect(await page.locator("html").getAttribute("lang")).toBe("es")
    await page.reload()
    await page.getByRole("heading", { name: await textIn("es", "nav.settings"), level: 1 }).waitFor()
  })

  it("of a bot's visitors: its owner adds, changes and removes texts in it, and the widget has them", async () => {
    const { page } = await stage.openAs("translator@example.org", { path: "/bots" })
    const { id, key } = await makeBot(page, { displayName: "Ada", welcomeMessage: "Hello!" })
    const welcomeIn = async (language: string) => {
      const config = await page.request.get(`/api/widget/config/${key}?lang=${language}`)
      return ((await config.json()) as { readonly welcomeMessage: string }).welcomeMessage
    }
    const save = async () => {
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Saved.", { exact: true }).waitFor()
    }
    await page.goto(`/bots/${id}`)
    await page.getByLabel("Add a language").selectOption("fr")
    const french = page.getByRole("group", { name: "French" })
    await french.getByLabel("Welcome message").fill("Bonjour !")
    await french.getByRole("button", { name: "Add a question" }).click()
    await french.getByLabel("Question 1", { exact: true }).fill("Où ?")
    await save()
    expect([await welcomeIn("fr"), await welcomeIn("de")]).toEqual(["Bonjour !", "Hello!"])
    await french.getByRole("button", { name: "Remove French" }).click()
    await save()
    expect(await welcomeIn("fr")).toBe("Hello!")
  })
})
