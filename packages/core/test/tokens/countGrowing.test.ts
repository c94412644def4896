import { describe, expect, it } from "vitest"
import { countGrowing } from "../../src/tokens/countGrowing.ts"

describe("counting a text that grows", () => {
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
