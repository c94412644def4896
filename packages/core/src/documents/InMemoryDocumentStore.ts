import { Effect, Layer } from "effect"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { storableText } from "../storage/storableText.ts"
import type { Document } from "./Document.ts"
import { type DocumentChange, DocumentStore, type Inserted } from "./DocumentStore.ts"

const changed = (document: Document, change: DocumentChange): Document => ({
  ...document,
  status: change.status,
  progress: change.progress,
  reason: change.reason === undefined ? undefined : storableText(change.reason),
  pages: change.pages,
  passages: change.passages
})

/** Later insertions come later in a map, so that reversing puts the newest of one millisecond first. */
const newestFirst = (documents: ReadonlyArray<Document>): ReadonlyArray<Document> =>
  documents.toReversed().toSorted((a, b) => b.createdAt - a.createdAt)

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const documents = yield* storage.table<string, Document>()
  const ownedBy = (userId: string) => [...documents.values()].filter((document) => document.userId === userId)

  return DocumentStore.of({
    insert: (document, quota) =>
      storage.exclusive(
        Effect.sync((): Inserted => {
          const own = ownedBy(document.userId)
          const bytes = own.reduce((sum, each) => sum + each.bytes, 0)
          if (own.length + 1 > quota.maxDocuments || bytes + document.bytes > quota.maxDocumentBytes) {
            return { _tag: "Full", documents: own.length, bytes }
          }
          const id = document.id.toLowerCase()
          documents.set(id, { ...document, id, filename: storableText(document.filename) })
          return { _tag: "Inserted" }
        })
      ),
    find: (ids) =>
      storage.exclusive(
        Effect.sync(() => {
          const wanted = new Set(ids.map((id) => id.toLowerCase()))
          return [...documents.values()].filter((document) => wanted.has(document.id))
        })
      ),
    list: (userId) => storage.exclusive(Effect.sync(() => newestFirst(ownedBy(userId)))),
    update: (id, from, change) =>
      storage.exclusive(
        Effect.sync(() => {
          const document = documents.get(id.toLowerCase())
          if (document === undefined || !from.includes(document.status)) return false
          documents.set(document.id, changed(document, change))
          return true
        })
      ),
    remove: (userId, id) =>
      storage.exclusive(
        Effect.sync(() => {
          const document = documents.get(id.toLowerCase())
          if (document === undefined || document.userId !== userId) return false
          storage.documentRemoved(document.id)
          return documents.delete(document.id)
        })
      )
  })
})

/** Documents in the memory of one process: for tests, and for trying the product out without a database. */
export const InMemoryDocumentStore = {
  layer: Layer.effect(DocumentStore, make).pipe(Layer.provide(InMemoryStorage.layer))
}
