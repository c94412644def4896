import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { countGrowing } from "../../src/tokens/countGrowing.ts"
import { countPieces } from "../../src/tokens/tokenPieces.ts"
import { prose } from "../chat/texts.ts"

const parts = fc.oneof(fc.constantFrom(...Object.values(prose)), fc.string(), fc.constantFrom(" ", "  ", "\n", "😀"))
const texts = fc.array(parts, { maxLength: 12 }).map((some) => some.join(""))

/** A text in the pieces in which it arrives. */
const cut = (text: string, sizes: ReadonlyArray<number>): ReadonlyArray<string> => {
  const grown: Array<string> = []
  for (let end = 0, turn = 0; end < text.length; turn += 1) {
    end = Math.min(text.length, end + (sizes[turn % sizes.length] ?? 1))
    grown.push(text.slice(0, end))
  }
  return grown
}

describe("counting a text that grows", () => {
  it("counts as for the whole text, in whatever pieces it arrives", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (text, sizes) => {
        const count = countGrowing()
        for (const grown of cut(text, sizes)) {
          // Sums of fractions in another order differ in their last digits.
          expect(Math.abs(count(grown) - Math.ceil(countPieces(grown).usual - 1e-6))).toBeLessThanOrEqual(1)
        }
      })
    )
  })

  it("looks at each part of a long text a bounded number of times, also where it has no spaces", () => {
    for (const word of ["word ", "word", "文字", "😀"]) {
      let looked = 0
      const text = word.repeat(100_000)
      const spied = {
        length: 0,
        slice: (from: number) => {
          const tail = text.slice(from, spied.length)
          looked += tail.length
          return tail
        }
      }
      const count = countGrowing()
      while (spied.length < text.length) {
        spied.length = Math.min(text.length, spied.length + 2_000)
        count(spied as unknown as string)
      }
      expect(looked).toBeLessThan(5 * text.length)
    }
  })
})
