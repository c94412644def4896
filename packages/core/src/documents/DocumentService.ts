import { Context, Effect, Layer, Schema, Stream } from "effect"
import { UserId } from "../identity/UserId.ts"
import { isUuid } from "../storage/storedForms.ts"
import { Id, inputsOf, Offset } from "../storage/inputs.ts"
import type { SessionInvalid } from "../identity/SessionVerifier.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import type { Document, DocumentKey } from "./Document.ts"
import { DocumentStore } from "./storing/DocumentStore.ts"
import {
  type DocumentForbidden,
  DocumentNotFound,
  DocumentNotIndexed,
  type DocumentQuotaExceeded,
  type FileRejected,
  InvalidDocumentId
} from "./errors.ts"
import type { Excerpt } from "./indexing/excerpt.ts"
import { FileStore } from "./storing/FileStore.ts"
import { notReadable } from "./searching/findReadableDocuments.ts"
import { IN_WORK, makeInsert, makeStoreFile } from "./storing/storeFile.ts"
import { JobQueue } from "../jobs/JobQueue.ts"
import { PassageIndex } from "./indexing/PassageIndex.ts"
import { ProcessDocument } from "./reading/processDocument.ts"
import type { ScannerUnavailable } from "./storing/MalwareScanner.ts"
import { UploadLimits } from "./storing/UploadLimits.ts"

export const UploadInput = Schema.Struct({
  userId: UserId,
  /** The file name from the client; `upload` cleans it. */
  filename: Schema.String,
  bytes: Schema.instanceOf(Uint8Array, { expected: "a Uint8Array" })
})
export type UploadInput = typeof UploadInput.Type

/**
 * A part of a text in UTF-16 units, or of a file in bytes: from `from` up to, but not including, `to`; the whole unless
 * given.
 */
export const PartOfDocument = Schema.Struct({
  from: Schema.optional(Offset),
  to: Schema.optional(Offset)
})
export type PartOfDocument = typeof PartOfDocument.Type

/** A part of a document's text, with the document. */
export interface ExcerptOfDocument extends Excerpt {
  readonly document: Document
}

/** A document with its bytes, or a part of them. */
export interface DocumentFile {
  readonly document: Document
  /** The range of the bytes: from `from` up to, but not including, `to`. */
  readonly from: number
  readonly to: number
  /** The bytes in order. Read the stream once. */
  readonly bytes: Stream.Stream<Uint8Array, DocumentNotFound | StorageFailed>
}

/** The maximum number of UTF-16 units of a text that one call returns. */
export const MAX_EXCERPT = 64 * 1024
/** The maximum number of bytes of a file in memory at a time. */
const FILE_PIECE = 256 * 1024

/** The pieces of a part of a file; `first` has been read already. The stream fails if the file is removed meanwhile. */
const piecesOf = (files: FileStore["Service"], key: DocumentKey, from: number, to: number, first: Uint8Array) =>
  Stream.unfold(from, (offset) => {
    if (offset >= to) return Effect.succeed(undefined)
    const length = Math.min(FILE_PIECE, to - offset)
    const reading = offset === from ? Effect.succeed(first) : files.readSome({ ...key, offset, length })
    return Effect.flatMap(reading, (piece) =>
      piece === undefined || piece.byteLength === 0
        ? Effect.fail(new DocumentNotFound({ documentId: key.documentId }))
        : Effect.succeed([piece, offset + piece.byteLength] as const)
    )
  })

/** A document that was just stored. */
export interface UploadedDocument extends Document {
  /**
   * The id of the owner's first document with the same bytes, if there is one: the file was probably uploaded before.
   */
  readonly sameAs?: string
}

/** A person's documents, from the upload to searchable passages. */
export class DocumentService extends Context.Service<
  DocumentService,
  {
    /**
     * Stores a file and queues its processing, both or neither; returns the document as `processing`. If a
     * `MalwareScanner` is configured, it must find the file clean first.
     */
    upload(
      input: UploadInput
    ): Effect.Effect<
      UploadedDocument,
      FileRejected | ScannerUnavailable | DocumentQuotaExceeded | SessionInvalid | StorageFailed
    >
    /**
     * Requests processing: a ready document stays ready, a document in processing gets no second job, and a failed
     * document is tried again.
     */
    vectorize(
      userId: UserId,
      documentId: string
    ): Effect.Effect<
      Document,
      InvalidDocumentId | DocumentNotFound | DocumentForbidden | DocumentQuotaExceeded | SessionInvalid | StorageFailed
    >
    /** The person's own documents, newest first, without the files of visitors of their bots. */
    list(userId: UserId): Effect.Effect<ReadonlyArray<Document>, StorageFailed>
    /** Returns a document. A document of another person is treated as missing. */
    get(userId: UserId, documentId: string): Effect.Effect<Document, DocumentNotFound | StorageFailed>
    /**
     * Returns the part of a document's text from `from` (the beginning unless given) to `to` (as far as allowed unless
     * given), for example around a cited passage: at most `MAX_EXCERPT` UTF-16 units. Searches and citations use the
     * same text, and offsets are those of passages.
     */
    excerpt(
      userId: UserId,
      documentId: string,
      part?: PartOfDocument
    ): Effect.Effect<ExcerptOfDocument, DocumentNotFound | DocumentNotIndexed | StorageFailed>
    /**
     * Returns the uploaded bytes of a document, which are read piece by piece while the stream runs; with a `part`,
     * only the bytes from `from` up to `to`, as far as the file reaches.
     */
    file(
      userId: UserId,
      documentId: string,
      part?: PartOfDocument
    ): Effect.Effect<DocumentFile, DocumentNotFound | StorageFailed>
    /** Removes the document with its bytes, its text and its passages. */
    remove(userId: UserId, documentId: string): Effect.Effect<void, DocumentNotFound | StorageFailed>
  }
