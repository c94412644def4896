import { readFileSync } from "node:fs"
import type { APIRequestContext, FrameLocator, Locator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { lookAtBots } from "../looks/botPages.ts"
import { SHAPES } from "../looks/Shape.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"
import type { DashboardPage } from "../support/DashboardPage.ts"
import type { Stage } from "../support/describeInChromium.ts"
import { makeBot } from "../support/makeBot.ts"
import { startWidgetSite } from "../support/widgetSite.ts"

const SEEN = { options: { viewport: { width: 1440, height: 1_500 } } }

/** Today's cost of the bot's replies in credits. */
const creditsOf = async (page: Page, botId: string): Promise<number> => {
  const answer = await page.request.get("/api/billing/usage")
  const { usage } = (await answer.json()) as { usage: ReadonlyArray<{ source: string; credits: number }> }
  return usage.filter(({ source }) => source === `bot:${botId}`).reduce((sum, { credits }) => sum + credits, 0)
}

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name })
const button = (page: Page | Locator | FrameLocator, name: string | RegExp) => page.getByRole("button", { name })
const snippet = (page: Page) => page.getByRole("region", { name: "Put it on your site" }).locator("pre")
const preview = (page: Page) => page.frameLocator("iframe")

const addSites = async (dashboard: DashboardPage, sites: string) => {
  await dashboard.page.getByLabel("Allowed sites").fill(sites)
  await button(dashboard.page, "Save").click()
}

/** Checks a page in windows of several widths, light and dark. */
const lookEverywhere = async (page: Page, name: string): Promise<void> => {
  for (const width of [1_280, 800, 360]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      const shape = `${name}-${width}-${colorScheme}`
      await screenshot(page, shape)
      expect(await brokenRules(page), shape).toEqual([])
      expect(await overflowOf(page), shape).toBeLessThanOrEqual(0)
    }
  }
  await page.setViewportSize(SEEN.options.viewport)
}

