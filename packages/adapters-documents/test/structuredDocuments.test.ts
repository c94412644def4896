import { cutPassages, verifyPassages } from "@parley/core/adapter"
import type { ParserKind } from "@parley/core/adapter"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { parseDocument } from "../src/parsing/parseDocument.ts"
import { writeDocx } from "./fixtures/writeDocx.ts"
import { writeEpub, writeOpenDocument } from "./fixtures/writeOpenDocument.ts"
import { writePdf } from "./fixtures/writePdf.ts"
import { writePptx } from "./fixtures/writePptx.ts"
import { writeXlsx } from "./fixtures/writeXlsx.ts"

type Block =
  | { readonly heading: string; readonly level: 1 | 2 | 3 }
  | { readonly paragraph: string }
  | { readonly table: ReadonlyArray<ReadonlyArray<string>> }

const utf8 = (text: string) => new TextEncoder().encode(text)
const html = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
const csv = (text: string) => `"${text.replaceAll('"', '""')}"`

const htmlBlock = (block: Block): string => {
  if ("heading" in block) return `<h${block.level}>${html(block.heading)}</h${block.level}>`
  if ("paragraph" in block) return `<p>${html(block.paragraph)}</p>`
  return `<table>${block.table.map((row) => `<tr>${row.map((cell) => `<td>${html(cell)}</td>`).join("")}</tr>`).join("")}</table>`
}

const linesOf = (block: Block): ReadonlyArray<string> => {
  if ("heading" in block) return [`${"#".repeat(block.level)} ${block.heading}`]
  if ("paragraph" in block) return [block.paragraph]
  return block.table.map((row) => `| ${row.join(" | ")} |`)
}

const tablesOf = (blocks: ReadonlyArray<Block>) =>
  blocks.map((block) => ("table" in block ? block.table : linesOf(block).map((line) => [line])))

const titleOf = (block: Block | undefined) => (block !== undefined && "heading" in block ? block.heading : "Slide")

const wrapped = (line: string): ReadonlyArray<string> =>
  line.split(/\s+/u).reduce<ReadonlyArray<string>>((lines, word) => {
    const last = lines.at(-1) ?? ""
    return last.length + word.length < 70 ? [...lines.slice(0, -1), `${last} ${word}`.trim()] : [...lines, word]
  }, [])

const pagesOf = (lines: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(lines.length / 40) }, (_, page) => lines.slice(page * 40, page * 40 + 40))

const rtf = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at)}?`).join("")

const rtfBlock = (block: Block): string =>
  "table" in block
    ? `${block.table.map((row) => `${row.map((cell) => `\\intbl ${rtf(cell)}\\cell `).join("")}\\row `).join("")}\\pard `
    : linesOf(block)
        .map((line) => `${rtf(line)}\\par `)
        .join("")

/** Documents of each type that has text of its own; all say the same. */
const WRITERS: Readonly<Record<Exclude<ParserKind, "image">, (blocks: ReadonlyArray<Block>) => Uint8Array>> = {
  docx: (blocks) => writeDocx(blocks),
  html: (blocks) => utf8(blocks.map(htmlBlock).join("\n")),
  markdown: (blocks) => utf8(blocks.flatMap((block) => [...linesOf(block), ""]).join("\n")),
  text: (blocks) => utf8(blocks.flatMap((block) => [...linesOf(block), ""]).join("\r\n")),
  csv: (blocks) =>
    utf8(
      tablesOf(blocks)
        .flatMap((rows) => rows.map((row) => row.map(csv).join(",")))
        .join("\n")
    ),
  xlsx: (blocks) => writeXlsx(tablesOf(blocks).map((rows, index) => ({ name: `Sheet ${index}`, rows }))),
  pptx: (blocks) =>
    writePptx(
      blocks.map((block) =>
        "table" in block ? { table: block.table } : { title: titleOf(block), body: linesOf(block) }
      )
    ),
  opendocument: (blocks) => writeOpenDocument("odt", [blocks]),
  epub: (blocks) => writeEpub(blocks.map(htmlBlock)),
  mail: (blocks) =>
    utf8(`Subject: Any\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${blocks.map(htmlBlock).join("\r\n")}`),
  rtf: (blocks) => utf8(`{\\rtf1 ${blocks.map(rtfBlock).join("")}}`),
  pdf: (blocks) => writePdf(pagesOf(blocks.flatMap(linesOf).flatMap(wrapped)))
}

const word = fc.constantFrom(
  "lift",
  "drag",
  "Größe",
  "крыло",
  "翼",
  "😀",
  "well-known",
  "3.14",
  "a & b",
  "x < y",
  "№5",
  "co-\noperate"
)
const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => `${words.join(" ")}.`)
const paragraph = fc.array(sentence, { minLength: 1, maxLength: 30 }).map((sentences) => sentences.join(" "))
const table = fc.integer({ min: 1, max: 6 }).chain((columns) =>
  fc.array(fc.array(fc.oneof(word, fc.constant(""), sentence), { minLength: columns, maxLength: columns }), {
    minLength: 1,
    maxLength: 40
  })
)
const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ heading: sentence, level: fc.constantFrom(1 as const, 2 as const, 3 as const) }),
  fc.record({ paragraph }),
  fc.record({ table })
)
const LETTERS = /\p{L}{2,}/gu

describe("a document of any structure", () => {
  it.each(Object.entries(WRITERS))(
    "read as %s: its passages are what the text has at their offsets, and nothing that was written is lost",
    async (kind, write) => {
      await fc.assert(
        fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 8 }), async (blocks) => {
          const written = JSON.stringify(tablesOf(blocks))
          fc.pre(/\p{L}/u.test(written))
          const parsed = await parseDocument(kind as ParserKind, write(blocks), DEFAULT_PARSER_LIMITS)
          const passages = [...cutPassages(parsed)]
          for (const { end, start, text } of passages) expect(parsed.text.slice(start, end)).toBe(text)
          expect(verifyPassages({ ...parsed, passages })).toEqual([])
          for (const { start, title } of parsed.headings ?? []) {
            const line = parsed.text.slice(start).split("\n")[0] ?? ""
            expect(line).toContain(title.slice(0, 20).trim())
          }
          const lost = [...new Set(written.replaceAll("\\n", " ").match(LETTERS))].filter(
            (each) => !parsed.text.includes(each)
          )
          expect(lost).toEqual([])
        }),
        { numRuns: 40 }
      )
    }
  )
})
