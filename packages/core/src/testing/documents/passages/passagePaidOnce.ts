import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import type { Embedder } from "../../../documents/embedding/Embedder.ts"
import { newUserId } from "../../storage/storageFixtures.ts"
import type { Run } from "../../suiteOn.ts"
import {
  beginPassages,
  indexed,
  indexPassages,
  passagesOf,
  type PassageStores,
  search,
  textWith,
  passagePorts
} from "./passageIndexFixtures.ts"
import { type EmbedderScript, scriptedEmbedder } from "../scriptedEmbedder.ts"

const numbered = (userId: string, count: number) =>
  passagesOf(...Array.from({ length: count }, (_, number) => `car number${number}, of ${userId}`))

/** Tests that an embedding is requested only once: a provider's answer is stored as soon as it arrives. */
export const paidOnce = (
  run: Run<PassageStores>,
  script: EmbedderScript,
  layerWith: (embedder: Embedder["Service"]) => Layer.Layer<PassageStores, unknown>
): void => {
  const askedFor = (userId: string) => script.asked.filter((text) => text.endsWith(userId))

  it("embeddings answered before a failure are kept, and only the rest is requested again", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const userId = newUserId()
        const documentId = yield* indexed(userId, [])
        const passages = numbered(userId, 40)
        const generation = yield* beginPassages({ userId, documentId }, passages, "same")
        script.failing = "number20,"
        expect(yield* Effect.flip(index.add(generation, passages))).toMatchObject({ _tag: "EmbeddingFailed" })
        script.failing = undefined
        const before = askedFor(userId).length
        expect(before).toBeGreaterThanOrEqual(16)
        expect(before).toBeLessThan(40)
        const again = yield* beginPassages({ userId, documentId }, passages, "same")
        expect(again).toEqual({ ...generation, passages: 0 })
        expect(yield* index.unembedded(userId, passages)).toHaveLength(40 - before)
        expect(yield* index.add(again, passages)).toEqual({ asked: 40 - before, reused: before })
        yield* index.activate(again)
        expect(askedFor(userId).toSorted()).toEqual(passages.map(({ text }) => text).toSorted())
        expect(yield* search({ userId, documentIds: [documentId], query: "automobile", limit: 50 })).toHaveLength(40)
      })
    ))

  it("texts of an earlier generation, and equal ones of the same owner, are not requested again; those of others are", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const userId = newUserId()
        const documentId = yield* indexed(userId, [])
        const passages = numbered(userId, 3)
        const twice = passagesOf(...passages.map(({ text }) => text), ...passages.map(({ text }) => text))
        yield* indexPassages({ userId, documentId }, twice)
        expect(askedFor(userId)).toHaveLength(3)
        expect(yield* index.unembedded(userId, twice)).toEqual([])
        yield* indexPassages(
          { userId, documentId },
          passagesOf(`new car, of ${userId}`, ...passages.map(({ text }) => text))
        )
        const other = yield* indexed(
          userId,
          passages.map(({ text }) => text)
        )
        expect(askedFor(userId)).toHaveLength(4)
        expect(yield* search({ userId, documentIds: [other], query: "automobile" })).toHaveLength(3)
        const stranger = newUserId()
        expect(yield* index.unembedded(stranger, passages)).toEqual(passages)
        yield* indexed(
          stranger,
          passages.map(({ text }) => text)
        )
        expect(askedFor(userId)).toHaveLength(7)
      })
    ))

  it("a document put at once requests each text once, and one that cannot be put keeps its embeddings and leaves the searched generation", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const userId = newUserId()
        const documentId = yield* indexed(userId, ["lift before"])
        const put = (count: number) => {
          const passages = numbered(userId, count)
          const parsed = { text: textWith(passages), pageStarts: null }
          return index.put({ userId, documentId, parsed, fingerprint: `of ${count}`, passages })
        }
        const found = Effect.map(
          search({ userId, documentIds: [documentId], query: "automobile", limit: 50 }),
          (all) => all.filter(({ text }) => text.startsWith("car")).length
        )
        script.failing = "number1,"
        const failed = yield* Effect.exit(put(3))
        if (failed._tag === "Failure") expect(askedFor(userId)).toEqual([])
        script.failing = undefined
        expect(yield* found).toBe(0)
        const done = yield* put(3)
        if (done === undefined) return expect(askedFor(userId)).toEqual([])
        expect(done).toEqual({ asked: 3, reused: 0 })
        expect(yield* found).toBe(3)
        expect(askedFor(userId)).toHaveLength(3)
        // Some embeddings exist already, and the number of texts exceeds a request.
        expect([yield* put(4), yield* put(20)]).toEqual([undefined, undefined])
        expect(askedFor(userId)).toHaveLength(3)
        expect(yield* found).toBe(3)
      })
    ))

  it("another model is asked for all of it", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const passages = numbered(userId, 3)
        const other = layerWith(scriptedEmbedder(script, "scripted/newer"))
        const asked = Effect.gen(function* () {
          const index = yield* passagePorts
          const documentId = yield* indexed(userId, [])
          const generation = yield* beginPassages({ userId, documentId }, passages)
          expect(yield* index.unembedded(userId, passages)).toHaveLength(3)
          return yield* index.add(generation, passages)
        })
        yield* indexed(
          userId,
          passages.map(({ text }) => text)
        )
        expect(yield* Effect.provide(asked, other)).toEqual({ asked: 3, reused: 0 })
        expect(askedFor(userId)).toHaveLength(6)
      })
    ))
}
