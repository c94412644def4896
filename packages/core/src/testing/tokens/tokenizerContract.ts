import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { TokenizerService } from "../../tokens/TokenizerService.ts"
import { awkwardTexts } from "./awkwardTexts.ts"
import { prose, technical } from "./sampleTexts.ts"

export interface TokenizerReference {
  /**
   * Returns the real token count of a text by a public tokenizer; by several tokenizers, the largest count, if the
   * bound must hold for all of them.
   */
  readonly countTokens: (text: string) => number
  /** Returns the processor time that this process has used, in milliseconds. */
  readonly processorTime: () => number
  /** Words that are hard to count; those of the sample texts unless given. */
  readonly words?: ReadonlyArray<string>
}

const samples = Object.entries({ ...prose, ...technical })
const sampleWords = [...new Set(samples.flatMap(([, text]) => text.match(/[a-z]{2,}/g) ?? []))]

/** About 100 kB of each text, which are counted in steps and while they grow. */
const LONG = [
  "word ".repeat(20_000),
  "a".repeat(70_000),
  "aB,c 12345\n".repeat(9_000),
  "漢字 ".repeat(20_000),
  "😀 ".repeat(20_000)
]

const inSteps = (tokenizer: TokenizerService, text: string, characters: number) => {
  const step = tokenizer.countInSteps(text)
  let count = step(characters)
  let steps = 1
  for (; count === undefined; steps++) count = step(characters)
  return { count, steps }
}

/** Returns a text in the lengths to which it grows. */
const grown = (text: string, sizes: ReadonlyArray<number>): ReadonlyArray<string> => {
  const all: Array<string> = []
  for (let end = 0, turn = 0; end < text.length; turn += 1) {
    end = Math.min(text.length, end + (sizes[turn % sizes.length] ?? 1))
    all.push(text.slice(0, end))
  }
  return all
}

/** Tests the guarantees of a tokenizer: the bound holds for each reference, and all counting is linear. */
export const tokenizerContract = (
  name: string,
  tokenizer: TokenizerService,
  { countTokens, processorTime, words = sampleWords }: TokenizerReference
): void => {
  const max = (text: string) => tokenizer.count(text).max
  const estimate = (text: string) => tokenizer.count(text).estimate
  /**
   * Returns the processor time of `work`: the lowest of three measurements, so that other work of the process has
   * little influence.
   */
  const costOf = (work: () => void): number => {
    const costs = Array.from({ length: 3 }, () => {
      const began = processorTime()
      work()
      return processorTime() - began
    })
    return Math.min(...costs)
  }

  describe(`the bound of ${name}`, () => {
    it.each(samples)("is at least what tokenizers count, and usually at most twice: %s", (kind, text) => {
      const counted = countTokens(text)
      expect(max(text)).toBeGreaterThanOrEqual(counted)
      expect(max(text)).toBeLessThanOrEqual(counted * (kind === "Rule" ? 4 : 2.5))
    })

    it("is at most twice the count for nine texts in ten", () => {
      const loose = samples.filter(([, text]) => max(text) > 2 * countTokens(text))
      expect(loose.length).toBeLessThanOrEqual(samples.length / 10)
    })

    it.each(awkwardTexts(words))("is at least what tokenizers count for any text of: %s", (_, texts) => {
      fc.assert(
        fc.property(texts, (text) => max(text) >= countTokens(text)),
        { numRuns: 1_500 }
      )
    })

    it("is at least what tokenizers count for texts put together from others", () => {
      const piece = fc.oneof(
        fc.constantFrom(...samples.map(([, text]) => text)),
        ...awkwardTexts(words).map(([, text]) => text)
      )
      fc.assert(
        fc.property(
          fc.array(piece, { maxLength: 5 }),
          (pieces) => max(pieces.join("")) >= countTokens(pieces.join(""))
        ),
        { numRuns: 1_500 }
      )
    })

    it("is zero for nothing", () => {
      expect(tokenizer.count("")).toEqual({ max: 0, estimate: 0 })
    })
  })

  describe(`the estimate of ${name}`, () => {
    it.each(samples)("is near the count: %s", (kind, text) => {
      if (kind === "Rule") return
      expect(estimate(text)).toBeLessThan(1.6 * countTokens(text))
      expect(estimate(text)).toBeGreaterThan(0.6 * countTokens(text))
    })

    it("grows with a run of spaces, as the count does", () => {
      const spaces = " ".repeat(20_000)
      expect(estimate(spaces)).toBeLessThan(2 * countTokens(spaces))
      expect(estimate(spaces)).toBeGreaterThan(0.5 * countTokens(spaces))
    })

    it("is a whole number, and never above the bound", () => {
      fc.assert(
        fc.property(fc.string({ unit: "binary" }), (text) => {
          const count = tokenizer.count(text)
          expect(count.estimate).toBeLessThanOrEqual(count.max)
          expect([count.estimate, count.max].every((each) => Number.isSafeInteger(each) && each >= 0)).toBe(true)
        })
      )
    })
  })

  describe(`counting by ${name}`, () => {
    it.each([" ", "a", "A", "1", "-", "\n", "é", "界", "🎉", "\ud800", "ab ", "aB", "a界", "a\u0301\u0302\u0303"])(
      "takes time in proportion to the length of a monotonous text: %j",
      (unit) => {
        max(unit.repeat(20_000))
        const short = costOf(() => max(unit.repeat(20_000)))
        expect(costOf(() => max(unit.repeat(400_000)))).toBeLessThan(20 * (short + 1) * 5)
      }
    )

    it("takes time in proportion to the length of a text without order", () => {
      const random = fc.sample(fc.integer({ min: 0x4e00, max: 0x9fff }), { numRuns: 40_000, seed: 7 })
      const text = String.fromCharCode(...random)
      max(text)
      const short = costOf(() => max(text.slice(0, 4_000)))
      expect(costOf(() => max(text))).toBeLessThan(10 * (short + 1) * 5)
    })

    it.each(LONG)("returns the same in steps as in one go, a step for each part", (text) => {
      const { count, steps } = inSteps(tokenizer, text, 1_000)
      expect(count).toEqual(tokenizer.count(text))
      expect(inSteps(tokenizer, "", 1_000)).toEqual({ count: { max: 0, estimate: 0 }, steps: 1 })
      if (text.includes(" ")) expect(steps).toBeGreaterThan(20)
    })

    it("counts a growing text as the whole text, for pieces of any size", () => {
      const parts = fc.oneof(
        fc.constantFrom(...Object.values(prose)),
        fc.string(),
        fc.constantFrom(" ", "  ", "\n", "😀")
      )
      const texts = fc.array(parts, { maxLength: 12 }).map((some) => some.join(""))
      fc.assert(
        fc.property(texts, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (text, sizes) => {
          const count = tokenizer.countGrowing()
          // Sums of fractions in another order differ in their last digits.
          for (const each of grown(text, sizes)) {
            const { estimate, max } = tokenizer.count(each)
            expect(count(each)).toBeGreaterThanOrEqual(estimate - 1)
            if (estimate < max) expect(count(each)).toBeLessThanOrEqual(estimate + 1)
          }
        })
      )
    })

    it.each(LONG)("counts a growing text in time linear in its length", (text) => {
      const growing = (length: number) => {
        const count = tokenizer.countGrowing()
        for (let end = 500; end <= length; end += 500) count(text.slice(0, end))
      }
      growing(text.length)
      const short = costOf(() => growing(text.length / 8))
      expect(costOf(() => growing(text.length))).toBeLessThan(8 * (short + 1) * 5)
    })
  })
}
