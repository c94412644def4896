import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cutPassages } from "../../src/documents/indexing/cutPassages.ts"
import type { ParsedDocument } from "../../src/documents/reading/DocumentParser.ts"
import { pageBodies } from "../../src/documents/indexing/pageBreaks.ts"
import { verifyPassages } from "../../src/documents/indexing/verifyPassages.ts"
import { processorTime } from "../processorTime.ts"

/** Pages one after another, as a parser gives them. */
const paged = (pages: ReadonlyArray<string>): ParsedDocument => {
  const pageStarts: Array<number> = []
  let text = ""
  for (const page of pages) {
    pageStarts.push(text.length)
    text += `${page}\n`
  }
  return { text, pageStarts }
}

const textsOf = (document: ParsedDocument) => [...cutPassages(document)].map(({ text }) => text)
const pagesOf = (count: number, page: (number: number) => string) =>
  paged(Array.from({ length: count }, (_, index) => page(index + 1)))
const words = ["lift", "drag", "thrust", "weight", "wing", "stall", "flap", "rudder", "keel", "spar"]
const body = (number: number) =>
  `The ${words[number % 10]} of wing ${number * 7} is told here.\nIt goes on for ${number * 13} days, and is told again.\n` +
  `Then it is ${words[(number * 3) % 10]} that counts, at ${number * 17} degrees.`

describe("running heads and feet", () => {
  it("are left out of passages, while the text keeps them and offsets stay true", () => {
    const document = pagesOf(6, (n) => `ACME Manual\n${body(n)}\nPage ${n} of 6`)
    const passages = [...cutPassages(document)]
    expect(passages.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5, 6])
    for (const { end, start, text } of passages) {
      expect(text).not.toMatch(/ACME|Page \d/)
      expect(text).toMatch(/told here/)
      expect(document.text.slice(start, end)).toBe(text)
    }
    expect(document.text).toContain("Page 3 of 6")
    expect(verifyPassages({ ...document, passages })).toEqual([])
  })

  it("may differ between left and right pages, change with the chapter, and begin on the second page", () => {
    const document = pagesOf(14, (n) => {
      if (n === 1) return `The Book of Flight\n${body(n)}`
      const head = n % 2 === 0 ? `${n}   The Book of Flight` : `${n < 8 ? "Chapter One" : "Chapter Two"}   ${n}`
      return `${head}\n\n${body(n)}`
    })
    const texts = textsOf(document)
    expect(texts[0]).toMatch(/^The Book of Flight/)
    for (const text of texts.slice(1)) expect(text).toMatch(/^The \w+ of wing/)
  })

  it("leave a sentence over a page break in two where they part it", () => {
    const document = pagesOf(3, (n) => `Head\nit goes on from page ${n * 3} to\nFoot`)
    expect(textsOf(document)).toEqual([3, 6, 9].map((n) => `it goes on from page ${n} to`))
  })

  it("are not rows of figures, though these look alike on every page", () => {
    const document = pagesOf(5, (n) => `${n * n} ${n * 17} 3\nsome words of page ${n * 11}\n${1000 - n * n} 12`)
    expect(textsOf(document).join("\n")).toContain("25 85 3")
    expect(pageBodies(document)).toHaveLength(5)
    expect(textsOf(document).join("\n")).toContain("975 12")
  })

  it("are not lines that only two pages have, or that pages far apart have", () => {
    expect(textsOf(pagesOf(2, (n) => `Head\n${body(n)}`)).every((text) => text.startsWith("Head"))).toBe(true)
    const far = pagesOf(30, (n) => (n % 10 === 0 ? `Summary\n${body(n)}` : body(n)))
    expect(textsOf(far).filter((text) => text.startsWith("Summary"))).toHaveLength(3)
  })

  it("are kept where pages are alike: nothing of a document is lost for saying it often", () => {
    const document = pagesOf(8, () => "Buy one.\nGet one free.\nToday only.")
    expect(textsOf(document)).toHaveLength(8)
  })

  it("cost no passage its place: all text except white space is in a passage or in a head, for any pages", () => {
    const line = fc.oneof(
      fc.constantFrom("Head", "Foot 1", "Page 1", "Page 2", "", " ", "the end of", "It is so. And", "3", "12 of 40"),
      fc.string({ unit: "grapheme", maxLength: 30 }),
      fc.constantFrom("Lift grows with speed. ".repeat(90))
    )
    const pages = fc.array(
      fc.array(line, { maxLength: 8 }).map((lines) => lines.join("\n")),
      { maxLength: 9 }
    )
    fc.assert(
      fc.property(pages, fc.boolean(), (given, numbered) => {
        const document = paged(given.map((page, index) => (numbered ? `Title\n${page}\n- ${index + 1} -` : page)))
        const passages = [...cutPassages(document)]
        expect(verifyPassages({ ...document, passages })).toEqual([])
        for (const { end, start, text } of passages) expect(document.text.slice(start, end)).toBe(text)
        const bodies = pageBodies(document)
        expect(bodies).toHaveLength(given.length)
        bodies.forEach(({ end, start }, index) => {
          expect(start).toBeGreaterThanOrEqual(document.pageStarts![index]!)
          expect(end).toBeGreaterThanOrEqual(start)
          expect(end).toBeLessThanOrEqual(document.pageStarts![index + 1] ?? document.text.length)
        })
      }),
      { numRuns: 500 }
    )
  })

  it("are found in time that grows with the pages", () => {
    const document = pagesOf(5_000, (n) => `Head 1 2 3\n${n}\nx\n${body(n)}\nFoot ${n} of 5000`)
    const took = processorTime()
    expect(pageBodies(document)).toHaveLength(5_000)
    expect(took()).toBeLessThan(20_000)
  })
})
