import { Effect } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../documents/DocumentStore.ts"
import { indexed, type PassageStores, search, textsOf } from "./passageIndexFixtures.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import type { Run } from "../suiteOn.ts"

/** Whose passages a `PassageIndex` searches. */
export const scope = (run: Run<PassageStores>) => {
  it("no documents named finds nothing", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        yield* indexed(userId, ["lift and drag"])
        expect(yield* search({ userId, documentIds: [], query: "lift" })).toEqual([])
      })
    ))

  it("only the documents named are searched, each once however often and in whatever case it is named", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const named = yield* indexed(userId, ["lift here"])
        yield* indexed(userId, ["lift there"])
        const documentIds = [named, named.toUpperCase(), named]
        expect(yield* textsOf({ userId, documentIds, query: "lift" })).toEqual(["lift here"])
      })
    ))

  it("a document of somebody else finds nothing, alone or beside one's own, in either direction", () =>
    run(
      Effect.gen(function* () {
        const [ann, bob] = [newUserId(), newUserId()]
        const anns = yield* indexed(ann, ["lift of ann"])
        const bobs = yield* indexed(bob, ["lift of bob"])
        expect(yield* textsOf({ userId: ann, documentIds: [bobs], query: "lift" })).toEqual([])
        expect(yield* textsOf({ userId: ann, documentIds: [bobs, anns], query: "lift" })).toEqual(["lift of ann"])
        expect(yield* textsOf({ userId: bob, documentIds: [bobs, anns], query: "lift" })).toEqual(["lift of bob"])
        expect(yield* textsOf({ userId: newUserId(), documentIds: [bobs, anns], query: "lift" })).toEqual([])
      })
    ))

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

  it("a deleted document is found no more", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const [gone, kept] = [yield* indexed(userId, ["lift gone"]), yield* indexed(userId, ["lift kept"])]
        expect(yield* (yield* DocumentStore).remove(userId, gone)).toBe(true)
        expect(yield* textsOf({ userId, documentIds: [gone, kept], query: "lift" })).toEqual(["lift kept"])
      })
    ))
}
