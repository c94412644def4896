import { describe, expect, it, vi } from "vitest"
import { joinedText } from "../app/api/documents.ts"
import { readWholeHistory } from "../app/api/usage.ts"
import { localProblem } from "../app/documents/UploadQueue.ts"
import { headingOf, type MarkKind, type PageOfText, pagesOfText } from "../app/documents/textParts.ts"
import { findInItems } from "../app/pdf/findInItems.ts"
import { creditsByDay } from "../app/pages/usage/days/creditsByDay.ts"
import { historyCsv } from "../app/pages/usage/history/historyCsv.ts"
import { receiptLines } from "../app/pages/usage/history/receiptLines.ts"
import { snippetOf } from "../app/sources/snippet.ts"

describe("a text on a page of a pdf", () => {
  const found = (items: ReadonlyArray<string>, wanted: string) =>
    findInItems(items, wanted).map(({ item, start, end }) => items[item]?.slice(start, end))

  it("is found though spaces, hyphens at the ends of lines and ligatures differ", () => {
    const items = ["Prices: the", " ", "\ufb01rst pay-", "", "ment is ", "due. More"]
    expect(found(items, "the first payment is due.")).toEqual(["the", " ", "\ufb01rst pay-", "ment is ", "due"])
  })

  it.each(["nowhere", "", "...", "due more prices"])("is not found where it is not: %j", (wanted) => {
    expect(found(["Prices", "due. More"], wanted)).toEqual([])
  })
})

const stretch = (text: string, from: number, pages: ReadonlyArray<[number, number, number]> | null) => ({
  documentId: "d",
  filename: "f",
  type: "pdf" as const,
  from,
  to: from + text.length,
  length: 1_000,
  text,
  pages: pages?.map(([page, start, end]) => ({ page, start, end })) ?? null
})

const paragraphsOf = (page: PageOfText | undefined) =>
  (page?.parts ?? []).flatMap((part) => ("paragraph" in part ? [part.paragraph] : []))

describe("a stretch of a document", () => {
  const text = "Head\n\nThe tenant may end the agree-\nment at any time.\nThe deposit is paid back then.\n"
  const start = 100 + text.indexOf("the agree")
  const marks = [{ kind: "quote" as const, start, end: start + "the agree-\nment".length }]

  it("has what stands out at the same words, though its lines are joined", () => {
    const [page] = pagesOfText(stretch(text, 100, null), marks)
    const marked = paragraphsOf(page)
      .flat()
      .filter(({ kinds }) => kinds.has("quote"))
    expect(marked.map((piece) => piece.text)).toEqual(["the agreement"])
    expect(paragraphsOf(page).map((paragraph) => paragraph.map((piece) => piece.text).join(""))[0]).toBe("Head")
  })

  it("is divided at its pages, and what stands out over a break is on both", () => {
    const split = 100 + text.indexOf("ment at")
    const pages = pagesOfText(
      stretch(text, 100, [
        [4, 50, split],
        [5, split, 400]
      ]),
      marks
    )
    expect(pages.map(({ page }) => page)).toEqual([4, 5])
    for (const page of pages) {
      expect(
        paragraphsOf(page)
          .flat()
          .some(({ kinds }) => kinds.has("quote"))
      ).toBe(true)
    }
  })

  it("shows headings of Markdown as headings, marked where they were", () => {
    const heading = [
      { text: "#", kinds: new Set<MarkKind>() },
      { text: "# Rent ", kinds: new Set<MarkKind>(["passage"]) },
      { text: "and deposit", kinds: new Set<MarkKind>(["quote"]) }
    ]
    const shown = headingOf(heading)
    expect(shown?.map((piece) => piece.text)).toEqual(["", "Rent ", "and deposit"])
    expect(shown?.map(({ kinds }) => kinds)).toEqual(heading.map(({ kinds }) => kinds))
    for (const text of ["#1 of them", "# ", "####### seven", "a # b", "# Rent\nis due"]) {
      expect(headingOf([{ text, kinds: new Set() }]), text).toBeUndefined()
    }
  })

  it("goes on with the next one without a seam", () => {
    const whole = joinedText([stretch(text.slice(0, 30), 100, null), stretch(text.slice(30), 130, null)])
    expect(whole).toEqual(stretch(text, 100, null))
    expect(joinedText([])).toBeUndefined()
  })
})

it("a list shows the marked words of a source with some around them, never part of a word", () => {
  const text = `${"word ".repeat(40)}the quote itself ${"after ".repeat(40)}`
  const start = text.indexOf("the quote")
  const { before, mark, after } = snippetOf({ text, marks: [{ start, end: start + "the quote itself".length }] })
  expect(mark).toBe("the quote itself")
  expect(before).toMatch(/^\u2026 (word )+$/)
  expect(after).toMatch(/^( after)+ \u2026$/)
  expect(snippetOf({ text: "Short.", marks: [] })).toEqual({ before: "Short.", mark: "", after: "" })
  expect(snippetOf({ text: "Paid back.\n\n## 3. Term\n\nIt is 1 # 2.", marks: [] }).before).toBe(
    "Paid back. 3. Term It is 1 # 2."
  )
})

const rates = (input: number) => ({
  credits_per_1k_input: input,
  credits_per_1k_cached_input: input / 10,
  credits_per_1k_cache_write: input,
  credits_per_1k_output: input * 4
})

