import { assert, describe, it } from "@effect/vitest"
import { DocumentService } from "@parley/core/effect"
import { JobWorker, Reranker } from "@parley/core/adapter"
import { Effect, Fiber, Layer } from "effect"
import { ask, says, scriptedModel, world } from "./world.ts"

/** Paragraphs that fill a passage each; one of them, which words find last, has the answer. */
const text = [
  ...Array.from(
    { length: 45 },
    (_, number) => `Shop number${number} opens, and the shop opens again. ${"word ".repeat(190)}`
  ),
  `The shop number99 has the answer. ${"word ".repeat(190)}`
].join("\n\n")

const answer = (passage: string) => passage.includes("answer")

describe("a reply with a reranker", () => {
  it.effect("cites what the reranker chose among more than is cited, of the documents named and of no other", () => {
    const judged: Array<ReadonlyArray<string>> = []
    const reranker = {
      name: "test/answer",
      rerank: ({ passages }: { readonly passages: ReadonlyArray<string> }) => {
        judged.push(passages)
        return Effect.succeed(passages.map((passage) => (answer(passage) ? 1 : 0)))
      }
    }
    return Effect.gen(function* () {
      const documents = yield* DocumentService
      const upload = (userId: string, content: string) =>
        documents.upload({ userId, filename: "notes.txt", bytes: new TextEncoder().encode(content) })
      const named = yield* upload("ann", text)
      const other = yield* upload("ann", "The shop opens: an answer of another document.")
      const foreign = yield* upload("bob", "The shop opens: an answer of another person.")
      const working = yield* Effect.forkChild(
        Effect.scoped(
          Effect.andThen(
            JobWorker.use((worker) => worker.work),
            Effect.never
          )
        )
      )
      for (const [userId, { id }] of [
        ["ann", named],
        ["ann", other],
        ["bob", foreign]
      ] as const) {
        while ((yield* documents.get(userId, id)).status !== "ready") yield* Effect.yieldNow
      }
      const { reply } = yield* ask("ann", "When does the shop open?", { documentIds: [named.id] })
      const [seen = []] = judged
      assert.isAbove(seen.length, reply.sources.length)
      assert.isAbove(reply.sources.length, 5)
      assert.isTrue(answer(reply.sources[0]?.text ?? ""))
      assert.isFalse(seen.some((passage) => passage.includes("another")))
      yield* Fiber.interrupt(working)
    }).pipe(
      Effect.provide(
        Layer.provide(
          world(scriptedModel(() => says(["Hello"], { input: 5, output: 1 }))),
          Layer.succeed(Reranker, reranker)
        )
      )
    )
  })
})