export const bots = (stage: Stage): void => {
  it("a bot is made, set up, tried and put on a site", async () => {
    const dashboard = await stage.openAs("owner@example.org", SEEN)
    const { page } = dashboard
    await dashboard.goTo("Bots")
    await page.getByText("You have no bots yet.").waitFor()
    await page.getByRole("link", { name: "New bot" }).click()

    await button(page, "Make the bot").click()
    await page.getByText("Give it a name of one line, with at most 100 characters.").waitFor()
    expect(await brokenRules(page)).toEqual([])
    await page.getByRole("textbox", { name: "Name" }).fill("Harbour guide")
    await page.getByLabel("Colour", { exact: true }).fill("#ffd43b")
    await page.getByText(/^Black text on it, 1\d\.\d to 1\. As text it is made darker/).waitFor()
    await button(page, "Add a question").click()
    await page.getByLabel("Question 1", { exact: true }).fill("When is the harbour open?")
    await preview(page).getByRole("heading", { name: "Harbour guide" }).waitFor()
    await button(preview(page), "When is the harbour open?").waitFor()
    await screenshot(page, "bots-new")
    await button(page, "Make the bot").click()

    await heading(page, "Harbour guide").waitFor()
    const id = page.url().split("/").at(-1) ?? ""
    await preview(page).getByText("Hello! How can I help you?").waitFor()
    await page.getByLabel("Welcome message").fill("Ahoy!")
    await button(page, "Save").click()
    await page.getByText("Saved.", { exact: true }).waitFor()
    const [tab] = await Promise.all([
      page.waitForEvent("popup"),
      page.getByRole("link", { name: "Try the saved bot in a tab of its own" }).click()
    ])
    await tab.getByText("Ahoy!").waitFor()
    await tab.getByRole("button", { name: "When is the harbour open?" }).click()
    // A reply that is left before its first word costs nothing, so the tab stays until this one is charged.
    await expect.poll(async () => (await creditsOf(page, id)) > 0).toBe(true)
    await tab.close()

    await addSites(dashboard, "https://harbour.example/start")
    await page.getByText("Write each as https://example.com, without a path.").waitFor()
    await page.getByText("There are changes that are not saved.").waitFor()
    await page.reload()
    expect(await page.getByLabel("Allowed sites").inputValue()).toBe("https://harbour.example/start")
    await addSites(dashboard, "https://harbour.example")
    await page.getByText("Saved.", { exact: true }).waitFor()
    await page.reload()
    expect(await page.getByLabel("Allowed sites").inputValue()).toBe("https://harbour.example")
    expect(await dashboard.balance(), "trying it costs, too").toBeLessThan(100)
    expect(await page.getByLabel("Question 1", { exact: true }).inputValue()).toBe("When is the harbour open?")
    expect(dashboard.complaintsBut(/status of 400 .*\/api\/bots/)).toEqual([])
  })

  it("the preview follows the form before it is saved, and costs and stores nothing", async () => {
    let id = ""
    const path = async (request: APIRequestContext) => {
      const translations = { ar: { welcomeMessage: "أهلا" } }
      ;({ id } = await makeBot({ request }, { displayName: "Harbour guide", translations, active: false }))
      return `/bots/${id}`
    }
    const dashboard = await stage.openAs("previewer@example.org", { ...SEEN, path })
    const { page } = dashboard
    await page.getByText("The bot is switched off: visitors see nothing.").waitFor()
    const launcher = page.getByRole("region", { name: "Preview" }).getByRole("button")
    await preview(page).getByText("Hello! How can I help you?").waitFor()
    await page.getByLabel("Welcome message").first().fill("Ahoy, *sailor*!")
    await preview(page).locator("em", { hasText: "sailor" }).waitFor()
    const field = page.getByRole("region", { name: "Appearance" }).getByLabel("Words on the button")
    await field.fill("Ask the harbour")
    await button(page, "Ask the harbour, Chat with Harbour guide").waitFor()
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.getByLabel("Side of the window").selectOption("Left")
    await page.getByLabel("Corners").selectOption("Square")
    await page.getByLabel("Font").selectOption("With serifs")
    await page.getByLabel("Light or dark").selectOption("Always dark")
    await expect.poll(() => preview(page).locator("html").getAttribute("data-theme")).toBe("dark")
    await expect.poll(() => launcher.evaluate((element) => getComputedStyle(element).borderRadius)).toBe("0px")
    expect(await launcher.evaluate((element) => getComputedStyle(element).alignSelf)).toBe("flex-start")
    await preview(page).getByLabel("Your message").fill("What does it cost?")
    await preview(page).getByLabel("Your message").press("Enter")
    await preview(page).getByText("This is a sample reply.").first().waitFor()
    await lookEverywhere(page, "bots-preview")
    await button(preview(page), "Close chat").click()
    await expect.poll(() => launcher.getAttribute("aria-expanded")).toBe("false")
    await launcher.click()
    await page.getByLabel("Language of the preview").selectOption("Arabic")
    await preview(page).getByText("أهلا").waitFor()
    expect(await dashboard.balance()).toBe(100)
    const asked = await page.request.get(`/api/bots/${id}/conversations`)
    expect(await asked.json()).toMatchObject({ conversations: [] })
    expect(await (await page.request.get(`/api/bots/${id}`)).json()).toMatchObject({
      launcherText: null,
      font: "system"
    })
    await button(page, "Save").click()
    await page.getByText("Saved.", { exact: true }).waitFor()
    expect(await (await page.request.get(`/api/bots/${id}`)).json()).toMatchObject({
      position: "left",
      launcherText: "Ask the harbour",
      cornerRadius: 0,
      font: "serif",
      colorScheme: "dark"
    })
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("its cards for an empty conversation are edited, seen in the preview and stored, in each language", async () => {
    let id = ""
    const path = async (request: APIRequestContext) => {
      ;({ id } = await makeBot({ request }, { displayName: "Harbour guide" }))
      return `/bots/${id}`
    }
    const dashboard = await stage.openAs("cards@example.org", { ...SEEN, path })
    const { page } = dashboard
    const card = (number: number, within: Page | Locator = page) =>
      within.getByRole("group", { name: `Card ${number}`, exact: true }).first()
    await button(page, "Add a card").click()
    await card(1).getByLabel("Title").fill("Timetable")
    await card(1).getByLabel("Text (optional)").fill("All ferries.")
    await card(1).getByLabel("Address of the page").fill("javascript:alert(1)")
    expect(await preview(page).locator(".cards li").count()).toBe(0)
    await button(page, "Save").click()
    await page.getByText("Each needs a title of one line, and a question or an address").waitFor()
    await card(1).getByLabel("Address of the page").fill(" https://harbour.example/times ")
    const link = preview(page).getByRole("link", { name: "Timetable" })
    await expect.poll(() => link.getAttribute("href")).toBe("https://harbour.example/times")
    await button(page, "Add a card").click()
    await card(2).getByLabel("Title").fill("Berths")
    await card(2).getByLabel("When pressed").selectOption("Asks a question")
    await card(2).getByLabel("Question").fill("Is a berth free?")
    await button(page, "Add a card").click()
    await lookEverywhere(page, "bots-cards")
    await page.setViewportSize({ width: 360, height: 900 })
    await card(2).scrollIntoViewIfNeeded()
    await screenshot(page, "bots-cards-fields")
    await page.setViewportSize(SEEN.options.viewport)
    await page.getByLabel("Add a language").selectOption("French")
    const french = page.getByRole("group", { name: "French" })
    await button(french, "Add a card").click()
    await card(1, french).getByLabel("Title").fill("Horaires")
    await card(1, french).getByLabel("Address of the page").fill("https://harbour.example/fr")
    await page.getByLabel("Language of the preview").selectOption("French")
    await preview(page).getByRole("link", { name: "Horaires" }).waitFor()
    expect(await preview(page).locator(".cards li").count()).toBe(1)
    await page.getByLabel("Language of the preview").selectOption("English")
    await button(preview(page), "Berths").click()
    await preview(page).getByText("Is a berth free?").waitFor()
    await button(page, "Save").click()
    await page.getByText("Saved.", { exact: true }).waitFor()
    expect(await (await page.request.get(`/api/bots/${id}`)).json()).toMatchObject({
      welcomeCards: [
        { title: "Timetable", text: "All ferries.", link: "https://harbour.example/times" },
        { title: "Berths", question: "Is a berth free?" }
      ],
      translations: { fr: { welcomeCards: [{ title: "Horaires", link: "https://harbour.example/fr" }] } }
    })
    await button(page, "Remove card 1").first().click()
    await button(page, "Save").click()
    await expect
      .poll(async () => (await page.request.get(`/api/bots/${id}`)).json())
      .toMatchObject({ welcomeCards: [{ title: "Berths" }] })
    expect(dashboard.complaintsBut(/status of 400 .*\/api\/bots/)).toEqual([])
  })

  it("the lines for each kind of site name the bot and are copied with one press", async () => {
    let [id, key] = ["", ""]
    const path = async (request: APIRequestContext) => {
      ;({ id, key } = await makeBot({ request }, { displayName: "Harbour guide" }))
      return `/bots/${id}`
    }
    const dashboard = await stage.openAs("installer@example.org", { ...SEEN, path })
    const { page } = dashboard
    await page.getByRole("link", { name: "Install" }).click()
    await page.getByText("No site has loaded the widget yet.").waitFor()
    await page.request.patch(`/api/bots/${id}`, { data: { allowedSites: ["https://harbour.example"] } })
    await page.request.get(`/widget/${key}`, { headers: { referer: "https://copy.example/" } })
    await page.reload()
    await page.getByText("copy.example tried to load the widget now, but is not among the allowed sites.").waitFor()
    await page.getByText("No page of harbour.example has loaded the widget yet.").waitFor()
    const tag = `<script async src="${stage.server.url}/widget.js" data-public-key="${key}"></script>`
    await expect.poll(() => snippet(page).textContent()).toBe(tag)
    await page.evaluate(() => {
      const kept = Object.assign(globalThis, { copied: "" })
      // Pages may write to the clipboard here, and never read it.
      navigator.clipboard.writeText = async (text) => void (kept.copied = text)
    })
    for (const [platform, hint, text] of [
      ["HTML", "before the end of the body", tag],
      ["WordPress", "functions.php", `add_action( 'wp_footer', function () {\n  echo '${tag}';\n} );`],
      ["Shopify", "layout/theme.liquid", tag],
      ["Webflow", "Footer code", tag],
      ["React", "npm install @parley/widget", `<ParleyWidget baseUrl="${stage.server.url}" publicKey="${key}" />`]
    ] as const) {
      await page.getByRole("radiogroup", { name: "What your site is made with" }).getByText(platform).click()
      await page.getByText(hint).first().waitFor()
      await button(page.getByRole("region", { name: "Put it on your site" }), "Copy").click()
      await expect.poll(() => page.evaluate(() => (globalThis as unknown as { copied: string }).copied)).toContain(text)
    }
    await lookEverywhere(page, "bots-install")
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("its key is rotated without a moment in which none works", async () => {
    let [id, key] = ["", ""]
    const path = async (request: APIRequestContext) => {
      ;({ id, key } = await makeBot({ request }, { displayName: "Rotated" }))
      return `/dashboard/bots/${id}?crm_connected=one`
    }
    const dashboard = await stage.openAs("rotator@example.org", { ...SEEN, path })
    const { page } = dashboard
    await heading(page, "Rotated").waitFor()
    expect(new URL(page.url()).pathname).toBe(`/bots/${id}`)
    await page.getByRole("link", { name: "Install" }).click()
    expect(await button(page, `Retire ${key}`).count(), "the only key cannot be retired").toBe(0)
    await button(page, "Add a key").click()
    await page.getByText("The line above has the new key now. The others keep working.").waitFor()
    expect(await snippet(page).textContent()).not.toContain(key)
    await button(page, `Retire ${key}`).click()
    await page.getByRole("dialog").getByText(`Pages that still have ${key} lose the bot at once.`).waitFor()
    await button(page.getByRole("dialog"), "Retire").click()
    await button(page, `Retire ${key}`).waitFor({ state: "detached" })
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("another site's page embeds it with one line, and its owner finds, reads, exports and deletes the conversations", async () => {
    const dashboard = await stage.openAs("embedder@example.org", SEEN)
    const { id, key } = await makeBot(dashboard.page, { displayName: "Harbour guide" })
    await using site = await startWidgetSite(stage.server.url, key)
    const visitor = await stage.open({ viewport: { width: 1_280, height: 800 } }, site.url)
    const { page } = visitor
    const chat = page.frameLocator("iframe")
    await button(page, "Chat with Harbour guide").click()
    await chat.getByLabel("Your message").fill("Where is my berth?")
    await chat.getByLabel("Your message").press("Enter")
    await chat.getByText("Where is my berth?").first().waitFor()
    await expect.poll(async () => (await creditsOf(dashboard.page, id)) > 0).toBe(true)
    await screenshot(page, "bots-embedded")
    await dashboard.page.goto(`/bots/${id}/install`)
    await dashboard.page.getByText(`${new URL(site.url).origin} loaded the widget now.`).waitFor()
    expect(visitor.complaintsBut(/favicon/)).toEqual([])

    const owner = dashboard.page
    await owner.goto(`/bots/${id}`)
    await owner.getByRole("link", { name: "Conversations" }).click()
    const rows = owner.getByRole("list", { name: "Conversations" }).getByRole("listitem")
    await rows.getByText("2 messages").waitFor()
    expect(await rows.textContent()).toMatch(/Where is my berth\?.*visitor [0-9a-f]{6}.*1 credit$/)
    await screenshot(owner, "bots-conversations")
    expect(await brokenRules(owner)).toEqual([])
    const [download] = await Promise.all([owner.waitForEvent("download"), button(owner, "Export as CSV").click()])
    expect(readFileSync(await download.path(), "utf8")).toContain("Where is my berth?")
    await owner.getByLabel("Search what was said").fill("lighthouse")
    await owner.getByText("No conversation matches.").waitFor()
    await owner.getByLabel("Search what was said").fill("BERTH")
    await rows.getByRole("link").click()
    await owner.getByText("This is the offline stand-in model.").waitFor()
    await screenshot(owner, "bots-conversation")
    const [text] = await Promise.all([owner.waitForEvent("download"), button(owner, "Save as text").click()])
    expect(readFileSync(await text.path(), "utf8")).toMatch(
      /^Visitor \(.+\):\nWhere is my berth\?\n\nHarbour guide \(.+\):\nThis is the offline/
    )
    expect(await brokenRules(owner)).toEqual([])
    await button(owner, "Delete").click()
    await button(owner.getByRole("dialog"), "Delete").click()
    await owner.getByText("Nobody has talked to this bot yet.").waitFor()
    expect(dashboard.complaintsBut()).toEqual([])
  })

  it("a bot is switched off and deleted from the list, and its page says that it is gone", async () => {
    let id = ""
    const path = async (request: APIRequestContext) => {
      ;({ id } = await makeBot({ request }, { displayName: "Short-lived" }))
      return "/bots"
    }
    const dashboard = await stage.openAs("deleter@example.org", { ...SEEN, path })
    const { page } = dashboard
    const row = page.getByRole("listitem").filter({ hasText: "Short-lived" })
    await row.getByText("Active").waitFor()
    await button(row, "More for Short-lived").click()
    await page.getByRole("menuitem", { name: "Switch off" }).click()
    await row.getByText("Switched off").waitFor()
    await row.getByRole("link", { name: "Short-lived" }).click()
    await page.getByText("The bot is switched off: visitors see nothing.").waitFor()
    await page.goBack()
    await button(row, "More for Short-lived").click()
    await page.getByRole("menuitem", { name: "Delete" }).click()
    await button(page.getByRole("dialog"), "Delete").click()
    await page.getByText("You have no bots yet.").waitFor()
    await page.goto(`/bots/${id}`)
    await page.getByText("There is no such bot. It may have been deleted.").waitFor()
    expect(dashboard.complaintsBut(/status of 404 .*\/api\/bots/)).toEqual([])
  })

  it("breaks no rule of accessibility and does not scroll sideways, dark and on a phone", async () => {
    await lookAtBots(await stage.openAs("looker@example.org", SEEN), SHAPES)
  })
}
