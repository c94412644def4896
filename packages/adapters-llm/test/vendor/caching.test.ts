import type { ChatMessage, ReplyReceipt } from "@parley/core"
import { createTestParley, type TestParley } from "@parley/core/testing/parley"
import { Redacted } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AnthropicChatModel, chatModels } from "../../src/index.ts"
import { cachedPrompt } from "../../src/anthropic/cachedPrompt.ts"
import { type AnthropicRequest, CachingAnthropic, LEAST_TOKENS, PromptCache } from "./CachingAnthropic.ts"

const ANN = "ann"
const SONNET = "model-b-sonnet-20241022"
const TURNS = 10

/** A text of a few pages: it is offered whole, and is long enough for the cache. */
const STATUTES = Array.from(
  { length: 24 },
  (_, place) =>
    `## Article ${place + 1}\n\nMembers of class ${place + 1} pay ${(place + 1) * 12} crowns a year, and may bring ${place + 2} guests to the garden on the ${place + 1}th of May. ${"The board may change this with three months of notice. ".repeat(3)}`
).join("\n\n")

/** Far over the budget for whole documents, so that each question gets its own passages. */
const REPORT = Array.from(
  { length: 120 },
  (_, place) =>
    `## Year ${1900 + place}\n\nIn ${1900 + place} the society counted ${place * 17} storks. ${"The weather was as it is, and the garden was watered in the evening. ".repeat(8)}`
).join("\n\n")

const question = (turn: number) =>
  `How much do members of class ${turn + 1} pay, and what was counted in ${1900 + turn}?`
const answer = ({ messages }: AnthropicRequest) =>
  `For question ${messages.length}: they pay what the article says [1]. ${"This is explained at length. ".repeat(40)}`

const talk = async (parley: TestParley, documentIds: ReadonlyArray<string>): Promise<ReadonlyArray<ReplyReceipt>> => {
  const receipts: Array<ReplyReceipt> = []
  let chatId: string | undefined
  for (let turn = 0; turn < TURNS; turn++) {
    const messages: ReadonlyArray<ChatMessage> = [{ role: "user", content: question(turn) }]
    const continued = chatId === undefined ? {} : { chatId }
    const reply = await parley.chat.send(ANN, { messages, modelId: SONNET, documentIds, ...continued })
    await reply.text()
    chatId = reply.chatId
    receipts.push(await parley.credits.receipt(ANN, reply.messageId))
  }
  return receipts
}

const withParley = async (work: (parley: TestParley, vendor: CachingAnthropic) => Promise<void>) => {
  await using vendor = new CachingAnthropic(answer)
  const anthropic = new AnthropicChatModel({ apiKey: Redacted.make("sk-test"), baseUrl: await vendor.listen() })
  await using parley = await createTestParley({
    models: chatModels({ anthropic }),
    config: { tiers: { free: { models: [SONNET], monthlyCredits: 100_000 } } }
  })
  await work(parley, vendor)
}

/** The price of the input of all replies, and its price if nothing had been cached, in credits. */
const inputPrices = (receipts: ReadonlyArray<ReplyReceipt>) => {
  const prices = receipts.map(({ price, usage: { cacheRead, cacheWrite, freshInput } }) => ({
    paid:
      freshInput * price.creditsPer1kInput +
      cacheRead * price.creditsPer1kCachedInput +
      cacheWrite * price.creditsPer1kCacheWrite,
    fresh: (freshInput + cacheRead + cacheWrite) * price.creditsPer1kInput
  }))
  return { paid: sumOf(prices.map(({ paid }) => paid)) / 1_000, fresh: sumOf(prices.map(({ fresh }) => fresh)) / 1_000 }
}

const sumOf = (numbers: ReadonlyArray<number>): number => numbers.reduce((sum, each) => sum + each, 0)

describe("a conversation of ten turns with Anthropic", () => {
  it("reads whole documents and its history from the cache from the third turn on, by its receipts", async () => {
    await withParley(async (parley, vendor) => {
      const { id } = await parley.addText({ userId: ANN, filename: "statutes.md", text: STATUTES })
      const receipts = await talk(parley, [id])
      const used = receipts.map(({ usage }) => usage)
      expect(used.map(({ cacheRead }) => cacheRead)).toEqual(
        vendor.counts.map(({ cache_read_input_tokens: read }) => read)
      )
      // The first turn has no reply yet up to which the next request is the same; the second writes up to it.
      expect(used.slice(0, 2).map(({ cacheRead }) => cacheRead)).toEqual([0, 0])
      for (const [place, { cacheRead, freshInput }] of used.entries()) {
        if (place < 2) continue
        expect(cacheRead).toBeGreaterThan(LEAST_TOKENS)
        expect(cacheRead).toBeGreaterThan(10 * freshInput)
        expect(cacheRead).toBeGreaterThanOrEqual(used[place - 1]?.cacheRead ?? 0)
      }
      for (const { charged, held } of receipts) expect(charged).toBeLessThanOrEqual(held)
      const { fresh, paid } = inputPrices(receipts)
      expect(paid).toBeLessThan(fresh / 2)
    })
  })

  it("reads its history from the cache if each question has passages of its own", async () => {
    await withParley(async (parley) => {
      const { id } = await parley.addText({ userId: ANN, filename: "report.md", text: REPORT })
      const receipts = await talk(parley, [id])
      const { cacheRead = 0, cacheWrite = 0 } = receipts.at(-1)?.usage ?? {}
      expect(cacheRead).toBeGreaterThan(LEAST_TOKENS)
      expect(cacheWrite).toBeLessThan(cacheRead)
      for (const { charged, held } of receipts) expect(charged).toBeLessThanOrEqual(held)
    })
  })
})

describe("the marks of a prompt", () => {
  const words = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== "")
  const turn = fc.tuple(words, words).map(([asked, said]): ReadonlyArray<ChatMessage> => [
    { role: "user", content: asked },
    { role: "assistant", content: said }
  ])
  const system: ChatMessage = { role: "system", content: "word ".repeat(2 * LEAST_TOKENS) }

  it("lead the next request of any conversation to all that the one before had up to its newest reply", () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 2, maxLength: 12 }), words, (turns, newest) => {
        const cache = new PromptCache()
        let written = 0
        for (let count = 0; count < turns.length; count++) {
          const asked: ChatMessage = { role: "user", content: newest }
          const prompt = cachedPrompt([system, ...turns.slice(0, count).flat(), asked]) as AnthropicRequest
          const counts = cache.count(prompt)
          expect(counts.cache_read_input_tokens).toBe(written)
          written += counts.cache_creation_input_tokens
        }
      })
    )
  })

  it("are at most two, and never on what differs for each question", () => {
    const prompt = cachedPrompt([
      system,
      { role: "user", content: "Hello" },
      { role: "user", content: "passages" },
      { role: "user", content: "question" }
    ])
    expect(JSON.stringify(prompt.messages)).not.toContain("cache_control")
    expect(cachedPrompt([{ role: "user", content: "Hello" }])).toEqual({
      messages: [{ role: "user", content: "Hello" }]
    })
  })
})
