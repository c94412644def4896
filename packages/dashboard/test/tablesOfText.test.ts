import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { tableLines } from "../../adapters-documents/src/parsing/tableLines.ts"
import { tablesOfText } from "../app/documents/tablesOfText.ts"
import { type MarkKind, pagesOfText, type Paragraph, type ShownTable } from "../app/documents/textParts.ts"

const ALL = { isCutBefore: false, isCutAfter: false }

/** The tables of a text, as people read them: `-` where there is no cell. */
const read = (text: string, kind = "csv", cut: Partial<typeof ALL> = {}) =>
  tablesOfText({ text, ...ALL, ...cut }, kind).map(({ names, namesRows, rows }) => {
    const said = (cell: { readonly start: number; readonly end: number } | string | undefined) =>
      cell === undefined ? "-" : typeof cell === "string" ? cell : text.slice(cell.start, cell.end)
    return { names: names?.map(said), namesRows, rows: rows.map((row) => row.map(said)) }
  })

const lines = (rows: ReadonlyArray<ReadonlyArray<string>>, names: "yes" | "unknown" = "yes") =>
  [...tableLines(rows, names)].join("\n")

const stretchOf = (text: string, from = 0, type = "xlsx") => ({
  ...{ documentId: "d", filename: `f.${type}`, type, from, to: from + text.length, length: from + text.length, text },
  pages: null
})

const words = (paragraph: Paragraph | undefined) => (paragraph ?? []).map(({ text }) => text).join("")
const markedIn = (paragraph: Paragraph | undefined) =>
  (paragraph ?? []).filter(({ kinds }) => kinds.has("quote")).map(({ text }) => text)

const tablesIn = (...args: Parameters<typeof pagesOfText>): ReadonlyArray<ShownTable> =>
  pagesOfText(...args).flatMap(({ parts }) => parts.flatMap((part) => ("table" in part ? [part.table] : [])))

describe("a table in the text of a document", () => {
  it("has its names once, its values without them, and nothing where a cell is empty", () => {
    const table = [
      ["Part", "Wear", "Note"],
      ["Blade", "0.4", "old"],
      ["Hub", "", "new"],
      ["", "2", ""]
    ]
    expect(read(lines(table))).toEqual([
      {
        names: ["Part", "Wear", "Note"],
        namesRows: false,
        rows: [
          ["Blade", "0.4", "old"],
          ["Hub", "-", "new"],
          ["-", "2", "-"]
        ]
      }
    ])
  })

  it("has names of rows below an empty corner", () => {
    const years = [
      ["", "2022", "2023"],
      ["Rent", "900", "950"],
      ["Heating", "", "80"],
      ["Other", "", ""],
      ["Sum", "900", "1,030"]
    ]
    expect(read(lines(years))).toEqual([
      {
        names: ["-", "2022", "2023"],
        namesRows: true,
        rows: [
          ["Rent", "900", "950"],
          ["Heating", "-", "80"],
          ["Other", "-", "-"],
          ["Sum", "900", "1,030"]
        ]
      }
    ])
  })

  it("tells names that occur twice, that begin alike, and that values repeat apart", () => {
    const table = [
      ["Wear", "Wear", "Wear: most", "Note"],
      ["1", "2", "3", "Wear: none"],
      ["4", "5", "Wear: 6", "x"]
    ]
    expect(read(lines(table))).toMatchObject([{ names: table[0], rows: table.slice(1) }])
  })

  it("keeps the cells of rows that are longer than the names", () => {
    expect(read("a\tb\na: 1\na: 1\tb: 2\t3\t4")).toEqual([
      {
        names: ["a", "b", "-", "-"],
        namesRows: false,
        rows: [
          ["1", "-", "-", "-"],
          ["1", "2", "3", "4"]
        ]
      }
    ])
  })

  it("without names is found where a tab is the end of a cell, and in no other kind of document", () => {
    const text = "Measured\n1\t2\t3\n4\t\t6\nnote\n7\t8\n\nThe end\tof it"
    const table = {
      names: undefined,
      namesRows: false,
      rows: [
        ["1", "2", "3"],
        ["4", "", "6"],
        ["note", "-", "-"],
        ["7", "8", "-"]
      ]
    }
    expect(read(text, "docx")).toEqual([table])
    expect(read(text, "pptx")).toEqual([])
    expect(read("a\tb\na: 1\tb: 2", "txt")).toEqual([])
    expect(read("func\tmain\n\treturn\tnil", "md")).toEqual([])
  })

  it("ends where the next one begins, and where its names are said no more", () => {
    expect(read("A\tB\nA: 1\tB: 2\nC\tD\nC: 3\tD: 4\nThe sum is ten.\n\n5\t6\n7\t8")).toMatchObject([
      { names: ["A", "B"], rows: [["1", "2"]] },
      { names: ["C", "D"], rows: [["3", "4"]] },
      {
        names: undefined,
        rows: [
          ["5", "6"],
          ["7", "8"]
        ]
      }
    ])
  })

  it("whose names stand before the stretch has those that its rows say; a row that is cut is left out", () => {
    const text = lines([
      ["Part", "Wear"],
      ["Blade", "0.4"],
      ["Hub", "2"],
      ["Nut", "3"],
      ["Pin", "4"]
    ])
    const rest = text.slice(text.indexOf("ade\t"))
    expect(read(rest, "csv", { isCutBefore: true })).toMatchObject([
      {
        names: ["Part", "Wear"],
        rows: [
          ["Hub", "2"],
          ["Nut", "3"],
          ["Pin", "4"]
        ]
      }
    ])
    const whole = text.slice(text.indexOf("Part: Blade"))
    expect(read(whole, "csv", { isCutBefore: true })[0]?.rows).toHaveLength(4)
    expect(read(text.slice(0, -4), "csv", { isCutAfter: true })[0]?.rows.at(-1)).toEqual(["Nut", "3"])
    // Half of the names, and the rows below.
    expect(read(text.slice(2), "csv", { isCutBefore: true })).toMatchObject([
      {
        names: ["Part", "Wear"],
        rows: [
          ["Blade", "0.4"],
          ["Hub", "2"],
          ["Nut", "3"],
          ["Pin", "4"]
        ]
      }
    ])
  })

  it("with any cells is read back as it was given to the parser", () => {
    const cell = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", "B", ":", " ", "1", "é", ",", "|"), maxLength: 8 }),
      fc.constantFrom("", "Part", "12.5", "name: x", "2024-03-15")
    )
    const oneLine = (text: string) => text.replace(/\s+/gu, " ").trim()
    const name = cell.map(oneLine).filter((text) => text !== "")
    const table = fc
      .integer({ min: 2, max: 5 })
      .chain((columns) =>
        fc.tuple(
          fc.uniqueArray(name, { minLength: columns, maxLength: columns }),
          fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 8 })
        )
      )
    fc.assert(
      fc.property(table, ([names, cells]) => {
        const rows = cells.map((row) => row.map(oneLine)).filter((row) => row.some((value) => value !== ""))
        fc.pre(rows.length > 0)
        const found = read(lines([names, ...rows]))
        expect(found).toHaveLength(1)
        expect(found[0]?.names).toEqual(names)
        expect(found[0]?.rows).toEqual(rows.map((row) => row.map((value) => (value === "" ? "-" : value))))
      })
    )
  })

  it("loses no character of any text, and shows none twice", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", ": ", "\t", "\n", "a: ", "é"), maxLength: 60 })
    fc.assert(
      fc.property(text, fc.boolean(), fc.boolean(), (given, isCutBefore, isCutAfter) => {
        let at = 0
        for (const table of tablesOfText({ text: given, isCutBefore, isCutAfter }, "csv")) {
          expect(table.start).toBeGreaterThanOrEqual(at)
          at = table.start
          const said = [...(table.names ?? []), ...table.rows.flat()]
          const spans = said
            .filter((cell) => typeof cell === "object")
            .toSorted((one, other) => one.start - other.start)
          for (const { end, start } of spans) {
            expect(start).toBeGreaterThanOrEqual(at)
            // Between two cells there are a tab or a line end, and the name of the column alone.
            expect(given.slice(at, start)).toMatch(/^[\t\n]?(?:[^\t\n]*: )?$|^$/)
            at = end
          }
          expect(given.slice(at, table.end).trim()).toBe("")
          at = table.end
          expect(new Set(table.rows.map((row) => row.length)).size).toBe(1)
        }
      }),
      { numRuns: 1_000 }
    )
  })
})

