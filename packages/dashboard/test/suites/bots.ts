import { readFileSync } from "node:fs"
import type { APIRequestContext, FrameLocator, Locator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { lookAtBots } from "../looks/botPages.ts"
import { SHAPES } from "../looks/Shape.ts"
import { brokenRules } from "../support/brokenRules.ts"
import type { DashboardPage } from "../support/DashboardPage.ts"
import { describeInChromium } from "../support/describeInChromium.ts"
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

describeInChromium("bots", {}, (stage) => {
  it("a bot is made, set up, tried and put on a site", async () => {
    const dashboard = await stage.openAs("owner@example.org", SEEN)
    const { page } = dashboard
    await dashboard.goTo("Bots")
    await page.getByText("You have no bots yet.").waitFor()
    await page.getByRole("link", { name: "New bot" }).click()

    await button(page, "Make the bot").click()
    await page.getByText("Give it a name of one line, with at most 100 characters.").waitFor()
    expect(await brokenRules(page)).toEqual([])
    await page.getByLabel("Name").fill("Harbour guide")
    await page.getByLabel("Colour", { exact: true }).fill("#ffd43b")
    await page.getByText(/^Black text on it, 1\d\.\d to 1\. As text it is made darker/).waitFor()
    await button(page, "Add a question").click()
    await page.getByLabel("Question 1", { exact: true }).fill("When is the harbour open?")
    await screenshot(page, "bots-new")
    await button(page, "Make the bot").click()

    await heading(page, "Harbour guide").waitFor()
    const [key] = /pk_\w+/.exec((await snippet(page).textContent()) ?? "") ?? []
    expect(await snippet(page).textContent()).toBe(
      `<script async src="${stage.server.url}/widget.js" data-public-key="${key}"></script>`
    )
    await preview(page).getByText("Hello! How can I help you?").waitFor()
    await page.getByLabel("Welcome message").fill("Ahoy!")
    await button(page, "Save").click()
    await preview(page).getByText("Ahoy!").waitFor()
    await button(preview(page), "When is the harbour open?").click()
    // A reply that is left before its first word costs nothing, so the page stays until this one is charged.
    const id = page.url().split("/").at(-1) ?? ""
    await expect.poll(async () => (await creditsOf(page, id)) > 0).toBe(true)

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
})
