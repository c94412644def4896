import { Effect } from "effect"
import { expect, test } from "vitest"
import type { ChatMessage } from "../../src/models/ChatMessage.ts"
import { countMessage, countMessages } from "../../src/models/messageTokens.ts"
import { pieceTokenizer } from "../../src/tokens/pieceTokenizer.ts"
import { Tokenizer } from "../../src/tokens/Tokenizer.ts"
import { FairQueue, FairSlices } from "../../src/fairness/FairQueue.ts"

const said = (content: string): ChatMessage => ({ role: "user", content })

/** Slices that run at once, and are counted. */
const counting = () => {
  const takers: Array<string> = []
  class CountingQueue extends FairQueue {
    override enter(person: string) {
      return Effect.sync(() => void takers.push(person))
    }
  }
  return { takers, slices: new CountingQueue({ places: 1, perPerson: 1 }) }
}

const TEXTS = [
  "word ".repeat(9_000),
  "a".repeat(70_000),
  "aB,c 12345\n".repeat(5_000),
  "漢字 ".repeat(20_000),
  " ".repeat(50_000)
]

test("a long prompt is counted in many slices of its person, and counts the same", async () => {
  const { takers, slices } = counting()
  const messages = TEXTS.map(said)
  await Effect.runPromise(Effect.provideService(countMessages("ann", messages, 1e9), FairSlices, slices))
  expect(takers.length).toBeGreaterThan(15)
  expect(new Set(takers)).toEqual(new Set(["ann"]))
  for (const message of messages) {
    expect(countMessage(message, pieceTokenizer)).toEqual(pieceTokenizer.count(message.content))
  }
})

test("what one tokenizer counted is not taken for another's count", async () => {
  const message = said("word ".repeat(9_000))
  expect(countMessage(message, pieceTokenizer).max).toBeGreaterThan(8_000)
  const other = { ...pieceTokenizer, count: () => ({ max: 7, estimate: 6 }) }
  expect(countMessage(message, other)).toEqual({ max: 7, estimate: 6 })
  const inSteps = { ...pieceTokenizer, countInSteps: () => () => ({ max: 5, estimate: 4 }) }
  const counted = Effect.provideService(countMessages("ann", [message], 1e9), Tokenizer, inSteps)
  await Effect.runPromise(Effect.provideService(counted, FairSlices, counting().slices))
  expect(countMessage(message, inSteps)).toEqual({ max: 5, estimate: 4 })
})

test("a short prompt needs no slice, and nothing is counted beyond what fits", async () => {
  const { takers, slices } = counting()
  const run = (messages: ReadonlyArray<ChatMessage>, most: number) =>
    Effect.runPromise(Effect.provideService(countMessages("ann", messages, most), FairSlices, slices))
  await run(
    Array.from({ length: 10 }, () => said("word ".repeat(600))),
    1e9
  )
  expect(takers).toEqual([])
  await run(
    Array.from({ length: 500 }, () => said("word ".repeat(1_600))),
    2_000
  )
  expect(takers.length).toBeLessThan(5)
})
