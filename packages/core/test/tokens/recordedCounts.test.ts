import { encodeChat as encodeChatCl100k } from "gpt-tokenizer/model/gpt-4"
import { encodeChat as encodeChatO200k } from "gpt-tokenizer/model/gpt-4o"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ChatMessage, defaultCatalog, type Model } from "@parley/core"
import { maxRequestTokens, pieceTokenizer } from "@parley/core/adapter"
import { maxInputTokensFor } from "../../src/models/messageTokens.ts"
import { prose, technical } from "../../src/testing/tokens/sampleTexts.ts"

const modelOf = (vendor: Model["vendor"]): Model =>
  defaultCatalog.models.find((model) => model.vendor === vendor) as Model

const boundFor = (vendor: Model["vendor"], messages: ReadonlyArray<ChatMessage>): number =>
  maxInputTokensFor(modelOf(vendor), maxRequestTokens(messages))

const conversation = (...turns: ReadonlyArray<readonly [ChatMessage["role"], string]>): ReadonlyArray<ChatMessage> =>
  turns.map(([role, content]) => ({ role, content }))

interface Recorded {
  readonly vendor: Model["vendor"]
  readonly messages: ReadonlyArray<ChatMessage>
  /** The vendor's reported count. */
  readonly counted: number
  readonly source: string
}

const recorded: ReadonlyArray<Recorded> = [
  {
    vendor: "openai",
    messages: conversation(["system", "You are a helpful assistant."], ["user", "Hello!"]),
    counted: 19,
    source: "OpenAI's API reference, the first example of chat completions"
  },
  {
    vendor: "anthropic",
    messages: conversation(["system", "You are a scientist"], ["user", "Hello, Claude"]),
    counted: 14,
    source: "Anthropic's guide to counting tokens"
  }
]

describe("the input bound", () => {
  it.each(recorded)("is at least what the vendor counted: $source", ({ counted, messages, vendor }) => {
    expect(boundFor(vendor, messages)).toBeGreaterThanOrEqual(counted)
  })

  it("is at least what OpenAI's wrapping of messages makes of any conversation, and seldom over twice", () => {
    const texts = Object.values({ ...prose, ...technical })
    const message = fc.record({
      role: fc.constantFrom("user" as const, "assistant" as const, "system" as const),
      content: fc.oneof(fc.constantFrom(...texts), fc.string({ unit: "grapheme", maxLength: 60 }))
    })
    let loose = 0
    let long = 0
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 8 }), (messages) => {
        const counted = Math.max(encodeChatCl100k(messages).length, encodeChatO200k(messages).length)
        const bound = boundFor("openai", messages)
        expect(bound).toBeGreaterThanOrEqual(counted)
        // In a short message the overhead outweighs the text, in the bound and in the vendor's count.
        if (counted < 100) return
        long += 1
        if (bound > 2 * counted) loose += 1
      }),
      { numRuns: 1_000 }
    )
    expect(long).toBeGreaterThan(100)
    expect(loose / long).toBeLessThan(0.1)
  })

  /**
   * Anthropic's present tokenizer is not public. Others measured it with the vendor's counting endpoint when it came
   * (April 2026), in characters a token: plain English 3.60, TypeScript 2.69; English technical documents take 1.47
   * times the tokens of before, when English had 4.33 characters a token.
   */
  const measured: ReadonlyArray<readonly [string, string, number]> = [
    ["plain English", prose["English"] ?? "", 3.6],
    ["English technical documents", prose["English"] ?? "", 4.33 / 1.47],
    ["TypeScript", technical["TypeScript"] ?? "", 2.69]
  ]
  it.each(measured)("has room for Anthropic's tokenizer as it was measured: %s", (_, text, charactersPerToken) => {
    const bound = maxInputTokensFor(modelOf("anthropic"), pieceTokenizer.count(text).max)
    const counted = text.length / charactersPerToken
    expect(bound).toBeGreaterThanOrEqual(counted)
    expect(bound).toBeLessThanOrEqual(2 * counted)
  })
})
