import { describe, expect, it } from "vitest"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { parseDocument } from "../src/parsing/parseDocument.ts"
import { writeDocx } from "./fixtures/writeDocx.ts"
import { writePptx } from "./fixtures/writePptx.ts"
import { writeXlsx, type XlsxCell, type XlsxSheet } from "./fixtures/writeXlsx.ts"

const parse = (kind: "xlsx" | "pptx" | "docx", bytes: Uint8Array) => parseDocument(kind, bytes, DEFAULT_PARSER_LIMITS)
const sheetText = async (rows: XlsxSheet["rows"], at?: XlsxSheet["at"]) => {
  const { text } = await parse("xlsx", writeXlsx([{ name: "S", rows, ...(at === undefined ? {} : { at }) }]))
  return text.slice("S\n\n".length)
}

describe("a workbook", () => {
  it("is read sheet by sheet under their names, hidden ones left out", async () => {
    const { headings, pageStarts, text } = await parse(
      "xlsx",
      writeXlsx([
        { name: "Income & costs", rows: [["a"]] },
        { name: "Secret", rows: [["hidden words"]], state: "hidden" },
        { name: "More secret", rows: [["hidden words"]], state: "veryHidden" },
        { name: "Empty", rows: [] },
        { name: "Staff", rows: [["b"]] }
      ])
    )
    expect(text).toBe("Income & costs\n\na\n\nStaff\n\nb")
    expect(headings).toEqual([
      { level: 1, title: "Income & costs", start: 0 },
      { level: 1, title: "Staff", start: text.indexOf("Staff") }
    ])
    expect(pageStarts).toBeNull()
  })

  it.each<[string, XlsxCell, string]>([
    ["a date of a code", { number: 45366, format: "dd.mm.yyyy" }, "15.03.2024"],
    ["a date as the locale has it", { number: 45366, format: 14 }, "2024-03-15"],
    ["a date with a time", { number: 45366.75, format: "yyyy-mm-dd hh:mm" }, "2024-03-15 18:00"],
    ["a share", { number: 0.125, format: 10 }, "12.50%"],
    ["an amount", { number: 1234.5, format: '#,##0.00" €"' }, "1,234.50 €"],
    ["a number as it is", { number: 0.1 + 0.2 }, "0.3"],
    ["a code that cannot be read", { number: 7, format: "bad [[" }, "7"],
    ["a code that hides the number", { number: 7, format: ";;;" }, "7"],
    ["a truth", true, "TRUE"],
    ["an error", { error: "#N/A" }, "#N/A"],
    ["words of its own", { inline: "in <line>" }, "in <line>"],
    ["words in parts, without how they are spoken", "shared words", "shared words"]
  ])("shows %s as its program does", async (_, cell, shown) => {
    expect(await sheetText([[cell]])).toBe(shown)
  })

  it("shows the content of a cell over several rows in each of them, and that of one over columns once", async () => {
    const rows = [
      ["Region", "Month", "Net"],
      ["North", "May", { number: 1 }],
      [null, "June", { number: 2 }],
      ["South", "May", { number: 3 }]
    ]
    const bytes = writeXlsx([{ name: "S", rows, merged: ["A2:A3", "B4:C4", "A900000:A900001"] }])
    expect((await parse("xlsx", bytes)).text).toBe(
      "S\n\nRegion\tMonth\tNet\n" +
        "Region: North\tMonth: May\tNet: 1\nRegion: North\tMonth: June\tNet: 2\nRegion: South\tMonth: May\tNet: 3"
    )
  })

  it("counts days from 1904 where it says so", async () => {
    const bytes = writeXlsx([{ name: "S", rows: [[{ number: 43904, format: 14 }, { number: 5 }]] }], { from1904: true })
    expect((await parse("xlsx", bytes)).text).toBe("S\n\n2024-03-15\t5")
  })

  it("names the columns in each row, for any place of the table and any text above it", async () => {
    const table: XlsxSheet["rows"] = [
      ["Report of the year"],
      ["Part", null, "Wear", "Note"],
      ["Blade", null, { number: 0.4 }, "old"],
      ["Hub", null, { number: 2 }, null],
      [],
      ["City", "Country"],
      ["Rome", "Italy"]
    ]
    const text =
      "Report of the year\nPart\tWear\tNote\nPart: Blade\tWear: 0.4\tNote: old\nPart: Hub\tWear: 2\n\nCity\tCountry\nCity: Rome\tCountry: Italy"
    expect(await sheetText(table)).toBe(text)
    expect(await sheetText(table, [700, 40])).toBe(text)
  })

  it("whose cells are scattered stays small", async () => {
    const rows = Array.from({ length: 700 }, (_, index) => [...Array.from({ length: index }, () => null), "x"])
    const text = await sheetText(rows)
    expect(text.length).toBe(2 * 700 - 1)
  })
})

