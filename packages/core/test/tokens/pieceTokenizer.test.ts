import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { estimateMessageTokens, maxRequestTokens } from "../../src/models/messageTokens.ts"
import { tokenizerContract } from "../../src/testing/tokens/tokenizerContract.ts"
import { pieceTokenizer } from "../../src/tokens/pieceTokenizer.ts"
import * as tables from "../../src/tokens/tokenTables.ts"
import { countTokens, makeTokenTables } from "./makeTokenTables.ts"

const words = `${tables.WORDS_EVERYWHERE} ${tables.WORDS_AFTER_SPACE}`.split(" ")

const processorTime = (): number => {
  const { system, user } = process.cpuUsage()
  return (user + system) / 1_000
}

tokenizerContract("pieceTokenizer", pieceTokenizer, { countTokens, processorTime, words })

describe("the tables of pieceTokenizer", () => {
  it.each(["_Accepted", "(Technical", "<Technology", "(Associated", "_Beautiful", "a/Accepted;"])(
    "hold where a sign takes a word's first letters along: %s",
    (text) => {
      expect(pieceTokenizer.count(text).max).toBeGreaterThanOrEqual(countTokens(text))
    }
  )

  it("are of the vocabularies as they are", () => {
    const written = Object.values(tables)
    const made = [...makeTokenTables().matchAll(/^ {2}("(?:[^"\\]|\\.)*")$/gm)].map(([, text]) =>
      JSON.parse(text ?? "")
    )
    expect(new Set(written)).toEqual(new Set(made))
  })
})

describe("the estimate of a request", () => {
  it("is never above its bound", () => {
    const messages = fc.array(
      fc.record({
        role: fc.constantFrom("user" as const, "assistant" as const, "system" as const),
        content: fc.string({ unit: "binary" })
      })
    )
    fc.assert(
      fc.property(messages, (all) => {
        expect(estimateMessageTokens(all)).toBeLessThanOrEqual(maxRequestTokens(all))
      })
    )
  })
})
