import { Clock, Context, Effect, Layer } from "effect"
import { InMemoryStorage } from "../../../storage/InMemoryStorage.ts"
import { DocumentStore } from "../../storing/DocumentStore.ts"
import type { UserId } from "../../../identity/UserId.ts"
import type { DocumentKey } from "../../Document.ts"
import { keyInMemory } from "../../storing/InMemoryDocumentStore.ts"
import type { DocumentFailure } from "../../reading/DocumentParser.ts"
import { PassageIndex } from "../PassageIndex.ts"
import { type IndexedAlike, ReindexRecords } from "./ReindexRecords.ts"
import { ReindexStore } from "./ReindexStore.ts"

interface HeldClaim {
  readonly holder: string
  /** Unix milliseconds. */
  readonly expiresAt: number
  /** If set, the claim was released with this failure. */
  readonly failure?: DocumentFailure
}

interface HeldRun {
  readonly begunAt: number
  /** Unix milliseconds. */
  readonly since: number
}

const KEPT_MS = 7 * 24 * 60 * 60 * 1000

const makeTables = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const documents = yield* DocumentStore
  const passages = yield* PassageIndex
  const runs = yield* storage.table<string, HeldRun>()
  const claims = yield* storage.table<string, HeldClaim>()
  yield* storage.onDocumentRemoved((document) => void claims.delete(keyInMemory(document)))
  return { storage, documents, passages, runs, claims }
})
type Tables = Effect.Success<typeof makeTables>

const storeOf = ({ claims, documents, runs, storage }: Tables) => {
  const open = (scope: string, now: number): HeldRun | undefined => {
    const run = runs.get(scope)
    return run !== undefined && run.since + KEPT_MS > now ? run : undefined
  }

  return ReindexStore.of({
    begin: ({ restart, scope }) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const found = restart ? undefined : open(scope, now)
          const run = found ?? { begunAt: storage.nextMoment(), since: now }
          runs.set(scope, run)
          return { begunAt: run.begunAt, continued: found !== undefined }
        })
      ),
    find: (scope) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const found = open(scope, now)
          return found && { begunAt: found.begunAt, continued: true }
        })
      ),
    end: (scope) => storage.exclusive(Effect.sync(() => void runs.delete(scope))),
    claim: ({ documentId, forMs, holder, userId }) =>
      storage.run(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [document] = yield* documents.find(userId, [documentId])
          if (document?.status !== "ready") return false
          const key = keyInMemory({ userId, documentId })
          const held = claims.get(key)
          if (held !== undefined && held.holder !== holder && held.expiresAt > now) return false
          claims.set(key, { holder, expiresAt: now + forMs })
          return true
        })
      ),
    release: ({ failure, holder, ...document }) =>
      storage.exclusive(
        Effect.sync(() => {
          const key = keyInMemory(document)
          if (claims.get(key)?.holder !== holder) return
          if (failure === undefined) claims.delete(key)
          else claims.set(key, { holder, expiresAt: 0, failure })
        })
      ),
    sweep: storage.exclusive(
      Effect.map(Clock.currentTimeMillis, (now) => {
        const ended = [...runs.keys()].filter((scope) => open(scope, now) === undefined)
        const expired = [...claims].filter(([, { expiresAt, failure }]) => failure === undefined && expiresAt <= now)
        for (const scope of ended) runs.delete(scope)
        for (const [key] of expired) claims.delete(key)
        return ended.length + expired.length
      })
    )
  })
}

const recordsOf = ({ claims, documents, passages, storage }: Tables) => {
  const failureOf = (document: DocumentKey) => claims.get(keyInMemory(document))?.failure
  const ready = (userId: UserId | undefined) =>
    Effect.map(documents.listByStatus({ status: "ready", userId, limit: Number.MAX_SAFE_INTEGER }), ({ rows }) => rows)
  return ReindexRecords.of({
    standing: Effect.fnUntraced(function* (userId) {
      const found = yield* ready(userId)
      const keys = found.map(({ id, userId: owner }) => ({ userId: owner, documentId: id }))
      const indexings = new Map((yield* passages.indexings(keys)).map((each) => [keyInMemory(each), each]))
      const groups = found.map((document, place): IndexedAlike => {
        const { embedder, parser, version } = indexings.get(keyInMemory(keys[place]!)) ?? {}
        const failed = failureOf(keys[place]!) !== undefined
        return {
          type: document.type,
          parser,
          version,
          embedder,
          failed,
          documents: 1,
          passages: document.passages ?? 0
        }
      })
      const alike = Map.groupBy(groups, ({ documents: _one, passages: _some, ...same }) => JSON.stringify(same))
      return [...alike.values()].map((group) => ({
        ...group[0]!,
        documents: group.length,
        passages: group.reduce((sum, each) => sum + each.passages, 0)
      }))
    }),
    failures: Effect.fnUntraced(function* ({ limit, userId }) {
      const found = yield* ready(userId)
      return found
        .flatMap(({ filename, id: documentId, userId: owner }) => {
          const failure = failureOf({ userId: owner, documentId })
          return failure === undefined ? [] : [{ userId: owner, documentId, filename, failure }]
        })
        .slice(0, limit)
    }),
    forget: (userId) =>
      storage.exclusive(
        Effect.sync(() => {
          for (const [key, { failure }] of [...claims]) {
            if (failure !== undefined && key.endsWith(` ${userId}`)) claims.delete(key)
          }
        })
      )
  })
}

const make = Effect.map(makeTables, (tables) =>
  Context.make(ReindexStore, storeOf(tables)).pipe(Context.add(ReindexRecords, recordsOf(tables)))
)

/** The runs, claims and failures of re-indexing in the memory of one process, over its documents and passages. */
export const InMemoryReindexStore = {
  layer: Layer.effectContext(make).pipe(Layer.provide(InMemoryStorage.layer))
}
