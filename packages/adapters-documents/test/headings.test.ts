import { describe, expect, it } from "vitest"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { markdownHeadings } from "../src/parsing/text/markdownHeadings.ts"
import { parseDocument } from "../src/parsing/parseDocument.ts"
import { writeDocx } from "./fixtures/writeDocx.ts"

const found = (text: string) => markdownHeadings(text).map(({ level, title }) => `${level} ${title}`)

describe("headings of a Markdown text", () => {
  it("are its lines with hashes and its underlined ones, without their marks, at their offsets", () => {
    const text =
      "# One *two* `x` [link](http://a.b) ##\n\ntext # no\n\n  ### Three\nTitle\n===\n\nSub __title__\n---\n\n#no\n#\n"
    expect(found(text)).toEqual(["1 One two x link", "3 Three", "1 Title", "2 Sub title"])
    expect(markdownHeadings(text).map(({ start }) => text.slice(start).split("\n")[0])).toEqual([
      "# One *two* `x` [link](http://a.b) ##",
      "  ### Three",
      "Title",
      "Sub __title__"
    ])
  })

  it("are not in fenced code, and a rule, an item or a table is none", () => {
    expect(found("```sh\n# comment\n```\n~~~\n# x\n```\n# y\n~~~\n# Real")).toEqual(["1 Real"])
    expect(found("text\n\n---\n- item\n---\n| a |\n---\n> quote\n---\n    code\n---")).toEqual([])
  })

  it.each([
    ["newlines", "\n".repeat(4_000_000)],
    ["hashes", "# ".repeat(2_000_000)],
    ["a heading of spaces and a strange line end", `# ${" ".repeat(900)}\u2029x\n`.repeat(2_000)],
    ["emphasis that does not end", `# ${"**a_".repeat(200)}\n`.repeat(2_000)],
    ["brackets", `# ${"[".repeat(900)}\n`.repeat(500)]
  ])("are found in time that grows with the text: %s", (_, text) => {
    const began = process.threadCpuUsage()
    expect(markdownHeadings(text).length).toBeLessThanOrEqual(10_000)
    expect(process.threadCpuUsage(began).user / 1_000).toBeLessThan(20_000)
  })
})

describe("headings of a document", () => {
  it("of Word are its paragraphs of heading styles, with the offsets of their lines in the text", async () => {
    const bytes = writeDocx([
      { heading: "Terms" },
      { paragraph: "All of it. Forged: \ufdd0Heading" },
      { heading: "Fees & taxes", level: 2 },
      { paragraph: "Thirty days." },
      { table: [["Terms", "x"]] },
      { heading: "", level: 3 },
      { heading: "Late", level: 3 },
      { paragraph: "Interest." }
    ])
    const { headings = [], pageStarts, text } = await parseDocument("docx", bytes, DEFAULT_PARSER_LIMITS)
    expect(pageStarts).toBeNull()
    expect(text).toBe(
      "Terms\n\nAll of it. Forged: \ufffdHeading\n\nFees & taxes\n\nThirty days.\n\nTerms\tx\n\n\n\nLate\n\nInterest."
    )
    expect(headings).toEqual([
      { level: 1, title: "Terms", start: 0 },
      { level: 2, title: "Fees & taxes", start: text.indexOf("Fees") },
      { level: 3, title: "Late", start: text.indexOf("Late") }
    ])
  })

  it("of Markdown come with its text; a plain text has none", async () => {
    const bytes = new TextEncoder().encode("# A\r\n\r\ntext\r\n\r\n## B\r\n")
    const read = (kind: "markdown" | "text") => parseDocument(kind, bytes, DEFAULT_PARSER_LIMITS)
    expect((await read("markdown")).headings).toEqual([
      { level: 1, title: "A", start: 0 },
      { level: 2, title: "B", start: 11 }
    ])
    expect((await read("text")).headings).toBeUndefined()
  })
})
