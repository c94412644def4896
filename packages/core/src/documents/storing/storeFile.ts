import { Clock, Effect } from "effect"
import { Accounts } from "../../credits/Accounts.ts"
import type { UserId } from "../../identity/UserId.ts"
import { JobQueue } from "../../jobs/JobQueue.ts"
import { sha256 } from "../../secrets/sha256.ts"
import { SecurityEvents } from "../../security/SecurityEvents.ts"
import { IdGenerator } from "../../storage/storedForms.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { Catalog } from "../../tiers/Catalog.ts"
import { tierOf } from "../../tiers/CatalogData.ts"
import type { Document } from "../Document.ts"
import { DocumentQuotaExceeded, fileInfected, fileTooLarge, fileTooLargeToScan } from "../errors.ts"
import { ProcessDocument } from "../reading/processDocument.ts"
import { DocumentStore } from "./DocumentStore.ts"
import { FileStore } from "./FileStore.ts"
import { identifyFile } from "./identifyFile.ts"
import { MalwareScanner } from "./MalwareScanner.ts"
import type { UploadLimitsData } from "./UploadLimits.ts"

/** The state of a document whose processing has not begun. */
export const IN_WORK = {
  status: "processing",
  progress: 0,
  reason: undefined,
  reasonCode: undefined,
  notice: undefined,
  pages: undefined,
  passages: undefined
} as const

/** Adds a document within the quota of its owner's tier, or restarts a failed one. */
export const makeInsert = Effect.gen(function* () {
  const accounts = yield* Accounts
  const catalog = yield* Catalog
  const store = yield* DocumentStore
  return Effect.fnUntraced(function* (document: Document, content?: string) {
    const { tier } = yield* accounts.of(document.userId)
    const { displayName: tierName, maxDocumentBytes, maxDocuments } = tierOf(catalog, tier)
    const inserted = yield* store.insert(document, { maxDocuments, maxDocumentBytes }, content)
    if (inserted._tag !== "Full") return inserted
    const { bytes, documents, failed } = inserted
    return yield* new DocumentQuotaExceeded({
      ...{ tier, tierName, documents, bytes, failed, maxDocuments, maxDocumentBytes }
    })
  })
})

/**
 * Refuses a file unless the scanner finds it clean. Malware is reported as a security event about the person who sent
 * the file, if that person is known. If the scanner's size limit is below Parley's own, a warning for operators is
 * logged.
 */
const makeScan = Effect.gen(function* () {
  const scanner = yield* MalwareScanner
  const security = yield* SecurityEvents
  return Effect.fnUntraced(function* (bytes: Uint8Array, filename: string, sender: UserId | undefined) {
    if (scanner === undefined) return
    const verdict = yield* scanner.scan(bytes)
    if (verdict === "clean") return
    if (verdict === "too-large") {
      const warning = Effect.logWarning(
        "The malware scanner reads no file as large as an uploaded one. Raise its limit."
      )
      yield* Effect.annotateLogs(warning, { bytes: bytes.byteLength })
      return yield* fileTooLargeToScan()
    }
    yield* security.refuse({ outcome: "file_rejected", problem: "malware", userId: sender, suspicious: true })
    return yield* fileInfected(filename)
  })
})

/** A file, and the person who will own it. */
export interface FileToStore {
  readonly userId: UserId
  /** The file name from the client; it is cleaned before it is stored. */
  readonly filename: string
  readonly bytes: Uint8Array
}

/**
 * Returns a function that stores a file of a person within the quota of their tier and queues its processing, both or
 * neither. `attach` attaches a visitor's file to its conversation in the same commit; such a file is not compared with
 * other files, because the visitor must not learn which files exist.
 */
export const makeStoreFile = Effect.gen(function* () {
  const scan = yield* makeScan
  const insert = yield* makeInsert
  const files = yield* FileStore
  const jobs = yield* JobQueue
  const unitOfWork = yield* UnitOfWork
  const ids = yield* IdGenerator

  return Effect.fnUntraced(function* <E = never>(
    { bytes, filename, userId }: FileToStore,
    limits: UploadLimitsData,
    attach?: (document: Document) => Effect.Effect<void, E>
  ) {
    if (bytes.byteLength > limits.maxBytes) return yield* fileTooLarge(limits.maxBytes)
    const identified = yield* Effect.fromResult(identifyFile({ filename, bytes, accepted: limits.types }))
    yield* scan(bytes, identified.filename, attach === undefined ? userId : undefined)
    const document: Document = {
      id: yield* ids.next,
      userId,
      filename: identified.filename,
      type: identified.type,
      bytes: bytes.byteLength,
      ...IN_WORK,
      createdAt: yield* Clock.currentTimeMillis
    }
    const content = attach === undefined ? yield* sha256(bytes) : undefined
    const store = Effect.gen(function* () {
      const inserted = yield* insert(document, content)
      if (attach !== undefined) yield* attach(document)
      yield* files.write({ userId, documentId: document.id, bytes })
      yield* jobs.enqueue(userId, ProcessDocument, { documentId: document.id })
      return inserted._tag === "Inserted" ? inserted.sameAs : undefined
    })
    return { document, sameAs: yield* unitOfWork.run(userId, store) }
  })
})