describe("a table as it is shown", () => {
  const text = `Report\n${lines([
    ["Part", "Wear"],
    ["Blade", "0.4 mm"],
    ["Hub", "2 mm"]
  ])}\n\nWear is mea-\nsured in May.`
  const mark = (quote: string, kind: MarkKind = "quote") => {
    const start = 100 + text.indexOf(quote)
    return { kind, start, end: start + quote.length }
  }

  it("stands between the text before and after it", () => {
    const [page] = pagesOfText(stretchOf(text), [])
    expect(page?.parts.map((part) => ("table" in part ? part.table.rows.length : words(part.paragraph)))).toEqual([
      "Report",
      2,
      "Wear is measured in May."
    ])
  })

  it("has what is cited marked at the same characters, in its cells and around it", () => {
    const marks = [mark("Hub\tWear: 2"), mark("measured".slice(0, 3))]
    const [table] = tablesIn(stretchOf(text, 100), marks)
    expect(table?.rows.map((row) => row.map(markedIn))).toEqual([
      [[], []],
      [["Hub"], ["2"]]
    ])
    expect(words(table?.rows[1]?.[1])).toBe("2 mm")
    const [header] = tablesIn(stretchOf(text, 100), [mark("Wear\n".slice(0, 4))])
    expect(header?.names?.map(markedIn)).toEqual([[], ["Wear"]])
    const after = pagesOfText(stretchOf(text, 100), [mark("mea-\nsured")])
      .flatMap(({ parts }) => parts)
      .at(-1)!
    expect(markedIn("paragraph" in after ? after.paragraph : undefined)).toEqual(["measured"])
  })

  it("is found by the name of a file whose kind is not known", () => {
    expect(tablesIn({ ...stretchOf(text), type: undefined, filename: "Report 2023.XLSX" }, [])).toHaveLength(1)
    expect(tablesIn({ ...stretchOf(text), type: undefined, filename: "xlsx" }, [])).toHaveLength(1)
    expect(tablesIn({ ...stretchOf(text), type: undefined, filename: "notes.txt" }, [])).toHaveLength(0)
  })
})
