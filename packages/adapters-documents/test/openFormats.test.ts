import { describe, expect, it } from "vitest"
import { identifyFile } from "../../core/src/documents/storing/identifyFile.ts"
import { PARSED_DOCUMENT_TYPES, type ParserKind } from "@parley/core/adapter"
import { Result } from "effect"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { parseDocument } from "../src/parsing/parseDocument.ts"
import { writeEpub, writeOpenDocument } from "./fixtures/writeOpenDocument.ts"

const read = (kind: ParserKind, bytes: Uint8Array) => parseDocument(kind, bytes, DEFAULT_PARSER_LIMITS)

const typeOf = (filename: string, bytes: Uint8Array) =>
  Result.map(identifyFile({ filename, bytes, accepted: PARSED_DOCUMENT_TYPES }), ({ type }) => type)

describe("an OpenDocument text", () => {
  const bytes = writeOpenDocument("odt", [
    [
      { heading: "Lease" },
      { paragraph: "The lease  ends\tin May.\nIt can be renewed." },
      { items: ["by letter", "by mail"] },
      { heading: "Rent", level: 2 },
      {
        table: [
          ["Month", "Rent"],
          ["May", "900"],
          ["June", "950"]
        ]
      },
      { xml: "<text:tracked-changes><text:p>Deleted words.</text:p></text:tracked-changes>" }
    ]
  ])

  it("keeps headings, lists and rows with the names of their columns, and no deleted text", async () => {
    const { headings, pageStarts, text } = await read("opendocument", bytes)
    expect(text).toBe(
      "Lease\n\nThe lease  ends\tin May.\nIt can be renewed.\n\n- by letter\n- by mail\n\nRent\n\nMonth\tRent\nMonth: May\tRent: 900\nMonth: June\tRent: 950"
    )
    expect(headings?.map(({ level, title }) => [level, title])).toEqual([
      [1, "Lease"],
      [2, "Rent"]
    ])
    for (const { start, title } of headings ?? []) expect(text.slice(start)).toMatch(new RegExp(`^${title}`))
    expect(pageStarts).toBeNull()
  })

  it("is recognised by its content, and refused under the name of another kind", () => {
    expect(typeOf("lease.odt", bytes)).toEqual(Result.succeed("odt"))
    expect(Result.isFailure(typeOf("lease.docx", bytes))).toBe(true)
    expect(Result.isFailure(typeOf("lease.ods", bytes))).toBe(true)
  })

  it("with a password is unreadable for that reason", async () => {
    await expect(
      read("opendocument", writeOpenDocument("odt", [[{ paragraph: "Secret" }]], { encrypted: true }))
    ).rejects.toMatchObject({ failure: "password" })
  })
})

describe("an OpenDocument spreadsheet", () => {
  it("has its sheets as headings, repeated cells and rows as often as they are, and no empty rows to the edge", async () => {
    const cell = (text: string, times = 1) =>
      `<table:table-cell table:number-columns-repeated="${times}"><text:p>${text}</text:p></table:table-cell>`
    const empty = `<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`
    const xml = `<table:table table:name="Prices"><table:table-row>${cell("Part")}${cell("Net")}${cell("Gross")}</table:table-row><table:table-row table:number-rows-repeated="2">${cell("Blade")}${cell("13", 2)}</table:table-row>${empty}</table:table>`
    const bytes = writeOpenDocument("ods", [[{ xml }]])
    const { headings, text } = await read("opendocument", bytes)
    expect(text).toBe("Prices\n\nPart\tNet\tGross\nPart: Blade\tNet: 13\tGross: 13\nPart: Blade\tNet: 13\tGross: 13")
    expect(headings).toEqual([{ level: 1, title: "Prices", start: 0 }])
    expect(typeOf("prices.ods", bytes)).toEqual(Result.succeed("ods"))
  })
})

describe("an OpenDocument presentation", () => {
  it("has a page for each slide, an empty one too", async () => {
    const bytes = writeOpenDocument("odp", [
      [{ paragraph: "Welcome" }],
      [],
      [{ paragraph: "Lift" }, { paragraph: "Drag" }]
    ])
    expect(await read("opendocument", bytes)).toEqual({
      text: "Welcome\n\nLift\n\nDrag",
      pageStarts: [0, 8, 9],
      headings: []
    })
    expect(typeOf("talk.odp", bytes)).toEqual(Result.succeed("odp"))
  })
})

describe("an e-book", () => {
  const bytes = writeEpub(["<h1>One</h1><p>First words.</p>", "<p> </p>", "<h1>Two</h1><p>Last words.</p>"])

  it("is read chapter by chapter in the order of reading, with their headings", async () => {
    const { headings, text } = await read("epub", bytes)
    expect(text).toBe("One\n\nFirst words.\n\nTwo\n\nLast words.")
    expect(headings).toEqual([
      { level: 1, title: "One", start: 0 },
      { level: 1, title: "Two", start: 19 }
    ])
    expect(typeOf("book.epub", bytes)).toEqual(Result.succeed("epub"))
  })

  it("whose chapters are encrypted is unreadable for that reason", async () => {
    await expect(read("epub", writeEpub(["<p>Secret</p>"], [0]))).rejects.toMatchObject({ failure: "password" })
  })

  it("without a list of chapters is damaged", async () => {
    await expect(read("epub", writeOpenDocument("odt", [[]]))).rejects.toMatchObject({ failure: "damaged" })
  })
})
