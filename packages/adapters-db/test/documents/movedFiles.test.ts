import {
  ChatRecords,
  ChatStore,
  ConversationFiles,
  DocumentStore,
  FileStore,
  type Objects,
  ObjectStore,
  StorageFailed
} from "@parley/core/adapter"
import {
  ampleQuota,
  fileStoreContract,
  inMemoryObjects,
  newDocument,
  newUserId,
  newVisitor
} from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PgChatStoreLayer } from "../../src/chat/PgChatStore.ts"
import { PgConversationFilesLayer } from "../../src/chat/PgConversationFiles.ts"
import { Database } from "../../src/database/Database.ts"
import { PgDocumentStoreLayer } from "../../src/documents/storing/PgDocumentStore.ts"
import { PgFileStoreLayer } from "../../src/documents/storing/PgFileStore.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { databases } from "../databases.ts"

const storesOver = (objects: Objects | undefined) =>
  Layer.mergeAll(PgDocumentStoreLayer, Layer.fresh(PgFileStoreLayer), PgUnitOfWorkLayer).pipe(
    Layer.provide(Layer.succeed(ObjectStore, objects))
  )

/** The state of a document after it was read, or could not be: its bytes may be moved. */
const read = (userId: string, documentId: string) =>
  Database.use((database) =>
    database.statement(`UPDATE ${database.schema}.documents SET status = 'ready' WHERE user_id = $1 AND id = $2`, [
      userId,
      documentId
    ])
  )

/** A store whose every file was moved, to its readers. */
const movingAtOnce = Layer.effect(
  FileStore,
  Effect.gen(function* () {
    const files = yield* FileStore
    const database = yield* Database
    const moving = (userId: string, documentId: string) =>
      Effect.andThen(Effect.provideService(read(userId, documentId), Database, database), files.move({ limit: 10 }))
    return FileStore.of({
      ...files,
      write: (input) =>
        Effect.andThen(
          files.write(input),
          Effect.catchTag(moving(input.userId, input.documentId), "DatabaseError", Effect.die)
        )
    })
  })
)

const bytes = new TextEncoder().encode("some bytes")
const textOf = (read: Uint8Array | undefined) => read && new TextDecoder().decode(read)

const newFile = Effect.gen(function* () {
  const document = newDocument(newUserId(), { bytes: bytes.byteLength })
  yield* (yield* DocumentStore).insert(document, ampleQuota)
  yield* (yield* FileStore).write({ userId: document.userId, documentId: document.id, bytes })
  return { userId: document.userId, documentId: document.id }
})

const countOf = (table: string) =>
  Database.use((database) =>
    Effect.map(
      database.statement<{ count: number }>(`SELECT count(*)::int AS count FROM ${database.schema}.${table}`),
      ([row]) => row?.count
    )
  )

/** Lets this time pass for writes and for objects that wait for deletion. */
const later = (interval: string) =>
  Database.use((database) =>
    Effect.andThen(
      database.statement(`UPDATE ${database.schema}.file_objects SET begun_at = begun_at - $1::interval`, [interval]),
      database.statement(`UPDATE ${database.schema}.file_garbage SET due_at = due_at - $1::interval`, [interval])
    )
  )

