import { Effect } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../../documents/storing/DocumentStore.ts"
import {
  beginPassages,
  indexed,
  passagesOf,
  type PassageStores,
  search,
  textsOf,
  passagePorts
} from "./passageIndexFixtures.ts"
import { newUserId } from "../../storage/storageFixtures.ts"
import type { Run } from "../../suiteOn.ts"

/** Ids of documents that do not exist, so that a search uses its plan for many documents. */
const strangers = (count: number) => Array.from({ length: count }, () => crypto.randomUUID())

/**
 * One of the ways in which a search may find a passage: the question, the number of additional document ids, and the
 * words that a passage needs so that it is found in this way.
 */
export interface Leg {
  readonly name: string
  readonly query: string
  /** The words of a passage that is found in this way. */
  readonly words: string
  /** The number of additional ids, which belong to no document. */
  readonly beside: number
}

const LEGS: ReadonlyArray<Leg> = [
  { name: "words, few documents named", query: "lift", words: "lift", beside: 0 },
  { name: "words, many documents named", query: "lift", words: "lift", beside: 200 },
  { name: "headings and feedback, few documents named", query: "lift of wings", words: "lift wings slats", beside: 3 },
  {
    name: "headings and feedback, many documents named",
    query: "lift of wings",
    words: "lift wings slats",
    beside: 200
  },
  {
    name: "another language, few documents named",
    query: "Wohnungen",
    words: "die wohnung und das dach und der garten",
    beside: 0
  },
  {
    name: "another language, many documents named",
    query: "Wohnungen",
    words: "die wohnung und das dach und der garten",
    beside: 200
  }
]

/** Tests that a `PassageIndex` searches only passages of the right owners, in every way of finding a passage. */
export const scope = (run: Run<PassageStores>, legs: ReadonlyArray<Leg> = LEGS) => {
  for (const { beside, name, query, words } of legs) {
    /** Makes a document of two passages, which contain `mark`. */
    const indexedAs = (userId: string, mark: string) => indexed(userId, [`${words} ${mark}`, `${words} again ${mark}`])
    const found = (userId: string, documentIds: ReadonlyArray<string>) =>
      Effect.map(
        textsOf({ userId, documentIds: [...strangers(beside), ...documentIds], query, limit: 1000 }),
        (texts) => [...new Set(texts.map((text) => text.slice(text.lastIndexOf(" ") + 1)))]
      )

    it(`a foreign document is never found, alone or beside one's own, and changes no score: ${name}`, () =>
      run(
        Effect.gen(function* () {
          const [ann, bob] = [newUserId(), newUserId()]
          const [anns, bobs] = [yield* indexedAs(ann, "ann"), yield* indexedAs(bob, "bob")]
          expect(yield* found(ann, [anns])).toEqual(["ann"])
          expect(yield* found(ann, [bobs])).toEqual([])
          expect(yield* found(ann, [bobs, anns])).toEqual(["ann"])
          expect(yield* found(bob, [bobs, anns])).toEqual(["bob"])
          expect(yield* found(newUserId(), [bobs, anns])).toEqual([])
          const alone = yield* search({ userId: ann, documentIds: [anns], query })
          for (let more = 0; more < 3; more++) yield* indexedAs(bob, "bob")
          const named = [...strangers(beside), bobs, anns]
          expect(yield* search({ userId: ann, documentIds: named, query })).toEqual(alone)
        })
      ))

    it(`a document that is not named is not found, and an empty list finds nothing: ${name}`, () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const named = yield* indexedAs(userId, "named")
          const other = yield* indexedAs(userId, "other")
          expect(yield* found(userId, [named])).toEqual(["named"])
          expect(yield* found(userId, [other, other.toUpperCase(), other])).toEqual(["other"])
          expect(yield* found(userId, [])).toEqual([])
          expect(yield* search({ userId, documentIds: [], query })).toEqual([])
        })
      ))

    it(`a deleted document is not found, nor one whose passages are not ready: ${name}`, () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const index = yield* passagePorts
          const [gone, kept, unready] = [
            yield* indexedAs(userId, "gone"),
            yield* indexedAs(userId, "kept"),
            yield* indexed(userId, [])
          ]
          const waiting = yield* beginPassages({ userId, documentId: unready }, passagesOf(`${words} unready`))
          yield* index.add(waiting, passagesOf(`${words} unready`))
          expect((yield* found(userId, [gone, kept, unready])).toSorted()).toEqual(["gone", "kept"])
          yield* (yield* DocumentStore).remove(userId, gone)
          expect(yield* found(userId, [gone, kept, unready])).toEqual(["kept"])
          yield* index.activate(waiting)
          expect((yield* found(userId, [gone, kept, unready])).toSorted()).toEqual(["kept", "unready"])
        })
      ))
  }

  it("ids that name no document, or are none, are passed over", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const own = yield* indexed(userId, ["lift"])
        const strange = [crypto.randomUUID(), "", "*", "not-a-uuid", "' OR 1=1 --", "\0", `${own}x`]
        expect(yield* textsOf({ userId, documentIds: strange, query: "lift" })).toEqual([])
        expect(yield* textsOf({ userId, documentIds: [...strange, own], query: "lift" })).toEqual(["lift"])
      })
    ))

  it("few documents named and many are searched alike", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentIds = yield* Effect.forEach([0, 1, 2], (number) =>
          indexed(userId, ["lift of wings", `drag of wing${number} and bodies`, "slats and lift"])
        )
        const few = yield* search({ userId, documentIds, query: "lift of wings" })
        expect(few.length).toBeGreaterThan(0)
        const many = yield* search({ userId, documentIds: [...documentIds, ...strangers(200)], query: "lift of wings" })
        // Another query plan of the database may add the parts of a score in another order.
        const rounded = few.map((passage) => ({ ...passage, score: expect.closeTo(passage.score, 12) }))
        expect(many).toEqual(rounded)
      })
    ))
}
