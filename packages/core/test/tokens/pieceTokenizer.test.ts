import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { estimateMessageTokens, maxRequestTokens } from "../../src/models/messageTokens.ts"
import { tokenizerContract } from "../../src/testing/tokens/tokenizerContract.ts"
import { pieceTokenizer } from "../../src/tokens/pieceTokenizer.ts"
import * as tables from "../../src/tokens/tokenTables.ts"
import { countTokens } from "./makeTokenTables.ts"

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

  it("are those that the long test makes of the vocabularies", () => {
    const digest = createHash("sha256")
      .update(JSON.stringify(tables, Object.keys(tables).toSorted()))
      .digest("hex")
    expect(digest).toBe("8729baddb204b5f330c65905ec3bc87ad8738ed5beaac8c8d2c595b986d7cb58")
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