for (const { name, layer } of databases) {
  const objects = inMemoryObjects()
  const contract = movingAtOnce.pipe(Layer.provideMerge(storesOver(objects)), Layer.provideMerge(layer))
  fileStoreContract(`${name}, moved to an object store`, contract)

  describe(`files on ${name} that rest in an object store`, () => {
    const on = <A, E>(
      work: Effect.Effect<A, E, Database | DocumentStore | FileStore>,
      store: Objects | undefined
    ): Promise<A> =>
      Effect.runPromise(Effect.scoped(Effect.provide(work, Layer.provideMerge(storesOver(store), layer))))

    it("are moved once their document is read, leave the database then, and go with their document", async () => {
      const store = inMemoryObjects()
      await on(
        Effect.gen(function* () {
          const files = yield* FileStore
          const file = yield* newFile
          expect(yield* files.move({ limit: 10 })).toEqual({ moved: 0, removed: 0 })
          yield* read(file.userId, file.documentId)
          expect(yield* files.move({ limit: 10 })).toEqual({ moved: 1, removed: 0 })
          expect(yield* files.move({ limit: 10 })).toEqual({ moved: 0, removed: 0 })
          expect([...store.kept.values()].map(textOf)).toEqual(["some bytes"])
          expect([...store.kept.keys()].join()).not.toContain(file.userId)
          expect(yield* countOf("file_parts")).toBe(0)
          expect(textOf(yield* files.read(file))).toBe("some bytes")
          yield* (yield* DocumentStore).remove(file.userId, file.documentId)
          expect(yield* files.read(file)).toBeUndefined()
          expect(yield* files.move({ limit: 10 })).toEqual({ moved: 0, removed: 1 })
          expect(store.kept.size).toBe(0)
          expect(yield* countOf("file_garbage")).toBe(0)
        }),
        store
      )
    })

    it("of a visitor's conversation go with it, if its owner deletes it and if it was not used for long", async () => {
      const store = inMemoryObjects()
      const attached = Effect.gen(function* () {
        const file = yield* newFile
        const owner = newVisitor(file.userId)
        const chat = { owner, chatId: crypto.randomUUID() }
        const document = { id: file.documentId, filename: "receipt.pdf" }
        const attaching = { ...chat, continues: false, document, maxFiles: 5, quota: ampleQuota }
        expect(yield* (yield* ConversationFiles).attach(attaching)).toBe("Attached")
        yield* read(file.userId, file.documentId)
        return chat
      })
      const chats = Layer.merge(PgChatStoreLayer, PgConversationFilesLayer)
      await on(
        Effect.provide(
          Effect.gen(function* () {
            const files = yield* FileStore
            const deleted = yield* attached
            yield* attached
            expect(yield* files.move({ limit: 10 })).toEqual({ moved: 2, removed: 0 })
            expect(yield* (yield* ChatStore).remove(deleted.owner, deleted.chatId)).toBe(true)
            expect(yield* files.move({ limit: 10 })).toEqual({ moved: 0, removed: 1 })
            yield* Effect.sleep("5 millis")
            yield* (yield* ChatRecords).removeUnused({ whose: "visitors", unusedForMs: 0, limit: 10 })
            expect(yield* files.move({ limit: 10 })).toEqual({ moved: 0, removed: 1 })
            expect(store.kept.size).toBe(0)
            expect(yield* countOf("documents")).toBe(0)
          }),
          chats
        ),
        store
      )
    })

    it("whose mover died are moved by another one, and one deleted meanwhile leaves no object", async () => {
      const store = inMemoryObjects()
      const dying = { ...store, put: (key: string, all: Uint8Array) => Effect.andThen(store.put(key, all), away) }
      const away = new StorageFailed({ operation: "Objects.put", retryable: true, cause: new Error("away") })
      await on(
        Effect.gen(function* () {
          const [kept, deleted] = [yield* newFile, yield* newFile]
          for (const { userId, documentId } of [kept, deleted]) yield* read(userId, documentId)
          const dead = yield* Effect.provide(FileStore, storesOver(dying))
          for (const _ of [1, 2]) yield* Effect.ignore(dead.move({ limit: 1 }))
          expect(store.kept.size).toBe(2)
          const files = yield* FileStore
          expect(textOf(yield* files.read(kept))).toBe("some bytes")
          expect(yield* files.move({ limit: 10 })).toEqual({ moved: 0, removed: 0 })
          yield* (yield* DocumentStore).remove(deleted.userId, deleted.documentId)
          expect(yield* files.move({ limit: 10 })).toEqual({ moved: 0, removed: 0 })
          yield* later("20 minutes")
          expect(yield* files.move({ limit: 10 })).toEqual({ moved: 1, removed: 0 })
          expect(textOf(yield* files.read(kept))).toBe("some bytes")
          yield* later("50 minutes")
          expect(yield* files.move({ limit: 10 })).toEqual({ moved: 0, removed: 1 })
          expect(store.kept.size).toBe(1)
        }),
        store
      )
    })

    it("are not taken to be empty where the object store is no longer configured, or away", async () => {
      const store = inMemoryObjects()
      const away = new StorageFailed({ operation: "Objects.read", retryable: true, cause: new Error("away") })
      await on(
        Effect.gen(function* () {
          const file = yield* newFile
          yield* read(file.userId, file.documentId)
          yield* (yield* FileStore).move({ limit: 10 })
          const without = yield* Effect.provide(FileStore, storesOver(undefined))
          const piece = { ...file, offset: 0, length: 5 }
          for (const reading of [without.read(file), without.readSome(piece)]) {
            expect(yield* Effect.flip(reading)).toMatchObject({ _tag: "StorageFailed", retryable: false })
          }
          const failing = { ...store, read: () => away, readSome: () => away }
          const dark = yield* Effect.provide(FileStore, storesOver(failing))
          for (const reading of [dark.read(file), dark.readSome(piece)]) {
            expect(yield* Effect.flip(reading)).toMatchObject({ _tag: "StorageFailed", retryable: true })
          }
        }),
        store
      )
    })
  })

  // PGlite runs one transaction at a time.
  if (name !== "Postgres") continue
  describe("many movers, writers and deleters of the same files", () => {
    it("lose no bytes and leave no object behind", async () => {
      const store = inMemoryObjects()
      const slow: Objects = { ...store, put: (key, all) => Effect.andThen(Effect.yieldNow, store.put(key, all)) }
      await Effect.runPromise(
        Effect.gen(function* () {
          const files = yield* FileStore
          const documents = yield* DocumentStore
          const all = yield* Effect.forEach(Array.from({ length: 40 }), () => newFile)
          for (const { userId, documentId } of all) yield* read(userId, documentId)
          const anew = (place: number) => `written anew ${place}`
          const touch = (file: (typeof all)[number], place: number) => {
            if (place % 4 === 0) return documents.remove(file.userId, file.documentId)
            return place % 4 === 1
              ? files.write({ ...file, bytes: new TextEncoder().encode(anew(place)) })
              : Effect.void
          }
          yield* Effect.all(
            [
              Effect.forEach([1, 2, 3, 4], () => Effect.repeat(files.move({ limit: 3 }), { times: 12 }), {
                concurrency: "unbounded"
              }),
              Effect.forEach(all, touch, { concurrency: 4 })
            ],
            { concurrency: "unbounded" }
          )
          yield* later("2 hours")
          yield* Effect.repeat(files.move({ limit: 100 }), { times: 3 })
          for (const [place, file] of all.entries()) {
            const expected = place % 4 === 0 ? undefined : place % 4 === 1 ? anew(place) : "some bytes"
            expect(textOf(yield* files.read(file))).toBe(expected)
          }
          expect(store.kept.size).toBe(30)
          expect(yield* countOf("file_objects")).toBe(30)
          expect(yield* countOf("file_parts")).toBe(0)
        }).pipe(Effect.provide(Layer.provideMerge(storesOver(slow), layer)), Effect.scoped)
      )
    })
  })
}
