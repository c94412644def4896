import { describe, expect, it } from "vitest"
import { pieceTokenizer } from "../../src/tokens/pieceTokenizer.ts"

describe("counting a text that grows", () => {
  it("is to the token what the whole text is counted as, also where fractions of tokens add up to whole ones", () => {
    const parts = [
      '\u{10000}\u{10000}\u{10000}0\u00fe\u{10000}\u0104\u{10000}\u0e80\u1200\u{10000}"!\uff02\u0801! ',
      " !\u1219!",
      " Well,",
      " SOME",
      "  {"
    ]
    for (const first of parts) {
      for (const second of parts) {
        for (const third of parts) {
          const count = pieceTokenizer.countGrowing()
          let text = ""
          for (const part of [first, second, third, first, third, second, third]) {
            text += part
            expect([text, count(text)]).toEqual([text, pieceTokenizer.count(text).estimate])
          }
        }
      }
    }
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
      const count = pieceTokenizer.countGrowing()
      while (spied.length < text.length) {
        spied.length = Math.min(text.length, spied.length + 2_000)
        count(spied as unknown as string)
      }
      expect(looked).toBeLessThan(5 * text.length)
    }
  })
})
