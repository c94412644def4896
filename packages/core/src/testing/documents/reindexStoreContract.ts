import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { PassageIndex } from "../../documents/indexing/PassageIndex.ts"
import type { PassageWriter } from "../../documents/indexing/PassageWriter.ts"
import { ReindexRecords } from "../../documents/indexing/reindexing/ReindexRecords.ts"
import { ReindexStore } from "../../documents/indexing/reindexing/ReindexStore.ts"
import { ampleQuota, newDocument, newUserId } from "../storage/storageFixtures.ts"
import { suiteOn } from "../suiteOn.ts"
import { indexed, indexPassages, passagesOf } from "./passages/passageIndexFixtures.ts"

const MINUTE_MS = 60_000
const aScope = () => `scope-${crypto.randomUUID()}`

/**
 * Tests the guarantees of a `ReindexStore` and its `ReindexRecords`, together with the stores of the same storage.
 * `layer` is built once, for all tests.
 */
export const reindexStoreContract = (
  name: string,
  layer: Layer.Layer<DocumentStore | PassageIndex | PassageWriter | ReindexStore | ReindexRecords, unknown>
): void =>
  suiteOn(`ReindexStore: ${name}`, layer, (run) => {
    it("an unfinished run is continued, each scope by itself, until it ends or starts from the beginning", () =>
      run(
        Effect.gen(function* () {
          const store = yield* ReindexStore
          const [scope, other] = [aScope(), aScope()]
          expect(yield* store.find(scope)).toBeUndefined()
          const first = yield* store.begin({ scope, restart: false })
          expect(first.continued).toBe(false)
          expect(yield* store.find(scope)).toEqual({ ...first, continued: true })
          expect(yield* store.begin({ scope, restart: false })).toEqual({ ...first, continued: true })
          expect((yield* store.begin({ scope: other, restart: false })).continued).toBe(false)
          // A document that was indexed between two starts is done for the first run, and not for the second.
          const userId = newUserId()
          const documentId = yield* indexed(userId, ["lift"])
          const anew = yield* store.begin({ scope, restart: true })
          expect(anew.continued).toBe(false)
          const [before] = yield* (yield* PassageIndex).indexings([{ userId, documentId }])
          expect(before?.activatedAt).toBeGreaterThan(first.begunAt)
          expect(before?.activatedAt).toBeLessThanOrEqual(anew.begunAt)
          yield* indexPassages({ userId, documentId }, passagesOf("drag"))
          const [after] = yield* (yield* PassageIndex).indexings([{ userId, documentId }])
          expect(after?.activatedAt).toBeGreaterThan(anew.begunAt)
          yield* store.end(scope)
          expect(yield* store.find(scope)).toBeUndefined()
          expect((yield* store.begin({ scope, restart: false })).continued).toBe(false)
        })
      ))

    it("a document is one holder's at a time, of those who ask at the same moment as well, until it is given back or runs out", () =>
      run(
        Effect.gen(function* () {
          const store = yield* ReindexStore
          const userId = newUserId()
          const document = { userId, documentId: yield* indexed(userId, ["lift"]) }
          const holders = Array.from({ length: 5 }, () => crypto.randomUUID())
          const claim = (holder: string, forMs = MINUTE_MS) => store.claim({ ...document, holder, forMs })
          const won = yield* Effect.forEach(holders, (holder) => claim(holder), { concurrency: "unbounded" })
          expect(won.filter(Boolean)).toHaveLength(1)
          const winner = holders[won.indexOf(true)]!
          const loser = holders[won.indexOf(false)]!
          expect(yield* claim(winner)).toBe(true)
          yield* store.release({ ...document, holder: loser })
          expect(yield* claim(loser)).toBe(false)
          yield* store.release({ ...document, holder: winner })
          expect(yield* claim(loser, 0)).toBe(true)
          expect(yield* claim(winner)).toBe(true)
          expect(yield* claim(loser)).toBe(false)
        })
      ))

    it("a failure stands with its ready document until a person's are forgotten or the document is claimed again", () =>
      run(
        Effect.gen(function* () {
          const store = yield* ReindexStore
          const records = yield* ReindexRecords
          const [userId, other] = [newUserId(), newUserId()]
          const changes = { status: "ready", passages: 1, filename: "a.txt" } as const
          const own = [yield* indexed(userId, ["lift"], changes), yield* indexed(userId, ["drag"], changes)]
          const foreign = yield* indexed(other, ["wings"], changes)
          const holder = crypto.randomUUID()
          const claim = (owner: typeof userId, documentId: string) =>
            store.claim({ userId: owner, documentId, holder, forMs: MINUTE_MS })
          const fail = (owner: typeof userId, documentId: string, by = holder) =>
            Effect.andThen(
              claim(owner, documentId),
              store.release({ userId: owner, documentId, holder: by, failure: "scan" })
            )
          const failed = (owner: typeof userId | undefined, limit = 10_000) =>
            Effect.map(records.failures({ userId: owner, limit }), (found) => found.map(({ documentId }) => documentId))
          yield* fail(userId, own[0]!, crypto.randomUUID())
          expect(yield* failed(userId)).toEqual([])
          for (const documentId of own) yield* fail(userId, documentId)
          yield* fail(other, foreign)
          yield* store.sweep
          expect(yield* failed(userId)).toEqual(own.toSorted())
          expect(yield* failed(userId, 1)).toEqual(own.toSorted().slice(0, 1))
          expect(yield* failed(undefined)).toEqual(expect.arrayContaining([...own, foreign]))
          expect(yield* records.failures({ userId: other, limit: 1 })).toEqual([
            { userId: other, documentId: foreign, filename: "a.txt", failure: "scan" }
          ])
          // A failure does not prevent the next try, which replaces it.
          expect(yield* claim(userId, own[0]!)).toBe(true)
          expect(yield* failed(userId)).toEqual([own[1]!])
          yield* records.forget(userId)
          expect([yield* failed(userId), yield* failed(other)]).toEqual([[], [foreign]])
          expect(yield* claim(userId, own[0]!)).toBe(true)
        })
      ))

    it("counts ready documents by how they were indexed, those of one person or of all", () =>
      run(
        Effect.gen(function* () {
          const [store, records] = [yield* ReindexStore, yield* ReindexRecords]
          const userId = newUserId()
          const two = { status: "ready", passages: 2, type: "md", filename: "a.md" } as const
          const [failing] = [yield* indexed(userId, ["lift", "x"], two), yield* indexed(userId, ["drag", "y"], two)]
          yield* indexed(userId, ["wings"], { ...two, type: "txt", passages: 1 })
          const unready = newDocument(userId, { status: "processing" })
          yield* (yield* DocumentStore).insert(unready, ampleQuota)
          const holder = crypto.randomUUID()
          yield* store.claim({ userId, documentId: failing!, holder, forMs: MINUTE_MS })
          yield* store.release({ userId, documentId: failing!, holder, failure: "damaged" })
          const [indexing] = yield* (yield* PassageIndex).indexings([{ userId, documentId: failing! }])
          const { embedder, parser, version } = indexing!
          const of = (type: string, failed: boolean, documents: number, passages: number) => ({
            ...{ type, parser, version, embedder, failed, documents, passages }
          })
          const own = yield* records.standing(userId)
          expect(own).toHaveLength(3)
          expect(own).toEqual(
            expect.arrayContaining([of("md", true, 1, 2), of("md", false, 1, 2), of("txt", false, 1, 1)])
          )
          expect(yield* records.standing(newUserId())).toEqual([])
          const all = yield* records.standing(undefined)
          expect(all.reduce((sum, { documents }) => sum + documents, 0)).toBeGreaterThanOrEqual(3)
        })
      ))

    it("forgets expired claims, and neither live ones nor a run that can be continued", () =>
      run(
        Effect.gen(function* () {
          const store = yield* ReindexStore
          const userId = newUserId()
          const [expired, held] = [yield* indexed(userId, ["lift"]), yield* indexed(userId, ["drag"])]
          const claim = (documentId: string, holder: string, forMs: number) =>
            store.claim({ userId, documentId, holder, forMs })
          const scope = aScope()
          const begun = yield* store.begin({ scope, restart: false })
          expect(yield* claim(expired, crypto.randomUUID(), 0)).toBe(true)
          expect(yield* claim(held, crypto.randomUUID(), MINUTE_MS)).toBe(true)
          expect(yield* store.sweep).toBeGreaterThanOrEqual(1)
          expect(yield* claim(held, crypto.randomUUID(), MINUTE_MS)).toBe(false)
          expect(yield* claim(expired, crypto.randomUUID(), MINUTE_MS)).toBe(true)
          expect(yield* store.find(scope)).toEqual({ ...begun, continued: true })
          yield* store.end(scope)
        })
      ))

    it("no process claims a document that is not ready, missing, or another person's", () =>
      run(
        Effect.gen(function* () {
          const store = yield* ReindexStore
          const documents = yield* DocumentStore
          const userId = newUserId()
          const processing = newDocument(userId, { status: "processing" })
          yield* documents.insert(processing, ampleQuota)
          const ready = yield* indexed(userId, ["lift"])
          const claim = (owner: string, documentId: string) =>
            store.claim({ userId: owner, documentId, holder: crypto.randomUUID(), forMs: MINUTE_MS })
          expect(yield* claim(userId, processing.id)).toBe(false)
          expect(yield* claim(newUserId(), ready)).toBe(false)
          expect(yield* claim(userId, "nothing")).toBe(false)
          expect(yield* claim(userId, ready)).toBe(true)
          yield* documents.remove(userId, ready)
          expect(yield* claim(userId, ready)).toBe(false)
        })
      ))
  })
