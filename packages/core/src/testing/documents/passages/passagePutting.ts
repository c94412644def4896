import { Effect } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../../documents/storing/DocumentStore.ts"
import { verifyPassages } from "../../../documents/indexing/verifyPassages.ts"
import { newUserId } from "../../storage/storageFixtures.ts"
import type { Run } from "../../suiteOn.ts"
import {
  beginPassages,
  indexed,
  passagesOf,
  type PassageStores,
  search,
  textWith,
  passagePorts
} from "./passageIndexFixtures.ts"

const GONE = { _tag: "GenerationGone" }

const documentWith = (
  key: { readonly userId: string; readonly documentId: string },
  ...texts: ReadonlyArray<string>
) => {
  const passages = passagesOf(...texts)
  const parsed = { text: textWith(passages), pageStarts: null, headings: [{ level: 1, title: "Lift", start: 0 }] }
  return { ...key, parsed, fingerprint: crypto.randomUUID(), parser: "7", passages }
}

/** Tests the guarantees of a `PassageIndex` that indexes a short document at once. */
export const putting = (run: Run<PassageStores>) => {
  it("a document put at once equals one that is begun, filled and activated, and replaces the earlier one", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const userId = newUserId()
        const [one, other] = [yield* indexed(userId, ["lift of old"]), yield* indexed(userId, ["drag of old"])]
        const unfinished = yield* beginPassages({ userId, documentId: one }, passagesOf("lift unfinished"))
        yield* index.add(unfinished, passagesOf("lift unfinished"))
        const texts = ["lift of wings", "drag and Auftrieb", "lift of wings"]
        const put = documentWith({ userId, documentId: one }, ...texts)
        expect(yield* index.put(put)).toEqual({ asked: 0, reused: 0 })
        const stepwise = documentWith({ userId, documentId: other }, ...texts)
        const generation = yield* index.begin(stepwise)
        yield* index.add(generation, stepwise.passages)
        yield* index.activate(generation)
        const [read, readStepwise] = [yield* index.read({ userId, documentId: one }), yield* index.read(generation)]
        expect(read).toEqual(readStepwise)
        expect(read && verifyPassages(read)).toEqual([])
        for (const query of ["lift", "drag wings", "old unfinished"]) {
          const found = (documentId: string) =>
            Effect.map(search({ userId, documentIds: [documentId], query }), (all) =>
              all.map(({ ordinal, score, text }) => ({ ordinal, score, text }))
            )
          expect(yield* found(one)).toEqual(yield* found(other))
        }
        const indexings = yield* index.indexings([put, stepwise])
        expect(indexings.map(({ parser, passages, version }) => ({ parser, passages, version }))).toEqual(
          Array.from(indexings, () => ({ parser: "7", passages: 3, version: indexings[0]?.version }))
        )
        expect(yield* Effect.flip(index.activate(unfinished))).toMatchObject(GONE)
        expect(yield* Effect.flip(index.add(unfinished, passagesOf("lift unfinished", "late")))).toMatchObject(GONE)
      })
    ))

  it("the companion work is committed with it, or neither is", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const documents = yield* DocumentStore
        const userId = newUserId()
        const documentId = yield* indexed(userId, ["lift before"])
        const found = Effect.map(search({ userId, documentIds: [documentId], query: "lift" }), (all) =>
          all.map(({ text }) => text)
        )
        const update = documents.update(userId, documentId, ["ready"], { status: "ready", progress: 1, passages: 41 })
        const passages = Effect.map(documents.find(userId, [documentId]), ([document]) => document?.passages)
        const document = documentWith({ userId, documentId }, "lift after")
        expect(yield* Effect.flip(index.put(document, Effect.andThen(update, Effect.fail("refused"))))).toBe("refused")
        expect([yield* found, yield* passages]).toEqual([["lift before"], undefined])
        yield* index.put(document, update)
        expect([yield* found, yield* passages]).toEqual([["lift after"], 41])
      })
    ))

  it("no document is put that is deleted, another person's, or never existed, and no companion work is done", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const [ann, bob] = [newUserId(), newUserId()]
        const [gone, anns] = [yield* indexed(ann, ["lift"]), yield* indexed(ann, ["lift of ann"])]
        yield* (yield* DocumentStore).remove(ann, gone)
        for (const [userId, documentId] of [
          [ann, gone],
          [bob, anns],
          [bob, crypto.randomUUID()],
          [bob, "nonsense'"]
        ] as const) {
          let done = false
          const put = index.put(
            documentWith({ userId, documentId }, "lift again"),
            Effect.sync(() => (done = true))
          )
          expect(yield* Effect.flip(put)).toMatchObject({ ...GONE, documentId })
          expect(done).toBe(false)
        }
        expect(
          (yield* search({ userId: ann, documentIds: [gone, anns], query: "lift" })).map(({ text }) => text)
        ).toEqual(["lift of ann"])
      })
    ))

  it("documents put at the same moment are all counted, and of one document put by many one is left, whole", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const userId = newUserId()
        const ids = yield* Effect.forEach([0, 1, 2, 3], () => indexed(userId, ["lift before"]))
        const same = ids[0]!
        yield* Effect.all(
          [...ids.slice(1), same, same, same].map((documentId, at) =>
            index.put(documentWith({ userId, documentId }, `lift number${at}`, `more lift number${at}`))
          ),
          { concurrency: "unbounded" }
        )
        const left = (yield* index.read({ userId, documentId: same }))?.passages.map(({ text }) => text)
        expect([3, 4, 5].map((at) => [`lift number${at}`, `more lift number${at}`])).toContainEqual(left)
        const fresh = newUserId()
        const freshIds = yield* Effect.forEach([1, 2, 3], (at) =>
          indexed(fresh, [`lift number${at - 1}`, `more lift number${at - 1}`])
        )
        freshIds.unshift(yield* indexed(fresh, left ?? []))
        const scores = (owner: string, documentIds: ReadonlyArray<string>) =>
          Effect.map(search({ userId: owner, documentIds, query: "lift", limit: 20 }), (all) =>
            all.map(({ score }) => score)
          )
        expect(yield* scores(userId, ids)).toEqual(yield* scores(fresh, freshIds))
      })
    ))
}
