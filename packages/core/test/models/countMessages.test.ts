import { Effect } from "effect"
import { expect, test } from "vitest"
import type { ChatMessage } from "../../src/models/ChatMessage.ts"
import { countMessage, countMessages } from "../../src/models/countMessages.ts"
import { countInSteps, countPieces } from "../../src/tokens/tokenPieces.ts"
import { FairTurns, type TurnTaking } from "../../src/fairness/FairTurns.ts"

const said = (content: string): ChatMessage => ({ role: "user", content })

/** Turns that are given at once, and counted. */
const counting = () => {
  const takers: Array<string> = []
  const turns: TurnTaking = {
    take: (person, slice) => {
      takers.push(person)
      return Effect.sync(slice)
    }
  }
  return { takers, turns }
}

const TEXTS = [
  "word ".repeat(9_000),
  "a".repeat(70_000),
  "aB,c 12345\n".repeat(5_000),
  "漢字 ".repeat(20_000),
  " ".repeat(50_000)
]

test.each(TEXTS)("a text counts the same in steps as in one go", (text) => {
  const step = countInSteps(text)
  let count
  while (count === undefined) count = step(1_000)
  expect(count).toEqual(countPieces(text))
})

test("a long prompt is counted in many turns of its person, and counts the same", async () => {
  const { takers, turns } = counting()
  const messages = TEXTS.map(said)
  await Effect.runPromise(Effect.provideService(countMessages("ann", messages, 1e9), FairTurns, turns))
  expect(takers.length).toBeGreaterThan(15)
  expect(new Set(takers)).toEqual(new Set(["ann"]))
  for (const message of messages) expect(countMessage(message)).toEqual(countPieces(message.content))
})

test("a short prompt takes no turn, and nothing is counted beyond what fits", async () => {
  const { takers, turns } = counting()
  const run = (messages: ReadonlyArray<ChatMessage>, most: number) =>
    Effect.runPromise(Effect.provideService(countMessages("ann", messages, most), FairTurns, turns))
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
