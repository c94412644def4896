import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { replyOutput } from "../../src/chat/reply/ReplyText.ts"
import { pieceTokenizer } from "../../src/tokens/pieceTokenizer.ts"

const estimateTokens = (text: string): number => pieceTokenizer.count(text).estimate

/** The delivered part of the pieces until the reply is cut. */
const deliver = (pieces: Iterable<string>, maxOutputTokens: number) => {
  const output = replyOutput(maxOutputTokens, pieceTokenizer)
  let text = ""
  for (const piece of pieces) {
    const taken = output.take(piece)
    text += taken.text
    expect(output.text()).toBe(text)
    if (taken.isCut) return { text, isCut: true }
  }
  return { text, isCut: false }
}

describe("the output of a reply", () => {
  it("leaves a reply within its limit unchanged, for pieces of any size", () =>
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), { maxLength: 40 }),
        fc.nat(50),
        (pieces, more) => {
          const whole = pieces.join("")
          const heard = deliver(pieces, estimateTokens(whole) + more)
          expect(heard).toEqual({ text: whole, isCut: false })
        }
      )
    ))

  it("counts tokens, not pieces: 1,250 tokens in 5,000 pieces are within a limit of 1,300", () => {
    const whole = Array.from({ length: 1_250 }, () => " word").join("")
    expect(estimateTokens(whole)).toBe(1_250)
    const pieces = whole.match(/.{1,2}/g) ?? []
    expect(pieces.length).toBeGreaterThan(3_000)
    expect(deliver(pieces, 1_300)).toEqual({ text: whole, isCut: false })
  })

  it("cuts what goes far beyond the limit, in one piece or in many, at about the same place", () => {
    const whole = " word".repeat(50_000)
    for (const size of [1, 7, 1_000, whole.length]) {
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
        whole.slice(index * size, (index + 1) * size)
      )
      const heard = deliver(pieces, 100)
      expect(heard.isCut).toBe(true)
      expect(whole.startsWith(heard.text)).toBe(true)
      expect(estimateTokens(heard.text)).toBeGreaterThan(100)
      expect(estimateTokens(heard.text)).toBeLessThanOrEqual(240)
    }
  })

  it("bounds the length also of what counts as few tokens, and never cuts within a character", () => {
    const blanks = deliver([" ".repeat(10_000_000)], 100)
    expect(blanks.isCut).toBe(true)
    expect(blanks.text.length).toBeLessThan(12_000)
    const stars = deliver(["👩‍🚀".repeat(100_000)], 100)
    expect(stars.isCut).toBe(true)
    expect(stars.text.isWellFormed()).toBe(true)
  })

  it("is counted as its text is, whenever it is asked, also after a cut", () =>
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), { maxLength: 40 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 1, max: 400 }),
        (pieces, asks, maxOutputTokens) => {
          const output = replyOutput(maxOutputTokens, pieceTokenizer)
          for (const [index, piece] of pieces.entries()) {
            const { isCut } = output.take(piece)
            if (isCut) {
              expect(output.tokens()).toBeLessThanOrEqual(2 * maxOutputTokens + 32)
              return
            }
            if (asks[index % asks.length] === true) expect(output.tokens()).toBe(estimateTokens(output.text()))
          }
          expect(output.tokens()).toBe(estimateTokens(output.text()))
        }
      )
    ))
})
