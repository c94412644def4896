import type { EventDraft } from "../../events/ParleyEvent.ts"
import type { Document, DocumentKey } from "../Document.ts"
import { Clock, Effect, Layer } from "effect"
import { InMemoryEventLog } from "../../events/InMemoryEventLog.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { storableText } from "../../storage/storableText.ts"
import { type DocumentChange, type DocumentQuota, DocumentStore, type Inserted } from "./DocumentStore.ts"

/** What is told of a document that has just come to its state, at a moment in Unix milliseconds; undefined while it is read. */
export const documentEvent = (
  { filename, id, passages, pages, reasonCode, status, userId }: Document,
  at: number
): EventDraft | undefined => {
  const about = { account: userId, documentId: id, filename }
  if (status === "failed") {
    return { type: "document.failed", at, data: reasonCode === undefined ? about : { ...about, reason: reasonCode } }
  }
  if (status !== "ready") return undefined
  // Null where the type has no pages.
  const counted = { ...(typeof pages === "number" && { pages }), ...(passages !== undefined && { passages }) }
  return { type: "document.ready", at, data: { ...about, ...counted } }
}

const changed = (document: Document, change: DocumentChange): Document => ({
  ...document,
  status: change.status,
  progress: change.progress,
  reason: change.reason === undefined ? undefined : storableText(change.reason),
  reasonCode: change.reasonCode,
  pages: change.pages,
  passages: change.passages
})

/** As a key of a table: documents are kept by owner and id. */
export const keyInMemory = ({ userId, documentId }: DocumentKey): string => `${documentId.toLowerCase()} ${userId}`

/** Later insertions come later in a map, so that reversing puts the newest of one millisecond first. */
const newestFirst = (documents: ReadonlyArray<Document>): ReadonlyArray<Document> =>
  documents.toReversed().toSorted((a, b) => b.createdAt - a.createdAt)

const bytesOf = (documents: ReadonlyArray<Document>): number => documents.reduce((sum, { bytes }) => sum + bytes, 0)

const fitsInto = (quota: DocumentQuota, before: ReadonlyArray<Document>, added: Document): boolean =>
  before.length + 1 <= quota.maxDocuments && bytesOf(before) + added.bytes <= quota.maxDocumentBytes

const twice = ({ maxDocumentBytes, maxDocuments }: DocumentQuota): DocumentQuota => ({
  maxDocuments: 2 * maxDocuments,
  maxDocumentBytes: 2 * maxDocumentBytes
})

const byOwner = (a: DocumentKey, b: DocumentKey): number => {
  if (a.userId !== b.userId) return a.userId < b.userId ? -1 : 1
  return a.documentId < b.documentId ? -1 : a.documentId > b.documentId ? 1 : 0
}

const keyOf = ({ id, userId }: Document): DocumentKey => ({ userId, documentId: id })

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const log = yield* InMemoryEventLog
  const documents = yield* storage.table<string, Document>()
  const ownedBy = (userId: string) => [...documents.values()].filter((document) => document.userId === userId)

  yield* storage.addPersonalPart({
    count: (userId) => ({ documents: ownedBy(userId).length }),
    erase: (userId) => {
      for (const { id } of ownedBy(userId)) {
        storage.documentRemoved({ userId, documentId: id })
        documents.delete(keyInMemory({ userId, documentId: id }))
      }
    }
  })

  return DocumentStore.of({
    insert: (document, quota) =>
      storage.exclusive(
        Effect.sync((): Inserted => {
          const id = document.id.toLowerCase()
          const key = keyInMemory({ userId: document.userId, documentId: id })
          const others = ownedBy(document.userId).filter((each) => each.id !== id)
          const counted = others.filter(({ status }) => status !== "failed")
          const fits = fitsInto(quota, counted, document) && fitsInto(twice(quota), others, document)
          if (!fits) {
            const failed = ownedBy(document.userId).filter(({ status }) => status === "failed").length
            return { _tag: "Full", documents: counted.length, bytes: bytesOf(counted), failed }
          }
          const before = documents.get(key)
          if (before !== undefined && before.status !== "failed") return { _tag: "Known" }
          const { filename, createdAt } = before ?? document
          documents.set(key, { ...document, id, filename: storableText(filename), createdAt })
          return { _tag: "Inserted" }
        })
      ),
    find: (userId, ids) =>
      storage.exclusive(
        Effect.sync(() => {
          const wanted = new Set(ids.map((id) => id.toLowerCase()))
          return ownedBy(userId).filter((document) => wanted.has(document.id))
        })
      ),
    exists: (id) =>
      storage.exclusive(
        Effect.sync(() => [...documents.values()].some((document) => document.id === id.toLowerCase()))
      ),
    list: (userId) => storage.exclusive(Effect.sync(() => newestFirst(ownedBy(userId)))),
    update: (userId, documentId, from, change) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        storage.exclusive(
          Effect.sync(() => {
            const key = keyInMemory({ userId, documentId })
            const document = documents.get(key)
            if (document === undefined || !from.includes(document.status)) return false
            const after = changed(document, change)
            documents.set(key, after)
            const event = after.status === document.status ? undefined : documentEvent(after, now)
            if (event !== undefined) log.tell(event)
            return true
          })
        )
      ),
    listProcessing: ({ after, limit }) =>
      storage.exclusive(
        Effect.sync(() =>
          [...documents.values()]
            .filter(({ status }) => status === "processing")
            .map(({ id, userId }) => ({ userId, documentId: id }))
            .toSorted(byOwner)
            .filter((document) => after === undefined || byOwner(after, document) < 0)
            .slice(0, limit)
        )
      ),
    listReady: ({ after, documentId, limit, userId }) =>
      storage.exclusive(
        Effect.sync(() =>
          [...documents.values()]
            .filter((document) => document.status === "ready" && document.userId === (userId ?? document.userId))
            .filter(({ id }) => id === (documentId?.toLowerCase() ?? id))
            .toSorted((a, b) => byOwner(keyOf(a), keyOf(b)))
            .filter((document) => after === undefined || byOwner(after, keyOf(document)) < 0)
            .slice(0, limit)
        )
      ),
    remove: (userId, documentId) =>
      storage.exclusive(
        Effect.sync(() => {
          const removed = documents.delete(keyInMemory({ userId, documentId }))
          if (removed) storage.documentRemoved({ userId, documentId })
          return removed
        })
      )
  })
})

/** Documents in the memory of one process: for tests, and for trying the product out without a database. */
export const InMemoryDocumentStore = {
  layer: Layer.effect(DocumentStore, make).pipe(
    Layer.provide(Layer.mergeAll(InMemoryStorage.layer, InMemoryEventLog.layer))
  )
}
