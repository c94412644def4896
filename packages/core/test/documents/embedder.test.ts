import { embedBatches, EmbeddingFailed, makeInMemoryEmbedder } from "@parley/core/adapter"
import { embedderContract } from "@parley/core/testing"
import { Effect, Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

embedderContract("the embedder in memory", {
  stage: async (limits) => {
    const requests: Array<ReadonlyArray<string>> = []
    let now = 0
    let most = 0
    const embedder = makeInMemoryEmbedder({
      limits,
      onRequest: (texts) =>
        Effect.gen(function* () {
          requests.push(texts)
          now += 1
          most = Math.max(most, now)
          const all = texts.join(" ")
          if (all.includes("silence")) return yield* Effect.never
          while (all.includes("together") && most < limits.concurrency) yield* Effect.yieldNow
          if (all.includes("unwanted")) return yield* new EmbeddingFailed({ reason: "refused", retryable: false })
          if (all.includes("unlucky")) return yield* new EmbeddingFailed({ reason: "unavailable", retryable: true })
        }).pipe(Effect.ensuring(Effect.sync(() => (now -= 1))))
    })
    return { embedder, requests: () => requests, underWay: () => ({ now, most }) }
  }
})

const limits = { textsPerRequest: 3, tokensPerRequest: 50, tokensPerText: 1_000, concurrency: 3 }
const answering = (vectors: (texts: ReadonlyArray<string>) => ReadonlyArray<unknown>, texts: ReadonlyArray<string>) =>
  Effect.runPromise(
    embedBatches({ limits, dimensions: 3, request: (asked) => Effect.sync(() => vectors(asked)) }, texts)
  )

describe("embedBatches", () => {
  it.each<readonly [string, unknown]>([
    ["too short", [1, 2]],
    ["too long", [1, 2, 3, 4]],
    ["not a number", [1, Number.NaN, 3]],
    ["infinite", [1, Number.POSITIVE_INFINITY, 3]],
    ["a text", [1, "2", 3]],
    ["all zero", [0, 0, 0]],
    ["missing", undefined],
    ["no list", { 0: 1, 1: 2, 2: 3, length: 3 }]
  ])("takes no vector that is %s, and keeps those beside it", async (_, bad) => {
    const results = await answering(() => [[1, 2, 3], bad, [4, 5, 6]], ["a", "b", "c"])
    expect(results.map(Result.isSuccess)).toEqual([true, false, true])
    const second = results[1]
    expect(second && Result.isFailure(second) ? second.failure.reason : undefined).toBe("bad-answer")
  })

  it("takes no vectors at all where their number is not that of the texts", async () => {
    const results = await answering(() => [[1, 2, 3]], ["a", "b"])
    expect(results.map(Result.isSuccess)).toEqual([false, false])
  })

  it("blames exactly the texts that a provider refuses, whichever and however many they are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 25 }), async (wanted) => {
        const texts = wanted.map((good, index) => `${index} ${good ? "good" : "bad"}`)
        const request = (asked: ReadonlyArray<string>) =>
          asked.some((text) => text.endsWith("bad"))
            ? Effect.fail(new EmbeddingFailed({ reason: "refused", retryable: false }))
            : Effect.succeed(asked.map((text) => [Number.parseInt(text, 10), 1, 1]))
        const results = await Effect.runPromise(embedBatches({ limits, dimensions: 3, request }, texts))
        expect(results.map(Result.isSuccess)).toEqual(wanted)
        results.forEach((result, index) => {
          if (Result.isSuccess(result)) expect(result.success[0]).toBe(index)
        })
      })
    )
  })
})
