import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { estimateMessageTokens, maxRequestTokens } from "../../src/models/messageTokens.ts"
import { estimateTokens, maxTokens } from "../../src/tokens/tokens.ts"
import * as tables from "../../src/tokens/tokenTables.ts"
import { countTokens, makeTokenTables } from "./makeTokenTables.ts"
import { prose, technical } from "../chat/texts.ts"

const texts = Object.entries({ ...prose, ...technical })
const words = `${tables.WORDS_EVERYWHERE} ${tables.WORDS_AFTER_SPACE}`.split(" ")
const capitalized = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)

const characters = (from: number, to: number) =>
  fc.integer({ min: from, max: to }).map((code) => String.fromCodePoint(code))
const textOf = (unit: fc.Arbitrary<string>) =>
  fc.array(unit, { minLength: 1, maxLength: 40 }).map((all) => all.join(""))
const word = fc.constantFrom(...words)
const namePart = fc.oneof(word, word.map(capitalized), fc.constantFrom("HTTP", "Id", "x", "v2", "42"))

/** Where tokens and characters or words do not end together, a bound that counts characters or words goes wrong. */
const awkward: ReadonlyArray<readonly [string, fc.Arbitrary<string>]> = [
  ["small letters", textOf(characters(0x61, 0x7a))],
  ["capitals", textOf(characters(0x41, 0x5a))],
  ["letters and digits", textOf(fc.oneof(characters(0x61, 0x7a), characters(0x41, 0x5a), characters(0x30, 0x39)))],
  ["ASCII", textOf(characters(0, 0x7f))],
  ["camelCase", textOf(namePart)],
  ["snake_case and paths", textOf(fc.tuple(fc.constantFrom(..."_-./('\"$@:"), namePart).map((pair) => pair.join("")))],
  ["contractions", textOf(fc.tuple(namePart, fc.constantFrom("'s", "'T", "'re ", "’s ", "'")).map((p) => p.join("")))],
  ["accents in words", textOf(fc.tuple(word, characters(0xc0, 0x24f)).map((pair) => pair.join("")))],
  ["two-byte scripts", textOf(fc.oneof(characters(0x370, 0x6ff), fc.constant(" ")))],
  ["Indic scripts and Thai", textOf(characters(0x900, 0xe7f))],
  ["signs and kana", textOf(fc.oneof(characters(0x2000, 0x2bff), characters(0x3000, 0x30ff)))],
  ["Chinese characters", textOf(fc.oneof(characters(0x4e00, 0x9fff), fc.constant(" ")))],
  ["Korean", textOf(characters(0xac00, 0xd7a3))],
  ["emoji", textOf(fc.oneof(characters(0x1f300, 0x1faff), fc.constantFrom("\u200d", "\ufe0f", "🏽")))],
  ["any character", fc.string({ unit: "binary", maxLength: 40 })],
  ["lone surrogates", textOf(fc.integer({ min: 0xd700, max: 0xe100 }).map((unit) => String.fromCharCode(unit)))],
  ["repetition", textOf(fc.tuple(characters(0, 0x7f), fc.integer({ min: 1, max: 60 })).map(([c, n]) => c.repeat(n)))],
  [
    "white space",
    textOf(fc.constantFrom(" ", "  ", "\t\t", "\n\n\n", "\r\n", " \n ", "a", "1", "(", "\u00a0", "\u3000"))
  ]
]

describe("maxTokens", () => {
  it.each(texts)("is at least what tokenizers count, and usually at most twice: %s", (name, text) => {
    const counted = countTokens(text)
    expect(maxTokens(text)).toBeGreaterThanOrEqual(counted)
    const usual = name === "Rule" ? 4 : 2.5
    expect(maxTokens(text)).toBeLessThanOrEqual(counted * usual)
  })

  it("is at most twice the count for nine texts in ten", () => {
    const loose = texts.filter(([, text]) => maxTokens(text) > 2 * countTokens(text))
    expect(loose.length).toBeLessThanOrEqual(texts.length / 10)
  })

  it.each(awkward)("is at least what tokenizers count for any text of: %s", (_, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, (text) => maxTokens(text) >= countTokens(text)),
      { numRuns: 1_500 }
    )
  })

  it("is at least what tokenizers count for texts put together from others", () => {
    const piece = fc.oneof(fc.constantFrom(...texts.map(([, text]) => text)), ...awkward.map(([, text]) => text))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const text = pieces.join("")
        return maxTokens(text) >= countTokens(text)
      }),
      { numRuns: 1_500 }
    )
  })

  it.each(["_Accepted", "(Technical", "<Technology", "(Associated", "_Beautiful", "a/Accepted;"])(
    "is at least what tokenizers count where a sign takes a word's first letters along: %s",
    (text) => {
      expect(maxTokens(text)).toBeGreaterThanOrEqual(countTokens(text))
    }
  )

  it("is zero for nothing", () => {
    expect(maxTokens("")).toBe(0)
  })

  it.each([" ", "a", "A", "1", "-", "\n", "é", "界", "🎉", "\ud800", "ab ", "aB", "a界"])(
    "takes time in proportion to the length of a monotonous text: %j",
    (unit) => {
      const timeOf = (text: string) => {
        const start = performance.now()
        maxTokens(text)
        return performance.now() - start
      }
      timeOf(unit.repeat(20_000))
      const short = Math.min(...Array.from({ length: 3 }, () => timeOf(unit.repeat(20_000))))
      const long = Math.min(...Array.from({ length: 3 }, () => timeOf(unit.repeat(400_000))))
      expect(long).toBeLessThan(20 * (short + 1) * 5)
    }
  )

  it("knows the vocabularies as they are", () => {
    const written = Object.values(tables)
    const made = [...makeTokenTables().matchAll(/^ {2}("(?:[^"\\]|\\.)*")$/gm)].map(([, text]) =>
      JSON.parse(text ?? "")
    )
    expect(new Set(written)).toEqual(new Set(made))
  })
})

describe("estimateTokens", () => {
  it.each(texts)("is near the count of one of the two tokenizers: %s", (name, text) => {
    if (name === "Rule") return
    const estimate = estimateTokens(text)
    expect(estimate).toBeLessThan(1.6 * countTokens(text))
    expect(estimate).toBeGreaterThan(0.6 * countTokens(text))
  })

  it("is never above the bound, for texts and for requests", () => {
    const messages = fc.array(
      fc.record({
        role: fc.constantFrom("user" as const, "assistant" as const, "system" as const),
        content: fc.string({ unit: "binary" })
      })
    )
    fc.assert(
      fc.property(messages, (all) => {
        expect(estimateMessageTokens(all)).toBeLessThanOrEqual(maxRequestTokens(all))
        for (const { content } of all) expect(estimateTokens(content)).toBeLessThanOrEqual(maxTokens(content))
      })
    )
  })
})
