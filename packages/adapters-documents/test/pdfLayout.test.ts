import { describe, expect, it } from "vitest"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { parseDocument } from "../src/parsing/parseDocument.ts"
import { writePdf } from "./fixtures/writePdf.ts"

/** Letters are 0.6 times as wide as they are high. */
const SIZE = 10
const LINE = 14

const hexadecimal = (text: string) =>
  Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16).padStart(4, "0")).join("")

type Placed = readonly [x: number, line: number, text: string]

const shown = ([x, line, text]: Placed) => `BT /F1 ${SIZE} Tf ${x} ${740 - line * LINE} Td <${hexadecimal(text)}> Tj ET`

/** Reads a page on which texts are written at their places, in this order. */
const read = async (texts: ReadonlyArray<Placed>, before = ""): Promise<string> => {
  const content = `${before} ${texts.map(shown).join("\n")}`
  return (await parseDocument("pdf", writePdf([{ content }]), DEFAULT_PARSER_LIMITS)).text
}

/** The cells of a table, row by row; empty ones are not written. */
const placed = (columns: ReadonlyArray<number>, rows: ReadonlyArray<ReadonlyArray<string>>, first = 0) =>
  rows.map((row, line) =>
    row.flatMap((text, column): ReadonlyArray<Placed> => (text === "" ? [] : [[columns[column]!, first + line, text]]))
  )

const COSTS = [
  ["Cost", "January", "February", "March"],
  ["Rent", "", "900", "950"],
  ["Food", "310", "295", ""],
  ["Travel", "45", "12", "80"]
]
const COST_LINES = [
  "Cost\tJanuary\tFebruary\tMarch",
  "Cost: Rent\tFebruary: 900\tMarch: 950",
  "Cost: Food\tJanuary: 310\tFebruary: 295",
  "Cost: Travel\tJanuary: 45\tFebruary: 12\tMarch: 80"
].join("\n")

const SENTENCE = "The tenant pays the rent on the first day."
const OTHER = "The landlord repairs the roof and windows."

describe("a table in a PDF", () => {
  it("keeps the row and the column of each cell, and tells the name of its column", async () => {
    const texts = placed([50, 150, 250, 350], COSTS, 2).flat()
    expect(await read([[50, 0, SENTENCE], ...texts, [50, 8, OTHER]])).toBe(`${SENTENCE}\n\n${COST_LINES}\n\n${OTHER}`)
  })

  it("is read by rows if the file writes it column by column", async () => {
    const byColumns = placed([50, 150, 250, 350], COSTS)
      .flat()
      .toSorted(([one], [other]) => one - other)
    expect(await read(byColumns)).toBe(COST_LINES)
  })

  it("is read upright on a page that is turned", async () => {
    const texts = placed([50, 150, 250, 350], COSTS).flat()
    expect(await read(texts, "0 1 -1 0 780 0 cm")).toBe(COST_LINES)
  })

  it("joins the lines of a cell, whether the file writes them in a row or one below the other", async () => {
    const lines = [
      ["Part", "Meaning", "Price"],
      ["Blade", "cuts grass of", "17"],
      ["", "any height", ""],
      ["Grip", "is held", "8"]
    ]
    const expected =
      "Part\tMeaning\tPrice\nPart: Blade\tMeaning: cuts grass of any height\tPrice: 17\nPart: Grip\tMeaning: is held\tPrice: 8"
    const rows = placed([50, 150, 350], lines)
    expect(await read(rows.flat())).toBe(expected)
    const [names = [], [blade, cuts, price] = [], [any] = [], grip = []] = rows
    expect(await read([...names, blade!, cuts!, any!, price!, ...grip])).toBe(expected)
  })

  it("keeps rows without a first cell apart, and joins the names of columns in several lines", async () => {
    const rows = [
      ["Ward", "Head", "Deputy"],
      ["", "nurse", "nurse"],
      ["North", "Ann", "Bo"],
      ["", "Cy", "Di"],
      ["South", "Edgar Poe", "Flo Ray-Li"]
    ]
    expect(await read(placed([50, 150, 250], rows).flat())).toBe(
      "Ward\tHead nurse\tDeputy nurse\nWard: North\tHead nurse: Ann\tDeputy nurse: Bo\n" +
        "Head nurse: Cy\tDeputy nurse: Di\nWard: South\tHead nurse: Edgar Poe\tDeputy nurse: Flo Ray-Li"
    )
  })

  it("of two columns has codes or years in its first", async () => {
    const rows = [
      ["Year", "Sales"],
      ["2023", "4,100"],
      ["2024", "5,250"]
    ]
    const byColumns = placed([50, 150], rows)
      .flat()
      .toSorted(([one], [other]) => one - other)
    expect(await read(byColumns)).toBe("Year\tSales\nYear: 2023\tSales: 4,100\nYear: 2024\tSales: 5,250")
  })

  it("is read from right to left if its words are", async () => {
    const reversed = (text: string) => Array.from(text).toReversed().join("")
    const rows = [
      ["950", "900", reversed("إيجار")],
      ["295", "310", reversed("طعام")],
      ["80", "45", reversed("سفر")]
    ]
    expect(await read(placed([50, 150, 250], rows).flat())).toBe("إيجار\t900\t950\nطعام\t310\t295\nسفر\t45\t80")
  })
})

