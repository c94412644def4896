import { Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../../documents/storing/DocumentStore.ts"
import { PassageIndex } from "../../../documents/indexing/PassageIndex.ts"
import { verifyPassages } from "../../../documents/indexing/verifyPassages.ts"
import { indexed, indexPassages, passagesOf, type PassageStores, search, textsOf } from "./passageIndexFixtures.ts"
import { newUserId } from "../../storage/storageFixtures.ts"
import type { Run } from "../../suiteOn.ts"

/** Tests that a `PassageIndex` replaces old passages by new ones. */
export const replacing = (run: Run<PassageStores>) => {
  it("replacing puts the new passages in place of all the old ones", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentId = yield* indexed(userId, ["old lift", "old drag", "old thrust"])
        yield* indexPassages({ userId, documentId }, passagesOf("new lift"))
        const found = (query: string) => textsOf({ userId, documentIds: [documentId], query })
        expect(yield* found("old")).toEqual([])
        expect(yield* found("lift drag thrust")).toEqual(["new lift"])
        yield* indexPassages({ userId, documentId }, [])
        expect(yield* found("lift")).toEqual([])
      })
    ))

  it("replacements of one document at the same moment leave exactly one of them", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentId = yield* indexed(userId, ["lift before"])
        const versions = Array.from({ length: 8 }, (_, version) =>
          passagesOf(`lift ${version}`, `more lift ${version}`)
        )
        const ends = yield* Effect.all(
          versions.map((passages) => Effect.exit(indexPassages({ userId, documentId }, passages))),
          { concurrency: "unbounded" }
        )
        expect(ends.some((end) => end._tag === "Success")).toBe(true)
        const found = yield* search({ userId, documentIds: [documentId], query: "lift" })
        const inOrder = found.toSorted((one, other) => one.ordinal - other.ordinal).map(({ text }) => text)
        const texts = versions.map((passages) => passages.map(({ text }) => text))
        expect(texts).toContainEqual(inOrder)
        const stored = yield* (yield* PassageIndex).read({ userId, documentId })
        expect(stored?.passages.map(({ text }) => text)).toEqual(inOrder)
        expect(stored && verifyPassages(stored)).toEqual([])
      })
    ))

  it("a search beside a replacement, or after one that was broken off, sees the old passages or the new, never both", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const version = (name: string) => Array.from({ length: 300 }, (_, number) => `lift ${name} passage${number}`)
        const documentId = yield* indexed(userId, version("old"))
        const look = Effect.map(textsOf({ userId, documentIds: [documentId], query: "lift", limit: 1000 }), (texts) => {
          const names = new Set(texts.map((text) => text.split(" ")[1]))
          return `${texts.length} ${[...names].join(" and ")}`
        })
        for (const name of ["new", "newer", "newest"]) {
          const before = yield* look
          const replace = indexPassages({ userId, documentId }, passagesOf(...version(name)))
          const replacing = yield* Effect.forkChild(replace)
          for (let looks = 0; looks < 5; looks++) expect([before, `300 ${name}`]).toContain(yield* look)
          yield* Fiber.interrupt(replacing)
          expect([before, `300 ${name}`]).toContain(yield* look)
          yield* replace
          expect(yield* look).toBe(`300 ${name}`)
        }
      })
    ))

  it("passages of a document that is gone, of another person, or that never was are refused", () =>
    run(
      Effect.gen(function* () {
        const [ann, bob] = [newUserId(), newUserId()]
        const [gone, anns] = [yield* indexed(ann, ["lift"]), yield* indexed(ann, ["lift of ann"])]
        yield* (yield* DocumentStore).remove(ann, gone)
        for (const [userId, documentId] of [
          [ann, gone],
          [bob, anns],
          [bob, crypto.randomUUID()],
          [bob, "nonsense'"]
        ] as const) {
          const refused = yield* Effect.flip(indexPassages({ userId, documentId }, passagesOf("lift again")))
          expect(refused).toMatchObject({ _tag: "GenerationGone", documentId })
        }
        expect(yield* textsOf({ userId: ann, documentIds: [gone, anns], query: "lift" })).toEqual(["lift of ann"])
        expect(yield* textsOf({ userId: bob, documentIds: [gone, anns], query: "lift" })).toEqual([])
      })
    ))

  it("a document of a thousand passages is indexed and found whole", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const texts = Array.from({ length: 1000 }, (_, index) => `lift and number${index}`)
        const documentIds = [yield* indexed(userId, texts)]
        expect(yield* textsOf({ userId, documentIds, query: "number0" })).toEqual([texts[0]])
        expect(yield* textsOf({ userId, documentIds, query: "number999" })).toEqual([texts[999]])
        expect(yield* search({ userId, documentIds, query: "lift", limit: 2000 })).toHaveLength(1000)
      })
    ))
}
