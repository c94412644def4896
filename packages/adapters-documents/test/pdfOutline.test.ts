import { describe, expect, it } from "vitest"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { parseDocument } from "../src/parsing/parseDocument.ts"
import { writePdf } from "./fixtures/writePdf.ts"

interface Bookmark {
  readonly title: string
  /** A place in the file, or a name of one. */
  readonly dest: string
  readonly below?: ReadonlyArray<Bookmark>
}

/** The objects of an outline, the first of them numbered `first`. */
const outlineObjects = (bookmarks: ReadonlyArray<Bookmark>, first: number): ReadonlyArray<string> => {
  const objects: Array<string> = []
  const write = (some: ReadonlyArray<Bookmark>, parent: number): string => {
    const numbers = some.map(() => first + objects.push("") - 1)
    for (const [place, { below = [], dest, title }] of some.entries()) {
      const number = numbers[place]!
      const next = numbers[place + 1]
      const entries = below.length === 0 ? "" : write(below, number)
      objects[number - first] =
        `<< /Title (${title}) /Parent ${parent} 0 R /Dest ${dest} ${next === undefined ? "" : `/Next ${next} 0 R`} ${entries} >>`
    }
    return `/First ${numbers[0]} 0 R /Last ${numbers.at(-1)} 0 R /Count ${numbers.length}`
  }
  objects.push("")
  objects[0] = `<< /Type /Outlines ${write(bookmarks, first)} >>`
  return objects
}

const PAGES = [
  ["1 Lease", "The lease of the house ends in May.", "1.1 Rent and", "deposits", "The rent is 900."],
  ["2 Repairs", "The landlord repairs the roof."]
]

/** Of a file written by `writePdf`: its pages follow the fonts, each after its content. */
const PAGE = ["8 0 R", "10 0 R"]

const headingsOf = async (bookmarks: ReadonlyArray<Bookmark>) => {
  const firstExtra = 7 + PAGES.length * 2
  const pdf = writePdf(PAGES, {
    catalogEntries: `/Outlines {n} 0 R /Dests << /repairs [${PAGE[1]} /Fit] >>`,
    extraObjects: outlineObjects(bookmarks, firstExtra)
  })
  const { headings = [], text } = await parseDocument("pdf", pdf, DEFAULT_PARSER_LIMITS)
  return headings.map(({ level, start, title }) => [level, title, text.slice(start, start + title.length) === title])
}

const rent = { title: "Rent and deposits", dest: `[${PAGE[0]} /Fit]` }
const lease = { title: "Lease", dest: `[${PAGE[0]} /Fit]` }
const repairs = { title: "Repairs", dest: "/repairs" }

describe("the outline of a PDF", () => {
  it("gives the levels of headings, on the pages that its bookmarks lead to", async () => {
    expect(await headingsOf([{ ...lease, below: [rent] }, repairs])).toEqual([
      [1, "1 Lease", true],
      [2, "1.1 Rent and", true],
      [1, "2 Repairs", true]
    ])
  })

  it("is left out if most of its bookmarks are no lines of their pages", async () => {
    const strange = { title: "Drawing 7", dest: `[${PAGE[0]} /Fit]` }
    expect(await headingsOf([lease, repairs, strange, strange, strange])).toEqual([])
  })

  it("may lead nowhere, or in a circle", async () => {
    expect(await headingsOf([lease, repairs, { title: "Roof", dest: "/nowhere" }])).toHaveLength(2)
    const circle = ["<< /First {n} 0 R >>"]
    const pdf = writePdf(PAGES, { catalogEntries: "/Outlines {n} 0 R", extraObjects: circle })
    expect((await parseDocument("pdf", pdf, DEFAULT_PARSER_LIMITS)).text).toContain("The rent is 900.")
  })
})
