import { Clock, Context, Effect, Layer } from "effect"
import { Accounts } from "../credits/Accounts.ts"
import type { UserId } from "../identity/UserId.ts"
import { IdGenerator } from "../storage/IdGenerator.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { Catalog } from "../tiers/Catalog.ts"
import type { Document } from "./Document.ts"
import { DocumentStore } from "./DocumentStore.ts"
import {
  type DocumentForbidden,
  DocumentNotFound,
  DocumentNotIndexed,
  DocumentQuotaExceeded,
  FileRejected,
  InvalidDocumentId
} from "./errors.ts"
import { FileStore } from "./FileStore.ts"
import { notReadable } from "./findReadableDocuments.ts"
import { identifyFile } from "./identifyFile.ts"
import { isUuid } from "./isUuid.ts"
import { JobQueue } from "../jobs/JobQueue.ts"
import type { ParsedDocument } from "./DocumentParser.ts"
import { PassageIndex } from "./PassageIndex.ts"
import { ProcessDocument } from "./processDocument.ts"
import { UploadLimits } from "./UploadLimits.ts"
import { type PassageProblem, verifyPassages } from "./verifyPassages.ts"

export interface UploadInput {
  readonly userId: UserId
  /** As the client named it; cleaned here. */
  readonly filename: string
  readonly bytes: Uint8Array
}

/** A person's documents: from the upload to searchable passages. */
export class DocumentService extends Context.Service<
  DocumentService,
  {
    /** Stores a file and queues its processing, all or nothing; gives the document as `processing`. */
    upload(input: UploadInput): Effect.Effect<Document, FileRejected | DocumentQuotaExceeded | StorageFailed>
    /** Asks for processing: a ready document stays ready, one in work gets no second job, a failed one is tried again. */
    vectorize(
      userId: UserId,
      documentId: string
    ): Effect.Effect<Document, InvalidDocumentId | DocumentNotFound | DocumentForbidden | StorageFailed>
    /** Newest first. */
    list(userId: UserId): Effect.Effect<ReadonlyArray<Document>, StorageFailed>
    /** A document of another person is as one that does not exist. */
    get(userId: UserId, documentId: string): Effect.Effect<Document, DocumentNotFound | StorageFailed>
    /** The text a document is searched and cited by, as the parser gave it: for indexing it anew without parsing again. */
    text(
      userId: UserId,
      documentId: string
    ): Effect.Effect<ParsedDocument, DocumentNotFound | DocumentNotIndexed | StorageFailed>
    /** Compares a document's stored passages with its stored text; gives where they disagree, nowhere if all is well. */
    verify(
      userId: UserId,
      documentId: string
    ): Effect.Effect<ReadonlyArray<PassageProblem>, DocumentNotFound | DocumentNotIndexed | StorageFailed>
    /** Removes the document, its bytes, its text and its passages. */
    remove(userId: UserId, documentId: string): Effect.Effect<void, DocumentNotFound | StorageFailed>
  }
>()("@parley/core/documents/DocumentService") {
  static readonly layer = Layer.effect(
    DocumentService,
    Effect.gen(function* () {
      const documents = yield* DocumentStore
      const passages = yield* PassageIndex
      const get = function* (userId: UserId, documentId: string) {
        const [document] = isUuid(documentId) ? yield* documents.find(userId, [documentId.toLowerCase()]) : []
        return document ?? (yield* new DocumentNotFound({ documentId }))
      }
      const indexed = Effect.fnUntraced(function* (userId: UserId, documentId: string) {
        const { id } = yield* get(userId, documentId)
        return (yield* passages.read({ userId, documentId: id })) ?? (yield* new DocumentNotIndexed({ documentId }))
      })
      return DocumentService.of({
        upload: yield* makeUpload,
        vectorize: yield* makeVectorize,
        list: (userId) => documents.list(userId),
        get: Effect.fn("DocumentService.get")(get),
        text: Effect.fn("DocumentService.text")(function* (userId, documentId) {
          const { text, pageStarts } = yield* indexed(userId, documentId)
          return { text, pageStarts }
        }),
        verify: Effect.fn("DocumentService.verify")((userId, documentId) =>
          Effect.map(indexed(userId, documentId), verifyPassages)
        ),
        remove: Effect.fn("DocumentService.remove")(function* (userId, documentId) {
          const removed = isUuid(documentId) && (yield* documents.remove(userId, documentId.toLowerCase()))
          if (!removed) return yield* new DocumentNotFound({ documentId })
        })
      })
    })
  )
}

const makeUpload = Effect.gen(function* () {
  const accounts = yield* Accounts
  const catalog = yield* Catalog
  const documents = yield* DocumentStore
  const files = yield* FileStore
  const jobs = yield* JobQueue
  const unitOfWork = yield* UnitOfWork
  const limits = yield* UploadLimits
  const ids = yield* IdGenerator

  return Effect.fn("DocumentService.upload")(function* ({ userId, filename, bytes }: UploadInput) {
    if (bytes.byteLength > limits.maxBytes) {
      const detail = `The file is larger than the ${limits.maxBytes} bytes a document may have. Split it, or reduce its images.`
      return yield* new FileRejected({ problem: "too-large", detail })
    }
    const identified = yield* Effect.fromResult(identifyFile({ filename, bytes, accepted: limits.types }))
    const { tier } = yield* accounts.of(userId)
    const { maxDocuments, maxDocumentBytes } = catalog.tiers[tier]
    const document: Document = {
      id: yield* ids.next,
      userId,
      filename: identified.filename,
      type: identified.type,
      bytes: bytes.byteLength,
      status: "processing",
      progress: 0,
      reason: undefined,
      pages: undefined,
      passages: undefined,
      createdAt: yield* Clock.currentTimeMillis
    }
    const store = Effect.gen(function* () {
      const inserted = yield* documents.insert(document, { maxDocuments, maxDocumentBytes })
      if (inserted._tag === "Full") {
        const { documents, bytes } = inserted
        return yield* new DocumentQuotaExceeded({ tier, documents, bytes, maxDocuments, maxDocumentBytes })
      }
      yield* files.write({ userId, documentId: document.id, bytes })
      yield* jobs.enqueue(userId, ProcessDocument, { documentId: document.id })
    })
    yield* unitOfWork.run(userId, store)
    return document
  })
})

const makeVectorize = Effect.gen(function* () {
  const documents = yield* DocumentStore
  const jobs = yield* JobQueue
  const unitOfWork = yield* UnitOfWork
  return Effect.fn("DocumentService.vectorize")(function* (userId: UserId, documentId: string) {
    if (!isUuid(documentId)) return yield* new InvalidDocumentId()
    const find = Effect.map(documents.find(userId, [documentId.toLowerCase()]), ([found]) => found)
    const document = (yield* find) ?? (yield* notReadable(documents, documentId))
    if (document.status === "ready") return document
    const again = Effect.gen(function* () {
      const again = yield* documents.update(userId, document.id, ["failed"], { status: "processing", progress: 0 })
      if (again) yield* jobs.enqueue(userId, ProcessDocument, { documentId: document.id })
    })
    yield* unitOfWork.run(userId, again)
    return (yield* find) ?? (yield* new DocumentNotFound({ documentId }))
  })
})
