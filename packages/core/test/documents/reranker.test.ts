import { RerankFailed, rerankFound, type FoundPassage, type RerankerService } from "@parley/core/adapter"
import { rerankerContract } from "@parley/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"

/** Judges by the words that a query and a passage share. */
const byWords: RerankerService = {
  name: "test/words",
  rerank: ({ passages, query }) =>
    Effect.sync(() => {
      const asked = new Set(query.toLowerCase().match(/\p{L}+/gu))
      return passages.map(
        (text) => (text.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => asked.has(word)).length
      )
    })
}

rerankerContract("Shared words", () => byWords)

const found = ["one wing", "two wings and lift", "three"].map((text, ordinal): FoundPassage => ({
  documentId: "d",
  filename: "f.md",
  ordinal,
  page: null,
  start: ordinal * 100,
  end: ordinal * 100 + text.length,
  text,
  score: 3 - ordinal
}))

const answering = (rerank: RerankerService["rerank"]): RerankerService => ({ name: "test/answer", rerank })
const ordinals = (passages: ReadonlyArray<FoundPassage>) => passages.map(({ ordinal }) => ordinal)

describe("found passages that are reranked", () => {
  it("comes in the order of the reranker, equals in the order they had, with everything else as it was", async () => {
    const ranked = await Effect.runPromise(rerankFound(byWords, "lift of wings", found))
    expect(ordinals(ranked)).toEqual([1, 0, 2])
    expect(ranked.map((passage) => ({ ...passage, score: 0 }))).toEqual(
      [1, 0, 2].map((place) => ({ ...found[place], score: 0 }))
    )
  })

  it.each([
    ["fails", Effect.fail(new RerankFailed({}))],
    ["gives too few numbers", Effect.succeed([1])],
    ["gives too many", Effect.succeed([1, 2, 3, 4])],
    ["gives what is no number", Effect.succeed([1, Number.NaN, 2])]
  ])("keeps its order where the reranker %s", async (_, answer) => {
    expect(
      await Effect.runPromise(
        rerankFound(
          answering(() => answer),
          "lift",
          found
        )
      )
    ).toEqual(found)
  })

  it("keeps its order where the reranker does not answer in time", async () => {
    const late = Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(
        rerankFound(
          answering(() => Effect.never),
          "lift",
          found
        )
      )
      yield* TestClock.adjust("3 seconds")
      return yield* Fiber.join(waiting)
    })
    expect(await Effect.runPromise(Effect.provide(late, TestClock.layer()))).toEqual(found)
  })
})
