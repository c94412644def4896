import type { Locator, Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { ACCOUNT } from "../../../../test/support/OAuthServer.ts"
import { brokenRules, overflowOf } from "../support/brokenRules.ts"
import type { CrmServers } from "../support/crmServers.ts"
import { CrmVisitor } from "../support/CrmVisitor.ts"
import { type Shape, SHAPES } from "../looks/Shape.ts"
import type { Stage } from "../support/describeInChromium.ts"

const section = (page: Page): Locator => page.getByRole("region", { name: "CRM", exact: true })
const row = (page: Page, name: string): Locator => section(page).getByRole("listitem").filter({ hasText: name })
const connectLink = (page: Page, name: string): Locator =>
  section(page).getByRole("link", { name: `Connect ${name}`, exact: true })
const approve = (page: Page) => page.getByRole("button", { name: "Approve" }).click()

/** The provider's pages have none. */
const PROVIDERS_ICON = /favicon/

/** The page of a new person's bot. */
const openBot = async (stage: Stage, email: string) => {
  let botId = ""
  const dashboard = await stage.openAs(email, {
    path: async (request) => {
      const made = await request.post("/api/bots", { data: { displayName: "Harbour guide" } })
      botId = ((await made.json()) as { id: string }).id
      return `/bots/${botId}`
    },
    options: { viewport: { width: 1_440, height: 1_800 } }
  })
  await connectLink(dashboard.page, "Harbour CRM").waitFor()
  return { dashboard, page: dashboard.page, botId }
}

const tokenCallsOf = (started: () => CrmServers) => () =>
  started().provider_one.tokenCalls + started().provider_two.tokenCalls

/** A person's steps in a real browser with a real provider. */
export const journeys = (stage: Stage, started: () => CrmServers): void => {
  const tokenCalls = tokenCallsOf(started)

  describe("CRM connections in Chromium", () => {
    it("a bot is connected at the provider's page, says since when, by whom and to which account, and is disconnected", async () => {
      const { botId, dashboard, page } = await openBot(stage, "connects@example.org")
      await row(page, "Harbour CRM").getByText("Not connected").waitFor()
      await connectLink(page, "Harbour CRM").click()
      await approve(page)
      await page.getByRole("status").getByText("Harbour CRM is connected.").waitFor()
      expect(new URL(page.url()).pathname + new URL(page.url()).search, "told once").toBe(`/bots/${botId}`)
      const connected = row(page, "Harbour CRM")
      await connected.getByText("Connected", { exact: true }).waitFor()
      await connected.getByText(ACCOUNT.name).waitFor()
      await connected.getByText(/^since .+, by connects@example\.org$/).waitFor()
      expect(await row(page, "Lighthouse CRM").getByText("Not connected").count()).toBe(1)
      await screenshot(page, "crm-connected")
      expect(await brokenRules(page)).toEqual([])
      const kept = (await page.context().cookies()).map(({ name }) => name)
      expect(
        kept.filter((name) => !name.includes("session") && !name.startsWith("_")),
        "no state is left"
      ).toEqual([])
      await page.reload()
      await row(page, "Harbour CRM").getByText(ACCOUNT.name).waitFor()
      expect(await page.getByText("Harbour CRM is connected.").count()).toBe(0)

      const before = started().provider_one.revocations
      await section(page).getByRole("button", { name: "Disconnect Harbour CRM" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByText("Disconnect Harbour CRM?").waitFor()
      expect(await brokenRules(page)).toEqual([])
      await dialog.getByRole("button", { name: "Disconnect" }).click()
      await section(page).getByText("Harbour CRM is disconnected.").waitFor()
      await connectLink(page, "Harbour CRM").waitFor()
      expect(started().provider_one.revocations - before).toBe(1)
      expect(dashboard.complaintsBut(PROVIDERS_ICON)).toEqual([])
    })

    it("who denies it reads so, and nothing is connected", async () => {
      const { botId, dashboard, page } = await openBot(stage, "denies@example.org")
      const before = tokenCalls()
      await connectLink(page, "Lighthouse CRM").click()
      await page.getByRole("button", { name: "Deny" }).click()
      await page.getByRole("alert").getByText("Nothing was connected: the access was not allowed.").waitFor()
      expect(page.url()).toMatch(new RegExp(`/bots/${botId}$`))
      await row(page, "Lighthouse CRM").getByText("Not connected").waitFor()
      expect(await brokenRules(page)).toEqual([])
      expect(tokenCalls() - before).toBe(0)
      await page.getByRole("alert").getByRole("button").click()
      await page.getByRole("alert").waitFor({ state: "detached" })
      expect(dashboard.complaintsBut(PROVIDERS_ICON)).toEqual([])
    })

    it("an address that says so does not make it so", async () => {
      const { botId, page } = await openBot(stage, "told@example.org")
      await page.goto(`/dashboard/bots/${botId}?crm_connected=provider_one`)
      await row(page, "Harbour CRM").getByText("Not connected").waitFor()
      expect(page.url()).toMatch(new RegExp(`/bots/${botId}$`))
      expect(await page.getByText("is connected.").count()).toBe(0)
      await page.goto(`/dashboard/bots/${botId}?crm_error=%3Cimg%20src%3Dx%3E&other=1`)
      await row(page, "Harbour CRM").getByText("Not connected").waitFor()
      expect(page.url()).toMatch(new RegExp(`/bots/${botId}\\?other=1$`))
      expect(await page.getByRole("alert").count()).toBe(0)
    })

    everyState(stage, SHAPES)
  })
}

/** The cases of `attacks`, as a browser with several tabs and sessions sees them. */
export const furtherJourneys = (stage: Stage, started: () => CrmServers): void => {
  const tokenCalls = tokenCallsOf(started)

  describe("CRM connections in Chromium, at length", () => {
    it("two tabs connect two bots, whichever comes back first", async () => {
      const first = await openBot(stage, "tabs@example.org")
      const { page } = first
      const made = await page.request.post("/api/bots", { data: { displayName: "Night porter" } })
      const { id: other } = (await made.json()) as { id: string }
      const context = page.context()
      for (const order of ["first", "last"] as const) {
        const tabs = await Promise.all([context.newPage(), context.newPage()])
        for (const [index, botId] of [first.botId, other].entries()) {
          await tabs[index]?.goto(`/api/crm/provider_${order === "first" ? "one" : "two"}/connect?botId=${botId}`)
        }
        const comingBack = order === "first" ? tabs : tabs.toReversed()
        for (const tab of comingBack) {
          await approve(tab)
          await tab.getByText(`${order === "first" ? "Harbour" : "Lighthouse"} CRM is connected.`).waitFor()
        }
        expect(tabs.map((tab) => new URL(tab.url()).pathname)).toEqual([`/bots/${first.botId}`, `/bots/${other}`])
        for (const tab of tabs) await tab.close()
      }
    })

    it("an attacker's callback, opened in the victim's browser, connects nothing", async () => {
      const attacker = await CrmVisitor.signedIn(started().server.url, "attacker@example.org")
      const begun = await attacker.connect("provider_one", await attacker.makeBot())
      const callback = await started().provider_one.answer(begun, "approve")
      const { botId, page } = await openBot(stage, "victim@example.org")
      const before = tokenCalls()
      const answer = await page.goto(callback.href)
      expect(answer?.status()).toBe(400)
      await page.goto(`/bots/${botId}`)
      await row(page, "Harbour CRM").getByText("Not connected").waitFor()
      expect(tokenCalls() - before).toBe(0)
    })

    it("who signs in as another, or deletes the bot, meanwhile reads that nothing was connected", async () => {
      const { botId, dashboard, page } = await openBot(stage, "changes@example.org")
      const before = tokenCalls()
      await connectLink(page, "Harbour CRM").click()
      await page.getByRole("button", { name: "Approve" }).waitFor()
      await page.request.post("/dev/sign-in", { data: { email: "somebody-else@example.org" } })
      await approve(page)
      await page
        .getByRole("alert")
        .getByText(/^Nothing was connected: what came back was too late/)
        .waitFor()
      await page.getByText("There is no such bot. It may have been deleted.").waitFor()

      await page.request.post("/dev/sign-in", { data: { email: "changes@example.org" } })
      await page.goto(`/bots/${botId}`)
      await connectLink(page, "Lighthouse CRM").click()
      await page.getByRole("button", { name: "Approve" }).waitFor()
      await page.request.delete(`/api/bots/${botId}`)
      await approve(page)
      await page.getByRole("alert").getByText("Nothing was connected: the bot was deleted in the meantime.").waitFor()
      expect(tokenCalls() - before).toBe(0)
      expect(dashboard.complaintsBut(PROVIDERS_ICON, /status of 404 .*\/api\/bots/)).toEqual([])
    })
  })
}

/** Opens a bot's page in every state of a connection. */
export const everyState = (stage: Stage, shapes: ReadonlyArray<Shape>): void => {
  it("every state shows its remedy, breaks no rule of accessibility and does not scroll sideways", async () => {
    const { botId, dashboard, page } = await openBot(stage, `states-${shapes.length}@example.org`)
    const since = { connectedAt: "2026-11-20T09:00:00Z", connectedBy: "a-very-long-address-of-somebody@example.org" }
    const account = { id: "62515", name: "demo-account-with-a-long-domain-name.hubspot.example" }
    const offer = (provider: string, name: string, state: string, problem: string) => ({
      ...{ provider, name, available: true },
      connection: { state, problem, account, ...since }
    })
    const told = [
      offer("provider_one", "Harbour CRM", "needs_reconnect", "refused"),
      offer("provider_two", "Lighthouse CRM", "error", "unavailable"),
      offer("provider_three", "Pier CRM", "needs_reconnect", "answer_lost"),
      offer("provider_four", "Quay CRM", "error", "something_new"),
      { provider: "provider_five", name: "Dock CRM", available: false, connection: null }
    ]
    await page.route(`**/api/bots/${botId}/crm`, (route) => route.fulfill({ json: { providers: told } }))
    for (const { colorScheme, isPhone } of shapes) {
      const width = isPhone ? 375 : 1_440
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: isPhone ? 4_400 : 2_200 })
      await page.goto(`/bots/${botId}?crm_error=exchange`)
      await page.getByRole("alert").waitFor()
      for (const [name, words] of [
        ["Harbour CRM", "Harbour CRM does not allow the access any more."],
        ["Lighthouse CRM", "The provider does not answer for now. It is tried again by itself."],
        ["Pier CRM", "The access was renewed, but the answer was lost on the way."],
        ["Quay CRM", "The provider does not answer for now. It is tried again by itself."]
      ] as const) {
        await row(page, name).getByText(words).waitFor()
        await section(page)
          .getByRole("link", { name: `Connect again to ${name}` })
          .waitFor()
      }
      await row(page, "Dock CRM").getByText("It cannot be connected now").waitFor()
      expect(await connectLink(page, "Dock CRM").count(), "not set up").toBe(0)
      await screenshot(page, `crm-states-${colorScheme}-${width}`)
      expect(await brokenRules(page), `${colorScheme}, ${width}`).toEqual([])
      expect(await overflowOf(page), `${colorScheme}, ${width}`).toBeLessThanOrEqual(0)
    }
    expect(dashboard.complaintsBut()).toEqual([])
  })
}