/** Lines of two columns, of one length. */
const PAPER = Array.from({ length: 10 }, (_, line) => [
  `Left column, line ${line}, is long enough`,
  `Right column, line ${line}, long as well`
])
const columnOf = (column: 0 | 1) => PAPER.map((row) => row[column]).join("\n")

describe("a page of a PDF without tables", () => {
  it("is read column by column below a title, as the file writes it", async () => {
    const rows = placed([50, 320], PAPER, 2).flat()
    const byColumns = rows.toSorted(([one], [other]) => one - other)
    expect(await read([[150, 0, "A title over both of the columns"], ...byColumns])).toBe(
      `A title over both of the columns\n\n${columnOf(0)}\n${columnOf(1)}`
    )
  })

  it("is read column by column even if the file writes across the columns, as text recognition does", async () => {
    expect(await read(placed([50, 320], PAPER).flat())).toBe(`${columnOf(0)}\n\n${columnOf(1)}`)
  })

  it.each<readonly [string, ReadonlyArray<Placed>]>([
    [
      "marks of a list",
      [
        [50, 0, "1."],
        [80, 0, SENTENCE],
        [50, 1, "2."],
        [80, 1, OTHER],
        [50, 2, "3."],
        [80, 2, SENTENCE]
      ]
    ],
    [
      "dots that lead to pages",
      [
        [50, 0, "1"],
        [80, 0, "Rent . . . . . . ."],
        [300, 0, "2"],
        [50, 1, "2"],
        [80, 1, "Roof . . . . . . ."],
        [300, 1, "5"],
        [50, 2, "3"],
        [80, 2, "Keys . . . . . . ."],
        [300, 2, "9"]
      ]
    ],
    [
      "wide blanks of justified lines",
      [
        [50, 0, "The tenant pays"],
        [150, 0, "the rent"],
        [50, 1, "on the"],
        [100, 1, "first day of"],
        [180, 1, "May"],
        [50, 2, "and of every month after that"]
      ]
    ],
    [
      "formulas with numbers",
      [
        [50, 0, "a = b + c"],
        [300, 0, "(1.1)"],
        [50, 1, "d = e + f"],
        [300, 1, "(1.2)"],
        [50, 2, "g = h + i"],
        [300, 2, "(1.3)"]
      ]
    ],
    [
      "notes beside a text",
      Array.from({ length: 9 }, (_, line): ReadonlyArray<Placed> => {
        const text: Placed = [50, line, line % 2 === 0 ? SENTENCE : OTHER]
        return line % 3 === 1 ? [text, [400, line, `Note ${line}`]] : [text]
      }).flat()
    ],
    [
      "an index",
      placed(
        [50, 150, 250],
        Array.from({ length: 4 }, (_, line) => [`roof, ${line}`, `tenant, 2${line}`, `window, 4${line}`])
      )
        .flat()
        .toSorted(([one], [other]) => one - other)
    ]
  ])("is read in the order of the file: %s", async (_what, texts) => {
    const text = await read(texts)
    expect(text).not.toContain("\t")
    expect(text.split(/\s+/)).toEqual(texts.flatMap(([, , part]) => part.split(" ")))
  })

  it("keeps text that runs in another direction beside a table", async () => {
    const turned = `BT /F1 ${SIZE} Tf 0 1 -1 0 30 300 Tm <${hexadecimal("Draft of May")}> Tj ET`
    const text = await read(placed([50, 150, 250, 350], COSTS).flat(), turned)
    expect(text).toContain("Draft of May")
    expect(text).toContain(COST_LINES)
  })
})
