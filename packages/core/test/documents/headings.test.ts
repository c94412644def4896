import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cutPassages } from "../../src/documents/indexing/cutPassages.ts"
import { type Heading, headingPath, keptHeadings, MAX_HEADINGS } from "../../src/documents/reading/Heading.ts"

const paragraph = (word: string) => `${word} is told of at some length. `.repeat(24).trim()

describe("headings of passages", () => {
  it("tell for any place of a passage what it stands under", () => {
    const parts = [
      "Terms",
      paragraph("Scope"),
      "Fees",
      paragraph("Money"),
      "Late fees",
      paragraph("Interest"),
      "End",
      "Done."
    ]
    const text = parts.join("\n\n")
    const levels: Readonly<Record<string, number>> = { Terms: 1, Fees: 2, "Late fees": 3, End: 2 }
    const headings = Object.entries(levels).map(([title, level]) => ({ level, title, start: text.indexOf(title) }))
    const passages = [...cutPassages({ text, pageStarts: null, headings })]
    const pathOf = (word: string) => {
      const at = text.indexOf(word)
      const passage = passages.find(({ end, start }) => start <= at && at < end)
      return headingPath(passage?.headings, at)
    }
    expect(passages.length).toBeGreaterThan(1)
    expect(pathOf("Scope")).toEqual(["Terms"])
    expect(pathOf("Money")).toEqual(["Terms", "Fees"])
    expect(pathOf("Interest")).toEqual(["Terms", "Fees", "Late fees"])
    expect(pathOf("Done.")).toEqual(["Terms", "End"])
  })

  it("give in every passage the path that the whole document's give, at any of its offsets", () => {
    const heading = fc.record({ level: fc.integer({ min: 1, max: 6 }), title: fc.lorem({ maxCount: 2 }) })
    const part = fc.oneof(
      heading,
      fc.integer({ min: 1, max: 40 }).map((count) => paragraph("Lift").slice(0, count * 30))
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.nat(), (parts, at) => {
        const headings: Array<Heading> = []
        let text = ""
        for (const each of parts) {
          if (typeof each !== "string") headings.push({ ...each, start: text.length })
          text += `${typeof each === "string" ? each : each.title}\n\n`
        }
        for (const passage of cutPassages({ text, pageStarts: null, headings })) {
          const offset = passage.start + (at % (passage.end - passage.start))
          expect(headingPath(passage.headings, offset)).toEqual(headingPath(headings, offset))
        }
      }),
      { numRuns: 300 }
    )
  })

  it("are kept on one line, in bounds, without what no store holds", () => {
    const kept = keptHeadings([
      { level: 1, title: ` a\0b\n\tc \ud800 ${"😀".repeat(200)}`, start: 3 },
      { level: 2, title: " \u0007 ", start: 4 }
    ])
    expect(kept).toHaveLength(1)
    expect(kept[0]?.title).toMatch(/^a b c \ufffd 😀+…$/u)
    expect(kept[0]?.title.length).toBeLessThanOrEqual(201)
    const many = Array.from({ length: MAX_HEADINGS + 5 }, (_, start) => ({ level: 1, title: "x", start }))
    expect(keptHeadings(many)).toHaveLength(MAX_HEADINGS)
  })
})
