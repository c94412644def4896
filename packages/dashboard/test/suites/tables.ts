import type { BrowserContextOptions, Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { writeDocx } from "../../../adapters-documents/test/fixtures/writeDocx.ts"
import { writeXlsx } from "../../../adapters-documents/test/fixtures/writeXlsx.ts"
import { checkLook } from "../looks/Look.ts"
import { describeInChromium } from "../support/describeInChromium.ts"
import type { NamedFile } from "../support/files.ts"

const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August"]
const SHIPS = ["Albatross", "Bonito", "Curlew", "Dolphin", "Egret"]
/** Tons, with nothing for the months in which a ship lay in the dock. */
const tons = (ship: number, month: number) => (ship === month ? "" : String((ship + 2) * 1_000 + month * 37))

const rows = [["Ship", ...MONTHS], ...SHIPS.map((ship, at) => [ship, ...MONTHS.map((_, month) => tons(at, month))])]
const csv = rows.map((row) => row.join(",")).join("\n")
const html = `<!doctype html><title>Fares</title><h1>Fares</h1><p>All fares are in crowns.</p>
<table><tr><th><th>Adult<th>Child<tr><th>Single<td>12<td>6<tr><th>Return<td>20<td>10</table><p>Dogs travel free.</p>`

const files: ReadonlyArray<NamedFile> = [
  { name: "cargo.csv", bytes: Buffer.from(csv) },
  { name: "fares.html", bytes: Buffer.from(html) },
  { name: "cargo.xlsx", bytes: writeXlsx([{ name: "Cargo", rows }]) },
  {
    name: "crew.docx",
    bytes: writeDocx([
      { paragraph: "The crew of this summer." },
      {
        table: [
          ["Name", "Rank", "Since"],
          ["Ada", "Master", "2019"],
          ["Grace", "Mate", "2021"]
        ]
      },
      { paragraph: "They sail in May." }
    ])
  }
]

const PHONE = { viewport: { width: 360, height: 780 }, hasTouch: true }
const WIDTHS = [1280, 800, 360]

const textOf = async (page: Page, id: string) => {
  const answer = await page.request.get(`/api/documents/${id}/text`)
  return ((await answer.json()) as { text: string }).text
}

describeInChromium("tables of documents", {}, (stage) => {
  const ids = new Map<string, string>()
  const open = async (name: string, options: BrowserContextOptions = {}, query = "") => {
    const dashboard = await stage.openAs("purser@example.org", { options, path: `/documents/${ids.get(name)}${query}` })
    const { page } = dashboard
    await page.getByRole("table").first().waitFor()
    return { dashboard, page, table: page.getByRole("table").first() }
  }
  beforeAll(async () => {
    const { page } = await stage.openAs("purser@example.org", { documents: files })
    const { documents } = (await (await page.request.get("/api/documents")).json()) as {
      documents: ReadonlyArray<{ id: string; filename: string }>
    }
    for (const { filename, id } of documents) ids.set(filename, id)
  })

  it.each(["cargo.csv", "cargo.xlsx"])(
    "%s is a table with the names of its columns and every value in its place",
    async (name) => {
      const { dashboard, page, table } = await open(name)
      expect(await table.getByRole("columnheader").allTextContents()).toEqual(rows[0])
      const shown = await table
        .locator("tbody tr")
        .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)))
      expect(shown).toEqual(rows.slice(1))
      expect(await page.getByRole("group", { name: "Table: 5 rows, 9 columns" }).count()).toBe(1)
      expect(dashboard.complaintsBut(/^$/)).toEqual([])
    }
  )

  it("the names of rows are headers, and text around a table stays text", async () => {
    const { page, table } = await open("fares.html")
    expect(await table.getByRole("rowheader").allTextContents()).toEqual(["Single", "Return"])
    expect(await table.getByRole("columnheader").allTextContents()).toEqual(["Adult", "Child"])
    await page.getByText("Dogs travel free.", { exact: true }).waitFor()
    const crew = await open("crew.docx")
    expect(await crew.table.locator("tr").allTextContents()).toEqual([
      "NameRankSince",
      "AdaMaster2019",
      "GraceMate2021"
    ])
    expect(await crew.page.getByRole("article").locator("p").allTextContents()).toEqual([
      "The crew of this summer.",
      "They sail in May."
    ])
  })

  it("what is cited is marked exactly, wherever in the table it begins and ends", async () => {
    const text = await textOf((await open("cargo.csv")).page, ids.get("cargo.csv") ?? "")
    const from = text.indexOf("Curlew") + 3
    const to = text.indexOf("February: ", from) + "February: 40".length
    const { page } = await open("cargo.csv", {}, `?from=${from}&to=${to}`)
    await page.locator("mark").first().waitFor()
    expect(await page.locator("mark").allTextContents()).toEqual(["lew", "4000", "40"])
    // A row far to the right of a narrow window is scrolled to.
    const last = text.indexOf("August: ", from) + "August: ".length
    const phone = await open("cargo.csv", PHONE, `?from=${last}&to=${last + 4}`)
    const mark = phone.page.locator("mark")
    await mark.waitFor()
    await expect.poll(() => mark.evaluate((element) => element.getBoundingClientRect().right)).toBeLessThanOrEqual(360)
    expect(await mark.textContent()).toBe(tons(2, 7).slice(0, 4))
  })

  it("a row that is copied has its values apart by tabs, without the names", async () => {
    const { page, table } = await open("cargo.csv")
    await table
      .locator("tbody tr")
      .nth(1)
      .evaluate((row) => getSelection()?.selectAllChildren(row))
    const copied = await page.evaluate(() => getSelection()?.toString())
    expect(copied?.trim()).toBe(rows[2]?.join("\t"))
  })

  it("the source of a reply shows the table around the cited passage", async () => {
    const dashboard = await stage.openAs("purser@example.org", { path: `/?documents=${ids.get("crew.docx")}` })
    await dashboard.ask("Which rank has Grace?")
    await dashboard.replied()
    await dashboard.reply
      .getByRole("group", { name: /source/ })
      .getByRole("button")
      .first()
      .click()
    const drawer = dashboard.page.getByRole("dialog")
    await drawer.getByRole("table").waitFor()
    expect(await drawer.getByRole("columnheader").allTextContents()).toEqual(["Name", "Rank", "Since"])
    expect((await drawer.locator("mark").allTextContents()).join(" ")).toContain("Grace Mate 2021")
    await checkLook(dashboard.page, { name: "1280-light", options: {} }, "source-table")
  })

  it.each(["light", "dark"] as const)(
    "break no rule of accessibility, and scroll by themselves alone, %s",
    async (colorScheme) => {
      const { page } = await open("fares.html", { colorScheme })
      const from = (await textOf(page, ids.get("cargo.csv") ?? "")).indexOf("Ship: Bonito")
      for (const [state, path] of [
        ["table", `/documents/${ids.get("cargo.csv")}?from=${from}&to=${from + 60}`],
        ["table-small", `/documents/${ids.get("fares.html")}`]
      ] as const) {
        await page.goto(path)
        await page.getByRole("table").waitFor()
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 })
          await checkLook(page, { name: `${width}-${colorScheme}`, options: {} }, state)
        }
      }
    }
  )
})
