import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { parseDocument } from "../src/parsing/parseDocument.ts"

const parse = (rtf: string) => parseDocument("rtf", new Uint8Array(Buffer.from(rtf, "latin1")), DEFAULT_PARSER_LIMITS)
const textOf = async (body: string) => (await parse(`{\\rtf1\\ansi\\ansicpg1252 ${body}}`)).text

const cell = (text: string) => `\\intbl ${text}\\cell `
const row = (...cells: ReadonlyArray<string>) => `\\trowd\\cellx100\\cellx200 ${cells.map(cell).join("")}\\row\n`

describe("an RTF document", () => {
  it("of LibreOffice has its headings, its table, its letters and its note, and no head of its pages", async () => {
    const bytes = readFileSync(new URL("./fixtures/storks.rtf", import.meta.url))
    const { headings, pageStarts, text } = await parseDocument("rtf", new Uint8Array(bytes), DEFAULT_PARSER_LIMITS)
    expect(text).toBe(
      "Störche im Elsass\n\nThey return “in March” – 早い.\n\nPart\tWear\nPart: Blade\tWear: 0.4 mm\n\nЗа таблицей.\n\nA note."
    )
    expect(headings).toEqual([{ level: 1, title: "Störche im Elsass", start: 0 }])
    expect(pageStarts).toBeNull()
  })

  it.each<[string, string, string]>([
    ["bytes of its code page", "Stra\\'dfe", "Straße"],
    ["bytes of the character set of a font", "{\\fonttbl{\\f1\\fcharset204 Arial;}}{\\f1 \\'c4\\'e0}, \\'e4", "Да, ä"],
    ["characters of two bytes", "{\\fonttbl{\\f2\\fcharset128 MS Mincho;}}{\\f2 \\'93\\'fa\\'96\\'7b}", "日本"],
    [
      "characters of Unicode, without their alternatives",
      "\\u26085?\\u-10179?\\u-8704? \\uc2\\u233\\'65\\'65!",
      "日😀 é!"
    ],
    ["characters without alternatives", "\\uc0\\u233\\u232.", "éè."],
    ["signs and spaces", "a\\~b\\_c\\-d\\tab e\\emdash \\{\\}\\\\", "a\u00a0b-cd\te—{}\\"],
    ["lines and paragraphs", "one\\line two\\par\n\\pard three\\par", "one\ntwo\n\nthree"],
    ["results of fields", 'See {\\field{\\*\\fldinst HYPERLINK "https://x.example"}{\\fldrslt this}}.', "See this."],
    ["no hidden or deleted words", "a{\\v secret}{\\deleted gone}\\v x\\v0 b", "ab"],
    ["no pictures, comments and unknown destinations", "a{\\pict\\bin3 }}}ffd8}{\\*\\unknown x{y}}{\\header h}b", "ab"],
    [
      "tables",
      `${row("Part", "Wear", "Note")}${row("Blade", "0.4", "x\\par y")}\\pard End\\par`,
      "Part\tWear\tNote\nPart: Blade\tWear: 0.4\tNote: x y\n\nEnd"
    ]
  ])("is read with %s", async (_, body, text) => {
    expect(await textOf(body)).toBe(text)
  })

  it("has headings by outline levels", async () => {
    const { headings } = await parse(
      "{\\rtf1 {\\stylesheet{\\s1\\outlinelevel0 heading 1;}}\\pard\\outlinelevel1 Two\\par\\pard Text\\par\\outlinelevel9 None\\par}"
    )
    expect(headings).toEqual([{ level: 2, title: "Two", start: 0 }])
  })

  it.each<[string, string, string]>([
    ["cut off", "{\\rtf1 {\\b Some text", "incomplete"],
    ["no RTF", "{\\rt1 text}", "damaged"],
    ["without text", "{\\rtf1 {\\info x}}", "no_text"]
  ])("that is %s is unreadable with a reason", async (_, rtf, failure) => {
    await expect(parse(rtf)).rejects.toMatchObject({ failure })
  })

  it("that is hostile is read in time that grows with its length", async () => {
    const depth = 500_000
    expect((await parse(`{\\rtf1 a${"{".repeat(depth)}deep${"}".repeat(depth)}z}`)).text).toBe("adeepz")
    await expect(parse(`{\\rtf1 ${"}".repeat(depth)}x`)).rejects.toMatchObject({ failure: "no_text" })
    expect(
      (await parse(`{\\rtf1 a\\bin999999999 b`).catch((cause: { failure: string }) => cause)) as unknown
    ).toMatchObject({
      failure: "incomplete"
    })
    expect((await parse(`{\\rtf1 ${"\\cell\\row".repeat(200_000)} end}`)).text).toMatch(/end$/)
    expect((await parse(`{\\rtf1 ${"\\u65?".repeat(500_000)}}`)).text).toHaveLength(500_000)
    expect((await parse(`{\\rtf1 ${"\\'".repeat(500_000)}x}`)).text).toContain("x")
  })
})
