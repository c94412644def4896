import { describe, expect, it } from "vitest"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { parseDocument } from "../src/parsing/parseDocument.ts"
import { writePdf } from "./fixtures/writePdf.ts"

const hexadecimal = (text: string) =>
  Array.from({ length: text.length }, (_, index) => text.charCodeAt(index).toString(16).padStart(4, "0")).join("")

/** A page of lines from the top, each with its size in points. */
const sized = (lines: ReadonlyArray<readonly [size: number, text: string]>) => ({
  content: lines
    .map(([size, text], place) => `BT /F1 ${size} Tf 50 ${740 - place * 40} Td <${hexadecimal(text)}> Tj ET`)
    .join("\n")
})

const BODY = "The lease of the house ends in May, and can be renewed by a letter."
const read = (...pages: ReadonlyArray<Parameters<typeof sized>[0]>) =>
  parseDocument("pdf", writePdf(pages.map(sized)), DEFAULT_PARSER_LIMITS)

describe("the headings of a PDF", () => {
  it("are lines of larger letters, by their sizes, at their places in the text of all pages", async () => {
    const { headings, text } = await read(
      [
        [24, "Lease"],
        [11, BODY],
        [16, "End"],
        [11, BODY]
      ],
      [
        [16.2, "Rent"],
        [11, BODY],
        [12, BODY]
      ]
    )
    expect(headings?.map(({ level, title }) => [level, title])).toEqual([
      [1, "Lease"],
      [2, "End"],
      [2, "Rent"]
    ])
    for (const { start, title } of headings ?? []) expect(text.slice(start, start + title.length)).toBe(title)
  })

  it("are none if most letters are large, if a large text is long, and if it has no letters", async () => {
    const large = [24, BODY] as const
    expect((await read([large, large, [11, BODY]])).headings).toBeUndefined()
    const small = Array.from({ length: 20 }, () => [2, BODY] as const)
    expect((await read([[3, `${BODY} `.repeat(3)], ...small])).headings).toBeUndefined()
    expect((await read([[3, "Introduction . . . . . . 7"], ...small])).headings).toBeUndefined()
    expect((await read([[3, "Introduction"], ...small])).headings).toHaveLength(1)
    expect((await read([[24, "17"], ...Array.from({ length: 5 }, () => [11, BODY] as const)])).headings).toBeUndefined()
  })
})
