import type { EventDraft } from "../../events/ParleyEvent.ts"
import type { Document, DocumentKey } from "../Document.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { InMemoryEventLog } from "../../events/InMemoryEventLog.ts"
import { cursorOf, pageOf, positionIn } from "../../storage/Cursor.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { storableText } from "../../storage/storedForms.ts"
import {
  type DocumentChange,
  type DocumentPage,
  type DocumentQuota,
  DocumentStore,
  type Inserted
} from "./DocumentStore.ts"

/**
 * Returns the event of a document whose state has just changed, at a time in Unix milliseconds; undefined while it is
 * processed.
 */
export const documentEvent = (
  { filename, id, passages, pages, reasonCode, status, userId }: Document,
  at: number
): EventDraft | undefined => {
  const about = { account: userId, documentId: id, filename }
  if (status === "failed") {
    return { type: "document.failed", at, data: reasonCode === undefined ? about : { ...about, reason: reasonCode } }
  }
  if (status !== "ready") return undefined
  // `pages` is null if the type has no pages.
  const counted = { ...(typeof pages === "number" && { pages }), ...(passages !== undefined && { passages }) }
  return { type: "document.ready", at, data: { ...about, ...counted } }
}

const changed = (document: Document, change: DocumentChange): Document => ({
  ...document,
  status: change.status,
  progress: change.progress,
  reason: change.reason === undefined ? undefined : storableText(change.reason),
  reasonCode: change.reasonCode,
  notice: change.notice === undefined ? undefined : storableText(change.notice),
  pages: change.pages,
  passages: change.passages
})

/** The key of a document in a table: its owner and id. */
export const keyInMemory = ({ userId, documentId }: DocumentKey): string => `${documentId.toLowerCase()} ${userId}`

/** Later insertions come later in a map, so the reversed list has the newest document of one millisecond first. */
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

/**
 * Inserts a document among the others of its owner if the quota allows it; returns the stored document and the result.
 */
const inserted = (document: Document, owned: ReadonlyArray<Document>, quota: DocumentQuota) => {
  const id = document.id.toLowerCase()
  const others = owned.filter((each) => each.id !== id)
  const counted = others.filter(({ status }) => status !== "failed")
  if (!fitsInto(quota, counted, document) || !fitsInto(twice(quota), others, document)) {
    const failed = owned.filter(({ status }) => status === "failed").length
    const full: Inserted = { _tag: "Full", documents: counted.length, bytes: bytesOf(counted), failed }
    return { result: full }
  }
  const before = owned.find((each) => each.id === id)
  if (before !== undefined && before.status !== "failed") return { result: { _tag: "Known" } as const }
  const { filename, createdAt } = before ?? document
  return {
    stored: { ...document, id, filename: storableText(filename), createdAt }
  }
}

/** The position of a document in a list: its owner and its id. */
const KeyPosition = Schema.Tuple([Schema.String, Schema.String])

const listed = (documents: Iterable<Document>, { after, documentId, limit, status, userId }: DocumentPage) => {
  const [lastOwner = "", lastId = ""] = positionIn(KeyPosition, after) ?? []
  const last = { userId: lastOwner, documentId: lastId }
  const found = [...documents]
    .filter((document) => document.status === status && document.userId === (userId ?? document.userId))
    .filter(({ id }) => id === (documentId?.toLowerCase() ?? id))
    .toSorted((a, b) => byOwner(keyOf(a), keyOf(b)))
    .filter((document) => byOwner(last, keyOf(document)) < 0)
  return pageOf(found, limit, (document) => cursorOf(document.userId, document.id))
}

/**
 * The documents of this process. The erasure of their owner removes them; a visitor's file is also removed with its
 * conversation.
 */
const makeTable = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const documents = yield* storage.table<string, Document>()
  const contents = yield* storage.table<string, string>()
  const ownedBy = (userId: string) => [...documents.values()].filter((document) => document.userId === userId)
  const remove = (key: DocumentKey): boolean => {
    const removed = documents.delete(keyInMemory(key))
    contents.delete(keyInMemory(key))
    if (removed) storage.documentRemoved(key)
    return removed
  }
  yield* storage.addPersonalPart({
    count: (userId) => ({
      documents: ownedBy(userId).filter(({ conversation }) => conversation === undefined).length
    }),
    erase: (userId) => {
      for (const document of ownedBy(userId)) remove(keyOf(document))
    }
  })
  yield* storage.onChatRemoved(({ bot, chatId, userId, visitor }) => {
    for (const document of ownedBy(userId)) {
      const { conversation } = document
      if (conversation?.bot === bot && conversation.visitor === visitor && conversation.id === chatId) {
        remove(keyOf(document))
      }
    }
  })
  /**
   * Stores the digest of a document's content; returns the id of the owner's first other document with the same content
   * that has not failed.
   */
  const repeats = (document: Document, content: string | undefined): string | undefined => {
    if (content === undefined) return undefined
    contents.set(keyInMemory(keyOf(document)), content)
    return ownedBy(document.userId)
      .filter((each) => contents.get(keyInMemory(keyOf(each))) === content)
      .filter(({ id, status }) => id !== document.id && status !== "failed")
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))[0]?.id
  }
  return { documents, ownedBy, remove, repeats }
})

/** The table of documents, which the in-memory stores share. */
export class InMemoryDocuments extends Context.Service<InMemoryDocuments, Effect.Success<typeof makeTable>>()(
  "@parley/core/documents/storing/InMemoryDocuments"
) {
  static readonly layer = Layer.effect(InMemoryDocuments, makeTable).pipe(Layer.provide(InMemoryStorage.layer))
}

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const log = yield* InMemoryEventLog
  const { documents, ownedBy, remove, repeats } = yield* InMemoryDocuments
  const exclusively = <A>(work: () => A) => storage.exclusive(Effect.sync(work))

  return DocumentStore.of({
    insert: (document, quota, content) =>
      exclusively(() => {
        const { result, stored } = inserted(document, ownedBy(document.userId), quota)
        if (stored === undefined) return result
        documents.set(keyInMemory(keyOf(stored)), stored)
        return { _tag: "Inserted", sameAs: repeats(stored, content) }
      }),
    find: (userId, ids) =>
      exclusively(() => {
        const wanted = new Set(ids.map((id) => id.toLowerCase()))
        return ownedBy(userId).filter((document) => wanted.has(document.id))
      }),
    exists: (id) => exclusively(() => [...documents.values()].some((document) => document.id === id.toLowerCase())),
    list: (userId) => exclusively(() => newestFirst(ownedBy(userId))),
    update: (userId, documentId, from, change) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        exclusively(() => {
          const key = keyInMemory({ userId, documentId })
          const document = documents.get(key)
          if (document === undefined || !from.includes(document.status)) return false
          const after = changed(document, change)
          documents.set(key, after)
          const event = after.status === document.status ? undefined : documentEvent(after, now)
          if (event !== undefined) log.tell(event)
          return true
        })
      ),
    listByStatus: (page) => exclusively(() => listed(documents.values(), page)),
    remove: (userId, documentId) => exclusively(() => remove({ userId, documentId }))
  })
})

/** Documents in the memory of one process: for tests, and for trying Parley out without a database. */
export const InMemoryDocumentStore = {
  layer: Layer.effect(DocumentStore, make).pipe(
    Layer.provide(Layer.mergeAll(InMemoryDocuments.layer, InMemoryStorage.layer, InMemoryEventLog.layer))
  )
}
