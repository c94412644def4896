import { readFileSync } from "node:fs"
import type { Transaction } from "@parley/client"
import type { Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { screenshot } from "../../../../test/support/screenshot.ts"
import { brokenRules } from "../support/brokenRules.ts"
import type { DashboardPage } from "../support/DashboardPage.ts"
import type { Stage } from "../support/describeInChromium.ts"

/** The credits of a new person. */
const CREDITS = 100
const REPLIES = 23

/** Asks a question as a client of the HTTP interface, in the session of a page. */
const ask = async (page: Page) => {
  const messages = [{ role: "user", content: "Hello" }]
  const reply = await page.request.post("/api/chat", { data: { messages } })
  expect(reply.status()).toBe(200)
  await reply.text()
}

export const usage = (stage: Stage): void => {
  let dashboard: DashboardPage
  let page: Page

  beforeAll(async () => {
    dashboard = await stage.openAs("spender@example.org", { path: "/settings" })
    page = dashboard.page
    await page.setViewportSize({ width: 1280, height: 900 })
    // One after the other: each sets aside more than it costs.
    for (let index = 0; index < REPLIES; index += 1) await ask(page)
    await page.goto("/usage")
  })

  const left = CREDITS - REPLIES
  const view = (name: string) => page.getByRole("radiogroup", { name: "View" }).getByText(name).click()
  const rows = () => page.getByRole("region", { name: "History" }).getByRole("listitem")

  it("shows the balance by bucket, and the time of the next credits", async () => {
    const balance = page.getByRole("region", { name: "Your balance" })
    await balance.getByText(`${left} credits`).waitFor()
    for (const bucket of ["Monthly credits", "Bought credits", "Set aside, of these", "Owed"]) {
      expect(await balance.getByText(bucket, { exact: true }).count(), bucket).toBe(1)
    }
    expect(await balance.textContent()).toMatch(/77 of 100.*New ones come on \w+ \d+, \d{4}/)
  })

  it("shows the same numbers as a chart and as a table", async () => {
    await page.getByRole("figure", { name: /Credits spent by day and model from/ }).waitFor()
    await screenshot(page, "usage")
    await view("Table")
    const table = page.getByRole("table")
    expect(await table.getByRole("row").nth(1).textContent()).toMatch(/GPT-6 Luna.*Chat.*23.*23/)
    await view("Chart")
  })

  it("shows the receipt of each row, a page at a time", async () => {
    expect(await rows().count()).toBe(20)
    const newest = rows().first().getByRole("button")
    expect(await newest.textContent()).toContain(`${left} left`)
    await newest.press("Enter")
    const receipt = rows().first().getByRole("table")
    await receipt.waitFor()
    expect(await receipt.textContent()).toMatch(/Charged, rounded up once1$/)
    expect(await rows().first().textContent()).toMatch(
      /A reply costs at least 1 credit\..*credits? (was|were) set aside/
    )
    await screenshot(page, "usage-receipt")
    await newest.press("Enter")
    await page.getByRole("button", { name: "Older" }).click()
    await page.getByText(`21 to ${REPLIES + 1} of ${REPLIES + 1}`).waitFor()
    await expect.poll(() => rows().count()).toBe(REPLIES + 1 - 20)
  })

  it("exports all pages of what the filter shows, and nothing else", async () => {
    await page.getByLabel("Show", { exact: true }).selectOption({ label: "Replies" })
    await page.getByText(`1 to 20 of ${REPLIES}`).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export as CSV" }).click()
    ])
    const lines = readFileSync(await download.path(), "utf8")
      .trimEnd()
      .split("\r\n")
    expect(lines[0]).toContain("time,type,amount,balance_after")
    expect(lines).toHaveLength(REPLIES + 1)
    for (const line of lines.slice(1)) expect(line).toMatch(/,usage,-1,\d+,-1,0,model-a-mini,chat,/)
    await page.getByLabel("Show", { exact: true }).selectOption({ label: "Refunds" })
    await page.getByText("There is nothing of this kind.").waitFor()
  })

  it("warns on every page under the balance that a person chose, also after a reload", async () => {
    const warning = page.getByText("You have only 77 credits left.")
    await page.getByLabel("Warn me under").fill("77")
    await page.getByRole("heading", { level: 1 }).click()
    expect(await warning.count()).toBe(0)
    await page.getByLabel("Warn me under").fill("78")
    await warning.waitFor()
    await page.reload()
    await warning.waitFor()
    await dashboard.goTo("Documents")
    await warning.waitFor()
    await screenshot(page, "usage-warning")
    expect(await brokenRules(page)).toEqual([])
    await page.getByRole("button", { name: "Dismiss this message" }).click()
    await warning.waitFor({ state: "detached" })
    await page.getByRole("link", { name: "Usage" }).click()
    await page.getByLabel("Warn me under").fill("")
  })

  it("shows the rewrite of a question as a line of the receipt of its reply", async () => {
    await page.route(/\/api\/billing\/credit-history/, async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { readonly transactions: ReadonlyArray<Transaction> }
      const [receipt] = body.transactions.flatMap((each) =>
        each.receipt && "price" in each.receipt ? each.receipt : []
      )
      if (receipt !== undefined) Object.assign(receipt, { rewrite: { ...receipt, credits: 1 } })
      await route.fulfill({ response, json: body })
    })
    await page.goto("/usage")
    await rows().first().getByRole("button").press("Enter")
    const line = rows()
      .first()
      .getByRole("row", { name: /Rewriting the question for the search: GPT-6 Luna/ })
    expect(await line.getByRole("cell").allTextContents()).toEqual([expect.stringMatching(/^\d+$/), "", "1"])
    await rows().first().getByText("The rewrite is rounded up by itself").waitFor()
    await screenshot(page, "usage-rewrite")
    expect(await brokenRules(page)).toEqual([])
    await page.unroute(/\/api\/billing\/credit-history/)
  })

  it("the browser complained about nothing", () => {
    expect(dashboard.complaintsBut()).toEqual([])
  })
}