>()("@parley/core/documents/DocumentService") {
  static readonly inputs = inputsOf<DocumentService["Service"]>()({
    upload: [{ input: UploadInput }],
    vectorize: [{ userId: UserId }, { documentId: Id }],
    list: [{ userId: UserId }],
    get: [{ userId: UserId }, { documentId: Id }],
    excerpt: [{ userId: UserId }, { documentId: Id }, { part: Schema.UndefinedOr(PartOfDocument) }],
    file: [{ userId: UserId }, { documentId: Id }, { part: Schema.UndefinedOr(PartOfDocument) }],
    remove: [{ userId: UserId }, { documentId: Id }]
  })
  static readonly layer = Layer.effect(
    DocumentService,
    Effect.gen(function* () {
      const documents = yield* DocumentStore
      const files = yield* FileStore
      const passages = yield* PassageIndex
      const get = function* (userId: UserId, documentId: string) {
        const [document] = isUuid(documentId) ? yield* documents.find(userId, [documentId.toLowerCase()]) : []
        return document ?? (yield* new DocumentNotFound({ documentId }))
      }
      return DocumentService.of({
        upload: yield* makeUpload,
        vectorize: yield* makeVectorize,
        list: (userId) =>
          Effect.map(documents.list(userId), (all) => all.filter(({ conversation }) => conversation === undefined)),
        get: Effect.fn("DocumentService.get")(get),
        excerpt: Effect.fn("DocumentService.excerpt")(function* (userId, documentId, { from = 0, to } = {}) {
          const document = yield* get(userId, documentId)
          const end = Math.max(from, Math.min(to ?? Number.MAX_SAFE_INTEGER, from + MAX_EXCERPT))
          const found = yield* passages.excerpt({ userId, documentId: document.id, from, to: end })
          return found === undefined ? yield* new DocumentNotIndexed({ documentId }) : { document, ...found }
        }),
        file: Effect.fn("DocumentService.file")(function* (userId, documentId, part = {}) {
          const document = yield* get(userId, documentId)
          const key = { userId, documentId: document.id }
          const from = Math.min(document.bytes, part.from ?? 0)
          const to = Math.max(from, Math.min(document.bytes, part.to ?? document.bytes))
          const first = yield* files.readSome({ ...key, offset: from, length: Math.min(FILE_PIECE, to - from) })
          if (first === undefined) return yield* new DocumentNotFound({ documentId })
          return { document, from, to, bytes: piecesOf(files, key, from, to, first) }
        }),
        remove: Effect.fn("DocumentService.remove")(function* (userId, documentId) {
          const removed = isUuid(documentId) && (yield* documents.remove(userId, documentId.toLowerCase()))
          if (!removed) return yield* new DocumentNotFound({ documentId })
        })
      })
    })
  )
}

const makeUpload = Effect.gen(function* () {
  const limits = yield* UploadLimits
  const store = yield* makeStoreFile
  return Effect.fn("DocumentService.upload")(function* (input: UploadInput) {
    const { document, sameAs } = yield* store(input, limits)
    return sameAs === undefined ? document : { ...document, sameAs }
  })
})

const makeVectorize = Effect.gen(function* () {
  const insert = yield* makeInsert
  const documents = yield* DocumentStore
  const jobs = yield* JobQueue
  const unitOfWork = yield* UnitOfWork
  return Effect.fn("DocumentService.vectorize")(function* (userId: UserId, documentId: string) {
    if (!isUuid(documentId)) return yield* new InvalidDocumentId()
    const find = Effect.map(documents.find(userId, [documentId.toLowerCase()]), ([found]) => found)
    const document = (yield* find) ?? (yield* notReadable(documents, documentId))
    if (document.status !== "failed") return document
    const again = Effect.gen(function* () {
      const { _tag } = yield* insert({ ...document, ...IN_WORK })
      if (_tag === "Inserted") yield* jobs.enqueue(userId, ProcessDocument, { documentId: document.id })
    })
    yield* unitOfWork.run(userId, again)
    return (yield* find) ?? (yield* new DocumentNotFound({ documentId }))
  })
})
