import { Clock, Effect, Layer } from "effect"
import { InMemoryStorage } from "../../../storage/InMemoryStorage.ts"
import { DocumentStore } from "../../storing/DocumentStore.ts"
import { keyInMemory } from "../../storing/InMemoryDocumentStore.ts"
import { ReindexStore } from "./ReindexStore.ts"

interface HeldClaim {
  readonly holder: string
  /** Unix milliseconds. */
  readonly expiresAt: number
}

interface HeldRun {
  readonly begunAt: number
  /** Unix milliseconds. */
  readonly since: number
}

const KEPT_MS = 7 * 24 * 60 * 60 * 1000

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const documents = yield* DocumentStore
  const runs = yield* storage.table<string, HeldRun>()
  const claims = yield* storage.table<string, HeldClaim>()
  yield* storage.onDocumentRemoved((document) => void claims.delete(keyInMemory(document)))

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
    release: ({ holder, ...document }) =>
      storage.exclusive(
        Effect.sync(() => {
          if (claims.get(keyInMemory(document))?.holder === holder) claims.delete(keyInMemory(document))
        })
      ),
    sweep: storage.exclusive(
      Effect.map(Clock.currentTimeMillis, (now) => {
        const ended = [...runs.keys()].filter((scope) => open(scope, now) === undefined)
        const expired = [...claims].filter(([, { expiresAt }]) => expiresAt <= now)
        for (const scope of ended) runs.delete(scope)
        for (const [key] of expired) claims.delete(key)
        return ended.length + expired.length
      })
    )
  })
})

/** The runs and claims of re-indexing in the memory of one process. The documents are those of the `DocumentStore`. */
export const InMemoryReindexStore = {
  layer: Layer.effect(ReindexStore, make).pipe(Layer.provide(InMemoryStorage.layer))
}
