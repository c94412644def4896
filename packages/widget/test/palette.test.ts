import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkedColour, contrast, GROUNDS, inkOn, legibleOn } from "../app/frame/palette.ts"

const anyColour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`)

describe("the colours made of a bot's", () => {
  it("is legible on it and beside it, for any colour", () => {
    fc.assert(
      fc.property(anyColour, (colour) => {
        expect(contrast(inkOn(colour), colour)).toBeGreaterThanOrEqual(4.5)
        for (const ground of Object.values(GROUNDS)) {
          expect(contrast(legibleOn(colour, ground), ground)).toBeGreaterThanOrEqual(4.5)
        }
      }),
      { numRuns: 2_000 }
    )
  })

  it("are measured as WCAG does", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5)
    expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2)
    expect(contrast("#0b6e4f", "#0b6e4f")).toBe(1)
  })

  it("are a colour, and nothing else that a bot may say it is", () => {
    for (const wrong of ["red", "#fff", "#0b6e4f;x:url(//evil.test)", "</style>", "", undefined, 7, null]) {
      expect(checkedColour(wrong)).toBe("#3b5bdb")
    }
    expect(checkedColour("#0B6E4F")).toBe("#0b6e4f")
  })
})
