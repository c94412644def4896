import { Effect, Fiber } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../documents/DocumentStore.ts"
import { PassageIndex } from "../../documents/PassageIndex.ts"
import { indexed, passagesOf, type PassageStores, search, textsOf } from "./passageIndexFixtures.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import type { Run } from "../suiteOn.ts"

/** How a `PassageIndex` puts new passages in place of old ones. */
export const replacing = (run: Run<PassageStores>) => {
  it("replacing puts the new passages in place of all the old ones", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const index = yield* PassageIndex
        const documentId = yield* indexed(userId, ["old lift", "old drag", "old thrust"])
        yield* index.replace({ userId, documentId, passages: passagesOf("new lift") })
        const found = (query: string) => textsOf({ userId, documentIds: [documentId], query })
        expect(yield* found("old")).toEqual([])
        expect(yield* found("lift drag thrust")).toEqual(["new lift"])
        yield* index.replace({ userId, documentId, passages: [] })
        expect(yield* found("lift")).toEqual([])
      })
    ))

  it("replacements of one document at the same moment leave exactly one of them", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const index = yield* PassageIndex
        const documentId = yield* indexed(userId, ["lift before"])
        const versions = Array.from({ length: 8 }, (_, version) =>
          passagesOf(`lift ${version}`, `more lift ${version}`)
        )
        yield* Effect.all(
          versions.map((passages) => index.replace({ userId, documentId, passages })),
          { concurrency: "unbounded" }
        )
        const found = yield* search({ userId, documentIds: [documentId], query: "lift" })
        const inOrder = found.toSorted((one, other) => one.ordinal - other.ordinal).map(({ text }) => text)
        expect(versions.map((passages) => passages.map(({ text }) => text))).toContainEqual(inOrder)
      })
    ))

  it("a search beside a replacement, or after one that was broken off, sees the old passages or the new, never both", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const index = yield* PassageIndex
        const version = (name: string) => Array.from({ length: 300 }, (_, number) => `lift ${name} passage${number}`)
        const documentId = yield* indexed(userId, version("old"))
        const look = Effect.map(textsOf({ userId, documentIds: [documentId], query: "lift", limit: 1000 }), (texts) => {
          const names = new Set(texts.map((text) => text.split(" ")[1]))
          return `${texts.length} ${[...names].join(" and ")}`
        })
        for (const name of ["new", "newer", "newest"]) {
          const before = yield* look
          const replace = index.replace({ userId, documentId, passages: passagesOf(...version(name)) })
          const replacing = yield* Effect.forkChild(replace)
          for (let looks = 0; looks < 5; looks++) expect([before, `300 ${name}`]).toContain(yield* look)
          yield* Fiber.interrupt(replacing)
          expect([before, `300 ${name}`]).toContain(yield* look)
          yield* replace
          expect(yield* look).toBe(`300 ${name}`)
        }
      })
    ))

  it("passages of a document that is gone, of somebody else's, or of none are not kept", () =>
    run(
      Effect.gen(function* () {
        const [ann, bob] = [newUserId(), newUserId()]
        const index = yield* PassageIndex
        const [gone, anns] = [yield* indexed(ann, ["lift"]), yield* indexed(ann, ["lift of ann"])]
        yield* (yield* DocumentStore).remove(ann, gone)
        yield* index.replace({ userId: ann, documentId: gone, passages: passagesOf("lift again") })
        yield* index.replace({ userId: bob, documentId: anns, passages: passagesOf("lift of bob") })
        yield* index.replace({ userId: bob, documentId: crypto.randomUUID(), passages: passagesOf("lift of none") })
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
