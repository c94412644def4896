import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import type { Embedder } from "../../../documents/embedding/Embedder.ts"
import {
  beginPassages,
  indexed,
  indexPassages,
  passagesOf,
  type PassageStores,
  search,
  textsOf,
  passagePorts
} from "./passageIndexFixtures.ts"
import { newUserId } from "../../storage/storageFixtures.ts"
import { paidOnce } from "./passagePaidOnce.ts"
import { type Leg, scope } from "./passageScope.ts"
import { makeEmbedderScript, scriptedEmbedder } from "../scriptedEmbedder.ts"
import { suiteOn } from "../../suiteOn.ts"

const LEGS: ReadonlyArray<Leg> = [
  { name: "meaning alone, few documents named", query: "automobile", words: "a car of the kind", beside: 0 },
  { name: "meaning alone, many documents named", query: "automobile", words: "a car of the kind", beside: 200 },
  { name: "words and meaning, few documents named", query: "automobile car", words: "a car of the kind", beside: 3 },
  { name: "words and meaning, many documents named", query: "automobile car", words: "a car of the kind", beside: 200 }
]

/**
 * Tests the guarantees of a `PassageIndex` that also searches by meaning, with its embedder. `layer` is built once, for
 * all tests.
 */
export const passageMeaningContract = (
  name: string,
  layerWith: (embedder: Embedder["Service"]) => Layer.Layer<PassageStores, unknown>
): void => {
  const script = makeEmbedderScript()
  suiteOn(`PassageIndex with embeddings: ${name}`, layerWith(scriptedEmbedder(script)), (run) => {
    scope(run, LEGS)
    paidOnce(run, script, layerWith)

    it("a passage is found by its meaning, without a word of the question, and before one about something else", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const texts = [
            "the wings were found here",
            "a car with four doors",
            "the dwelling on the hill",
            "words of no kind"
          ]
          const documentIds = [yield* indexed(userId, texts)]
          for (const [query, text] of [
            ["automobile", texts[1]],
            ["buoyancy", texts[0]],
            ["house", texts[2]]
          ] as const) {
            expect((yield* textsOf({ userId, documentIds, query }))[0]).toBe(text)
          }
        })
      ))

    it("a passage that has the words and the meaning comes before one that has either", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const texts = [
            "a vehicle with doors",
            "a car with doors",
            "the car, its house and wing",
            "other things entirely"
          ]
          const documentIds = [yield* indexed(userId, texts)]
          expect((yield* textsOf({ userId, documentIds, query: "car" })).slice(0, 1)).toEqual([texts[1]])
        })
      ))

    it("similarity counts beside words with the embedder's weight, and little by default", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const [words, near] = ["doors of every kind", "a vehicle on the road"] as const
          const documentIds = [yield* indexed(userId, [words, near, "other things", "of no kind", "nor words"])]
          const first = (weight: number | undefined) =>
            Effect.suspend(() => {
              script.weight = weight
              return textsOf({ userId, documentIds, query: "automobile doors" })
            }).pipe(
              Effect.map(([found]) => found),
              Effect.ensuring(Effect.sync(() => (script.weight = undefined)))
            )
          expect([yield* first(undefined), yield* first(0), yield* first(5)]).toEqual([words, words, near])
        })
      ))

    it("a found passage has its place, its file and a score, in whichever way it was found", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const documentIds = [yield* indexed(userId, ["about a car", "about a vehicle"], { filename: "cars.pdf" })]
          const found = yield* search({ userId, documentIds, query: "car" })
          expect(found.map(({ ordinal, start, end, filename }) => ({ ordinal, start, end, filename }))).toEqual([
            { ordinal: 0, start: 0, end: 11, filename: "cars.pdf" },
            { ordinal: 1, start: 12, end: 27, filename: "cars.pdf" }
          ])
          for (const { score } of found) expect(score).toBeGreaterThan(0)
          expect(yield* search({ userId, documentIds, query: "car", limit: 1 })).toEqual(found.slice(0, 1))
        })
      ))

    it("a found passage has its similarity to the question, the same in whichever way it was found, if both are embedded", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const texts = ["a car with doors", "a vehicle", "doors, unwanted", "a dwelling with doors"]
          const documentIds = [yield* indexed(userId, texts)]
          const found = yield* search({ userId, documentIds, query: "automobile doors" })
          const near = (text: string) => found.find((passage) => passage.text === text)?.similarity
          expect([near("a car with doors"), near("a vehicle")]).toEqual([expect.closeTo(1, 5), expect.closeTo(1, 5)])
          expect(near("a dwelling with doors")).toBeLessThan(0.9)
          expect(near("doors, unwanted")).toBeUndefined()
          script.failing = "unlucky"
          const unlucky = yield* search({ userId, documentIds, query: "doors unlucky" })
          script.failing = undefined
          expect(unlucky.map(({ similarity }) => similarity)).toEqual([undefined, undefined, undefined])
        })
      ))

    it("if a question cannot be embedded, words find", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const documentIds = [yield* indexed(userId, ["a car with doors", "a vehicle"])]
          for (const query of ["unwanted car", " car unlucky"]) {
            script.failing = "unlucky"
            expect(yield* textsOf({ userId, documentIds, query })).toEqual(["a car with doors"])
            script.failing = undefined
          }
        })
      ))

    it("a passage that the embedder refuses is found by its words, and takes no other with it", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const documentIds = [yield* indexed(userId, ["an unwanted invoice", "a car with doors"])]
          expect((yield* textsOf({ userId, documentIds, query: "automobile" }))[0]).toBe("a car with doors")
          expect((yield* textsOf({ userId, documentIds, query: "invoice" }))[0]).toBe("an unwanted invoice")
        })
      ))

    it("passages whose embedding failed are not kept, and those that were kept are asked for once", () =>
      run(
        Effect.gen(function* () {
          const index = yield* passagePorts
          const userId = newUserId()
          const documentId = yield* indexed(userId, [])
          const passages = passagesOf(...Array.from({ length: 6 }, (_, number) => `car number${number} of ${userId}`))
          const generation = yield* beginPassages({ userId, documentId }, passages, "same")
          yield* index.add(generation, passages.slice(0, 3))
          script.failing = "number4"
          expect(yield* Effect.flip(index.add(generation, passages.slice(3)))).toMatchObject({
            _tag: "EmbeddingFailed"
          })
          script.failing = undefined
          const again = yield* beginPassages({ userId, documentId }, passages, "same")
          expect(again).toEqual({ ...generation, passages: 3 })
          yield* index.add(again, passages)
          yield* index.add(again, passages)
          yield* index.activate(again)
          const asked = script.asked.filter((text) => text.endsWith(userId))
          expect(asked.toSorted()).toEqual(passages.map(({ text }) => text))
          expect(yield* search({ userId, documentIds: [documentId], query: "automobile" })).toHaveLength(6)
        })
      ))

    it("replaced passages are found by their meaning no more", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const documentId = yield* indexed(userId, ["a car with doors", "the wings of it"])
          yield* indexPassages({ userId, documentId }, passagesOf("the dwelling on the hill"))
          const found = yield* textsOf({ userId, documentIds: [documentId], query: "automobile" })
          expect(found.filter((text) => text !== "the dwelling on the hill")).toEqual([])
        })
      ))
  })
}