describe("a presentation", () => {
  it("has a page for each slide in the order shown, titles as headings, tables and notes, and no repeated foot", async () => {
    const { headings, pageStarts, text } = await parse(
      "pptx",
      writePptx([
        { title: "Plan", body: ["First & last", "\tdeeper"], notes: "Say hello." },
        {},
        {
          title: "Wear",
          table: [
            ["Part", "Wear"],
            ["Blade", "0.4 mm"]
          ]
        }
      ])
    )
    const pages = [
      "Plan\n\nFirst & last\n- deeper\n\nNotes:\nSay hello.",
      "",
      "Wear\n\nPart\tWear\nPart: Blade\tWear: 0.4 mm"
    ]
    expect(text).toBe(pages.join("\n"))
    expect(pageStarts).toEqual([0, pages[0]!.length + 1, pages[0]!.length + 2])
    expect(headings).toEqual([
      { level: 1, title: "Plan", start: 0 },
      { level: 1, title: "Wear", start: text.indexOf("Wear") }
    ])
  })

  it("of more slides than pages may be is refused", async () => {
    const bytes = writePptx(Array.from({ length: 4 }, () => ({ title: "x" })))
    const limits = { ...DEFAULT_PARSER_LIMITS, maxPages: 3 }
    await expect(parseDocument("pptx", bytes, limits)).rejects.toThrow(/more than the 3 slides/)
  })
})

describe("a table of a Word document", () => {
  it("names its columns in each row; one that lays out a page is read as what it holds", async () => {
    const table = [
      ["Part", "Wear", "Note"],
      ["Blade", "0.4 mm", ""],
      ["Hub", "", "new"]
    ]
    const { text } = await parse("docx", writeDocx([{ table }, { table: [["one"], ["two"]] }, { paragraph: "End." }]))
    expect(text).toBe("Part\tWear\tNote\nPart: Blade\tWear: 0.4 mm\nPart: Hub\tNote: new\n\none\n\ntwo\n\n\nEnd.")
  })

  it("keeps page headers and footers once, and comments, without page numbers", async () => {
    const part = (name: string, ...paragraphs: ReadonlyArray<string>) =>
      `<w:${name} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${paragraphs
        .map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`)
        .join("")}</w:${name}>`
    const number = `</w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t>`
    const entries = [
      ["header1", part("hdr", "Contract 17")],
      ["header2", part("hdr", "Contract 17", "Draft")],
      ["footer1", part("ftr", `Page ${number}`, "Example Ltd.")],
      [
        "comments",
        `<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:comment w:id="0"><w:p><w:r><w:t>Ask the bank.</w:t></w:r></w:p></w:comment></w:comments>`
      ]
    ] as const
    const type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    const bytes = writeDocx([{ paragraph: "The body." }], {
      extraEntries: entries.map(([name, content]) => ({ name: `word/${name}.xml`, content })),
      relationshipsXml: entries
        .map(([name]) => `<Relationship Id="x${name}" Type="${type}/${name.replace(/\d/u, "")}" Target="${name}.xml"/>`)
        .join("")
    })
    expect((await parse("docx", bytes)).text).toBe(
      "Contract 17\n\nDraft\n\nThe body.\n\nComment: Ask the bank.\n\nPage\n\nExample Ltd."
    )
  })

  it("has headings by the outline levels of its styles, also of those that they are based on", async () => {
    const style = (id: string, xml: string) =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/>${xml}</w:style>`
    const paragraph = (id: string, text: string) =>
      `<w:p><w:pPr><w:pStyle w:val="${id}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
    const level = (number: number) => `<w:pPr><w:outlineLvl w:val="${number}"/></w:pPr>`
    const bytes = writeDocx([{ paragraph: "Words." }], {
      stylesXml:
        style("Kapitel", level(0)) +
        style("Abschnitt", `<w:basedOn w:val="Teil"/>`) +
        style("Teil", level(1)) +
        style("Klein", `<w:basedOn w:val="Kapitel"/>${level(9)}`) +
        style("Kreis", `<w:basedOn w:val="Kreis"/>`),
      bodyXml: ["Kapitel", "Abschnitt", "Klein", "Kreis"].map((id) => paragraph(id, `In ${id}`)).join("")
    })
    const { headings } = await parse("docx", bytes)
    expect(headings?.map(({ level, title }) => [level, title])).toEqual([
      [1, "In Kapitel"],
      [2, "In Abschnitt"]
    ])
  })

  it("of labels and values keeps them side by side", async () => {
    const { text } = await parse(
      "docx",
      writeDocx([
        {
          table: [
            ["Name", "Ann"],
            ["City", "Rome"]
          ]
        }
      ])
    )
    expect(text).toBe("Name\tAnn\nCity\tRome")
  })
})

it.each([
  ["docx", writeDocx([{ paragraph: "Words." }])],
  ["xlsx", writeXlsx([{ name: "S", rows: [["Words."]] }])],
  ["pptx", writePptx([{ title: "Words." }])]
] as const)("a %s is read although a mail server appended bytes to it", async (kind, bytes) => {
  expect((await parse(kind, new Uint8Array([...bytes, 13, 10, 0, 0]))).text).toContain("Words.")
})
