import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { PassageIndex } from "../../documents/indexing/PassageIndex.ts"
import type { PassageWriter } from "../../documents/indexing/PassageWriter.ts"
import { ReindexStore } from "../../documents/indexing/reindexing/ReindexStore.ts"
import { ampleQuota, newDocument, newUserId } from "../storage/storageFixtures.ts"
import { suiteOn } from "../suiteOn.ts"
import { indexed, indexPassages, passagesOf } from "./passages/passageIndexFixtures.ts"

const MINUTE_MS = 60_000
const aScope = () => `scope-${crypto.randomUUID()}`

/** The guarantees of every `ReindexStore`, beside the stores of the same storage. */
export const reindexStoreContract = (
  name: string,
  layer: Layer.Layer<DocumentStore | PassageIndex | PassageWriter | ReindexStore, unknown>
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
          // A document indexed between two beginnings is finished for the first, and not for the second.
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
