import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { reflow, shownSpan, sourceSpan } from "../../src/documents/reading/readableText.ts"

const wrapped = `The warranty covers all parts of the machine and the labour that is
needed to replace them, as far as the defect was there at the time of pur-
chase. It does not cover well-known wearing parts, such as seals, or well-
known damage. Kosten- und Leistungsrechnung ist ein Fach, und die Kosten-
und Erlösrechnung ein anderes.`

describe("a reflowed text", () => {
  it("joins wrapped lines, and words that a line's end parted", () => {
    expect(reflow(wrapped).text).toBe(
      "The warranty covers all parts of the machine and the labour that is needed to replace them, as far as the defect " +
        "was there at the time of purchase. It does not cover well-known wearing parts, such as seals, or well-known damage. " +
        "Kosten- und Leistungsrechnung ist ein Fach, und die Kosten- und Erlösrechnung ein anderes."
    )
  })

  it.each([
    ["# Heading\nText that follows it, and goes on for a while in one line."],
    ["Frau\nHelene Brandstätter\nSonnenweg 8\n5020 Salzburg"],
    ["- one\n- two\n- three, which is longer than the others are by far"],
    ["1. Work begins.\n2. Work ends."],
    ["3001\tSpade, ash handle\t44.00\n3002\tShears\t32.50"],
    ["| a | b |\n| --- | --- |\n| c | d |"],
    ["```\nconst a  =  1\n\nconst b = 2\n```".replace("\n\n", "\n")]
  ])("keeps lines that were meant: %j", (text) => {
    expect(reflow(text).text).toBe(text)
  })

  it("shows one blank line for many, one space for many, and no soft hyphen", () => {
    expect(reflow("\n\nOne  two\u00ads.\n \n\n\nThree.\n").text).toBe("One twos.\n\nThree.")
  })

  it("joins lines of scripts without spaces without one", () => {
    const line = "保修期为两年包括零件和人工费用但不包括磨损件"
    expect(reflow(`${line}\n${line}。`).text).toBe(`${line}${line}。`)
  })

  const piece = fc.constantFrom(
    ..."word,Wort-,-,\n,\n\n,\n \n, ,   ,\t,|,# ,- ,1. ,12,€,\u00ad,保修,。,```,\n```\n,lower,Upper,.,a-b,(a) ,Note: ,é,👍".split(
      ","
    )
  )
  const texts = fc
    .array(fc.oneof({ weight: 5, arbitrary: piece }, fc.string({ unit: "grapheme", maxLength: 8 })), { maxLength: 60 })
    .map((pieces) => pieces.join(" ").replaceAll(" \n ", "\n"))

  it("has every word of the text in its order: only white space and hyphens at line ends differ", () => {
    const bare = (text: string) => text.replaceAll(/[\s\u00ad\u2010-]/gu, "")
    fc.assert(
      fc.property(texts, (text) => {
        expect(bare(reflow(text).text)).toBe(bare(text))
      }),
      { numRuns: 1_000 }
    )
  })

  it("tells exactly where each run of it stands in the text", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const shown = reflow(text)
        let before = { shown: 0, source: 0 }
        for (const run of shown.runs) {
          expect(run.length).toBeGreaterThan(0)
          expect(run.shown).toBeGreaterThanOrEqual(before.shown)
          expect(run.source).toBeGreaterThanOrEqual(before.source)
          expect(shown.text.slice(run.shown, run.shown + run.length)).toBe(
            text.slice(run.source, run.source + run.length)
          )
          expect(shown.text.slice(before.shown, run.shown).trim()).toBe("")
          before = { shown: run.shown + run.length, source: run.source + run.length }
        }
        expect(shown.text.slice(before.shown)).toBe("")
      }),
      { numRuns: 1_000 }
    )
  })

  it("maps a part of it to the text and back to the same part, but for white space around it", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (text, one, other) => {
        const shown = reflow(text)
        const [start, end] = [one, other].map((at) => at % (shown.text.length + 1)).toSorted((a, b) => a - b)
        const source = sourceSpan(shown, { start: start!, end: end! })
        const back = shownSpan(shown, source)
        expect(shown.text.slice(back.start, back.end).trim()).toBe(shown.text.slice(start, end).trim())
      }),
      { numRuns: 1_000 }
    )
  })
})
