import { Effect } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../../documents/storing/DocumentStore.ts"
import {
  beginPassages,
  indexed,
  indexPassages,
  passagesOf,
  type PassageStores,
  textsOf,
  passagePorts
} from "./passageIndexFixtures.ts"
import { newUserId } from "../../storage/storageFixtures.ts"
import type { Run } from "../../suiteOn.ts"

const GONE = { _tag: "GenerationGone" }

/**
 * Indexes a person's document with the passage "lift before"; returns the document, and an effect that searches it for
 * "lift".
 */
const newIndexed = Effect.gen(function* () {
  const userId = newUserId()
  const documentId = yield* indexed(userId, ["lift before"])
  const found = Effect.map(textsOf({ userId, documentIds: [documentId], query: "lift" }), (texts) => texts.toSorted())
  return { document: { userId, documentId }, found }
})

const [one, two, three] = passagesOf("lift one", "lift two", "lift three")
const passages = [one!, two!, three!]
const texts = passages.map(({ text }) => text).toSorted()

/** Tests the guarantees of a `PassageIndex` that builds a generation. */
export const generations = (run: Run<PassageStores>) => {
  it("a generation is searched from its activation on, whole, and not before", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const { document, found } = yield* newIndexed
        const generation = yield* beginPassages(document, passages)
        expect(generation).toMatchObject({ ...document, passages: 0 })
        yield* index.add(generation, passages.slice(0, 2))
        yield* index.add(generation, passages.slice(2))
        expect(yield* found).toEqual(["lift before"])
        yield* index.activate(generation)
        expect(yield* found).toEqual(texts)
        yield* index.activate(generation)
        yield* index.add(generation, passages)
        expect(yield* found).toEqual(texts)
      })
    ))

  it("a batch added again, or one that overlaps stored passages, is kept once; one that leaves a gap is a defect", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const { document, found } = yield* newIndexed
        const generation = yield* beginPassages(document, passages)
        const gap = yield* Effect.exit(index.add(generation, passages.slice(1)))
        expect(gap._tag === "Failure" && gap.cause.reasons.map(({ _tag }) => _tag)).toEqual(["Die"])
        yield* index.add(generation, passages.slice(0, 2))
        yield* index.add(generation, passages.slice(0, 2))
        yield* index.add(generation, passages)
        yield* index.add(generation, [])
        yield* index.activate(generation)
        expect(yield* found).toEqual(texts)
        expect((yield* index.read(document))?.passages).toEqual(passages)
      })
    ))

  it("an unfinished generation is continued under its fingerprint, and dropped for another one", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const { document, found } = yield* newIndexed
        const first = yield* beginPassages(document, passages, "a")
        yield* index.add(first, passages.slice(0, 2))
        const continued = yield* beginPassages(document, passages, "a")
        expect(continued).toEqual({ ...first, passages: 2 })
        const other = yield* beginPassages(document, passages, "b")
        expect(other.passages).toBe(0)
        expect(yield* Effect.flip(index.add(first, passages.slice(2)))).toMatchObject(GONE)
        expect(yield* Effect.flip(index.activate(first))).toMatchObject(GONE)
        expect(yield* found).toEqual(["lift before"])
        yield* index.add(other, passages)
        yield* index.activate(other)
        expect(yield* found).toEqual(texts)
        // An active generation is complete: indexing the same text again begins a new one.
        expect((yield* beginPassages(document, passages, "b")).passages).toBe(0)
      })
    ))

  it("a generation that was abandoned, or overtaken by a later one, takes nothing more and never becomes active", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const { document, found } = yield* newIndexed
        const abandoned = yield* beginPassages(document, passages)
        yield* index.add(abandoned, passages)
        yield* index.abandon(abandoned)
        yield* index.abandon(abandoned)
        const later = yield* beginPassages(document, passages)
        expect(later.generation).not.toBe(abandoned.generation)
        yield* index.add(later, passages.slice(0, 1))
        for (const late of [index.add(abandoned, passages.slice(1)), index.activate(abandoned)]) {
          expect(yield* Effect.flip(late)).toMatchObject(GONE)
        }
        expect(yield* found).toEqual(["lift before"])
        yield* indexPassages(document, passagesOf("lift last"))
        expect(yield* Effect.flip(index.activate(later))).toMatchObject(GONE)
        expect(yield* found).toEqual(["lift last"])
      })
    ))

  it("abandoning an active generation leaves it", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const { document, found } = yield* newIndexed
        const generation = yield* beginPassages(document, passages)
        yield* index.add(generation, passages)
        yield* index.activate(generation)
        yield* index.abandon(generation)
        expect(yield* found).toEqual(texts)
      })
    ))

  it("of a document deleted midway nothing can be added or activated, and nothing comes back", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const { document, found } = yield* newIndexed
        const generation = yield* beginPassages(document, passages)
        yield* index.add(generation, passages.slice(0, 2))
        yield* (yield* DocumentStore).remove(document.userId, document.documentId)
        for (const late of [index.add(generation, passages.slice(2)), index.activate(generation)]) {
          expect(yield* Effect.flip(late)).toMatchObject(GONE)
        }
        yield* index.abandon(generation)
        expect(yield* found).toEqual([])
        expect(yield* index.read(document)).toBeUndefined()
      })
    ))

  it("another person reaches no generation by any number", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const { document, found } = yield* newIndexed
        const generation = yield* beginPassages(document, passages)
        yield* index.add(generation, passages)
        const stolen = { ...generation, userId: newUserId() }
        expect(yield* Effect.flip(index.add(stolen, passages))).toMatchObject(GONE)
        expect(yield* Effect.flip(index.activate(stolen))).toMatchObject(GONE)
        yield* index.abandon(stolen)
        expect(yield* index.read({ ...document, userId: stolen.userId })).toBeUndefined()
        yield* index.activate(generation)
        expect(yield* found).toEqual(texts)
      })
    ))

  it("the same batches added by two at the same moment are kept once", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const { document } = yield* newIndexed
        const long = passagesOf(...Array.from({ length: 200 }, (_, number) => `lift and number${number}`))
        const generation = yield* beginPassages(document, long)
        const writer = Effect.forEach([0, 50, 100, 150], (from) => index.add(generation, long.slice(from, from + 50)))
        yield* Effect.all([writer, writer, writer], { concurrency: "unbounded" })
        yield* index.activate(generation)
        expect((yield* index.read(document))?.passages).toEqual(long)
        const { userId, documentId } = document
        const all = yield* textsOf({ userId, documentIds: [documentId], query: "lift", limit: 1000 })
        expect(all).toHaveLength(200)
      })
    ))
}