const receipt = {
  source: "chat",
  model: "model-a",
  price: { ...rates(2), minimum_credits: 1, long_context: { above_input_tokens: 1_000, ...rates(4) } },
  usage: { fresh_input: 900, cache_read: 100, cache_write: 0, output: 250 },
  held: 9,
  charged: 4,
  estimated: false,
  ended: "completed",
  paid_from: { allowance: 4, topup: 0 }
}

it("the lines of a receipt sum up to its price, by the rates for long contexts where the input is longer", () => {
  const sum = (lines: ReturnType<typeof receiptLines>) => lines.reduce((total, { credits }) => total + credits, 0)
  expect(receiptLines(receipt).map(({ kind, rate }) => [kind, rate])).toEqual([
    ["input", 2],
    ["cacheRead", 0.2],
    ["output", 8]
  ])
  expect(Math.ceil(sum(receiptLines(receipt)))).toBe(receipt.charged)
  const long = receiptLines({ ...receipt, usage: { ...receipt.usage, fresh_input: 901 } })
  expect(long.map(({ rate }) => rate)).toEqual([4, 0.4, 16])
})

it("exported rows are what RFC 4180 says, and run nothing in a spreadsheet", () => {
  const row = {
    id: "1",
    transaction_type: "grant" as const,
    amount: 5,
    allowance_amount: 0,
    topup_amount: 5,
    balance_after: 5,
    model: null,
    source: 'meter:a,"b"',
    reference: '=HYPERLINK("https://evil.example")',
    created_at: "2026-11-22T05:00:00.000Z",
    receipt: null
  }
  const [names, line, end] = historyCsv([row]).split("\r\n")
  expect(names?.startsWith("\ufefftime,type,amount")).toBe(true)
  expect(line).toBe(
    `2026-11-22T05:00:00.000Z,grant,5,5,0,5,,"meter:a,""b""",,,,,"'=HYPERLINK(""https://evil.example"")"`
  )
  expect(end).toBe("")
  for (const reference of ["\n=1+1", "＝1+1", "＋1", "－1", "＠x"]) {
    expect(historyCsv([{ ...row, reference }])).toContain(`'${reference}`)
  }
})

it("the credits of a rewritten question are the last column of exported rows, if there are any", () => {
  const row = {
    id: "2",
    transaction_type: "usage" as const,
    amount: -5,
    allowance_amount: -5,
    topup_amount: 0,
    balance_after: 5,
    model: "model-a",
    source: "chat",
    reference: "reply:1",
    created_at: "2026-11-22T05:00:00.000Z",
    receipt
  }
  const { estimated, model, price, usage } = receipt
  const rewritten = { ...row, receipt: { ...receipt, rewrite: { estimated, model, price, usage, credits: 1 } } }
  expect(historyCsv([row]).split("\r\n")[0]).toMatch(/,reference$/)
  const [names, first, second] = historyCsv([rewritten, row]).split("\r\n")
  expect(names).toMatch(/,reference,rewrite_credits$/)
  expect(first).toMatch(/,reply:1,1$/)
  expect(second).toMatch(/,reply:1,$/)
})

it("a chart has every day, and the model that cost most first", () => {
  const row = (day: string, model: string, source: string, credits: number) => ({
    day,
    model,
    source,
    credits,
    replies: 1,
    input_tokens: 1,
    output_tokens: 1
  })
  const { days, models } = creditsByDay({
    from: "2026-02-27",
    to: "2026-03-01",
    usage: [row("2026-02-27", "a", "chat", 2), row("2026-02-27", "a", "bot:1", 3), row("2026-03-01", "b", "chat", 9)]
  })
  expect(models).toEqual(["b", "a"])
  expect(days).toEqual([
    { day: "2026-02-27", credits: { a: 5 } },
    { day: "2026-02-28", credits: {} },
    { day: "2026-03-01", credits: { b: 9 } }
  ])
})

it("files that the server would refuse for their size are not sent", () => {
  const limits = { maxBytes: 10, types: ["pdf"], extensions: ["pdf"] }
  expect([0, 1, 10, 11].map((size) => localProblem({ size }, limits)?.details["problem"])).toEqual([
    "empty",
    undefined,
    undefined,
    "too-large"
  ])
})

it("the whole history is read, each row once, though rows come meanwhile", async () => {
  const rows = Array.from({ length: 450 }, (_, index) => ({ id: String(450 - index) }))
  const asked: Array<string> = []
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path)
    const query = new URL(path, "http://localhost").searchParams
    const [limit, offset] = [Number(query.get("limit")), Number(query.get("offset"))]
    const transactions = rows.slice(offset, offset + limit)
    const body = { transactions, total: rows.length, limit, offset }
    // A new reply moves every row to the next place.
    rows.unshift({ id: String(rows.length + 1) })
    return Response.json(body)
  })
  try {
    const ids = (await readWholeHistory("usage")).map(({ id }) => Number(id))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.toSorted((one, other) => one - other).slice(0, 450)).toEqual(
      Array.from({ length: 450 }, (_, n) => n + 1)
    )
    expect(asked.every((path) => path.includes("type=usage"))).toBe(true)
  } finally {
    vi.unstubAllGlobals()
  }
})
