import { Effect } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../../documents/storing/DocumentStore.ts"
import { PassageIndex } from "../../../documents/indexing/PassageIndex.ts"
import { ampleQuota, newDocument, newUserId } from "../../storage/storageFixtures.ts"
import type { Run } from "../../suiteOn.ts"
import { beginPassages, indexed, passagesOf, type PassageStores } from "./passageIndexFixtures.ts"

const numbered = (count: number, name: string) => Array.from({ length: count }, (_, place) => `${name} ${place}`)

const spread = (userId: string, documentIds: ReadonlyArray<string>, each: number) =>
  Effect.flatMap(PassageIndex, (index) => index.spread({ userId, documentIds, each }))

const textsOf = (...asked: Parameters<typeof spread>) =>
  Effect.map(spread(...asked), (found) => found.map(({ text }) => text))

/** Tests the passages that represent whole documents. */
export const spreading = (run: Run<PassageStores>) => {
  it("passages spread over documents come in the order of the ids and of the text, from the first one on", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const long = yield* indexed(userId, numbered(10, "long"), { filename: "long.txt" })
        const short = yield* indexed(userId, numbered(2, "short"))
        expect(yield* textsOf(userId, [short, long], 3)).toEqual(["short 0", "short 1", "long 0", "long 3", "long 6"])
        expect(yield* textsOf(userId, [long, short], 10)).toEqual([...numbered(10, "long"), ...numbered(2, "short")])
        const [first] = yield* spread(userId, [long], 1)
        const [passage] = passagesOf("long 0")
        expect(first).toEqual({ ...passage, documentId: long, filename: "long.txt", score: 0 })
      })
    ))

  it("nothing is spread of foreign, unknown, unfinished and empty documents", () =>
    run(
      Effect.gen(function* () {
        const [ann, bob] = [newUserId(), newUserId()]
        const [anns, bobs] = [yield* indexed(ann, ["ann"]), yield* indexed(bob, ["bob"])]
        const unfinished = newDocument(ann)
        yield* (yield* DocumentStore).insert(unfinished, ampleQuota)
        yield* beginPassages({ userId: ann, documentId: unfinished.id }, passagesOf("unfinished"))
        const empty = yield* indexed(ann, [])
        const named = [bobs, crypto.randomUUID(), "no id", unfinished.id, empty, anns]
        expect(yield* textsOf(ann, named, 5)).toEqual(["ann"])
        expect(yield* textsOf(ann, [], 5)).toEqual([])
        expect(yield* textsOf(bob, [anns], 5)).toEqual([])
      })
    ))
}
