import { Effect, Schema } from "effect"
import { handledJob, jobKind, type JobTry } from "../../jobs/JobKind.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import type { Document, DocumentKey } from "../Document.ts"
import { type DocumentFailure, DocumentParser } from "./DocumentParser.ts"
import { type DocumentChange, DocumentStore } from "../storing/DocumentStore.ts"
import { FileStore } from "../storing/FileStore.ts"
import { type IndexedSoFar, switchDocument } from "../indexing/indexDocument.ts"
import { PassageWriter } from "../indexing/PassageWriter.ts"
import { makeReadingTries, readDocument } from "./readDocument.ts"

const GAVE_UP = "The document could not be processed, for a reason on our side. Try again."

/** The share of reading in the whole work; indexing is the rest. */
const READING_SHARE = 0.5

/** Reading a document and making it searchable. There is one job a document. */
export const ProcessDocument = jobKind("ProcessDocument", {
  payload: Schema.Struct({ documentId: Schema.String }),
  tries: 3,
  retryDelayMs: { first: 5000, longest: 60_000 },
  timeLimitMs: 15 * 60_000,
  twinKey: ({ documentId }) => documentId
})

/**
 * Executes document jobs: reads the bytes, cuts passages and makes them searchable. Safe to repeat: it skips a document
 * that is gone or no longer `processing`, and one that `failed` unless the job was retried, and it continues the
 * indexing of an earlier try. Unreadable bytes, and bytes that failed too often, end as `failed` with the reason at
 * once. The queue retries any other failure, and the last try ends as `failed`.
 */
const makeProcessDocument = Effect.gen(function* () {
  const documents = yield* DocumentStore
  const files = yield* FileStore
  const parser = yield* DocumentParser
  const writer = yield* PassageWriter
  const unitOfWork = yield* UnitOfWork
  const tryReading = yield* makeReadingTries

  const update = ({ userId, documentId }: DocumentKey, change: DocumentChange) =>
    documents.update(userId, documentId, ["processing"], change)
  const fail = (key: DocumentKey, reasonCode: DocumentFailure, reason: string) =>
    update(key, { status: "failed", progress: 0, reason, reasonCode })

  const read = (document: Document, last: boolean) =>
    readDocument({ document, files, parser }, (bytes, parsing) => tryReading({ document, bytes, last }, parsing))

  const process = Effect.fnUntraced(function* (key: DocumentKey, { last, report, retried }: JobTry) {
    const { userId, documentId } = key
    if (retried) yield* documents.update(userId, documentId, ["failed"], { status: "processing", progress: 0 })
    const [document] = yield* documents.find(userId, [documentId])
    if (document === undefined || document.status !== "processing") return
    report({ stage: "parsing", done: 0, of: 1 })
    const parsed = yield* read(document, last)
    const onProgress = ({ of, passages: done }: IndexedSoFar) => {
      report({ stage: "indexing", done, of })
      return update(key, {
        status: "processing",
        progress: READING_SHARE + ((1 - READING_SHARE) * done) / Math.max(of, 1)
      })
    }
    const pages = parsed.pageStarts?.length
    yield* switchDocument(
      { writer, unitOfWork },
      {
        document: key,
        parsed,
        parser: parser.versionOf?.(document.type),
        last,
        onProgress,
        finish: (count) => update(key, { status: "ready", progress: 1, pages, passages: count })
      }
    )
  })

  return Effect.fn("processDocument")(function* (tried: JobTry<typeof ProcessDocument.payload.Type>) {
    const key = { userId: tried.owner, documentId: tried.payload.documentId }
    yield* process(key, tried).pipe(
      Effect.catchTags({
        DocumentUnreadable: ({ failure = "unreadable", reason }) => Effect.asVoid(fail(key, failure, reason)),
        // Deleted meanwhile, or taken over by another try.
        GenerationGone: () => Effect.void
      }),
      Effect.onError(() => (tried.last ? Effect.ignore(fail(key, "our_side", GAVE_UP)) : Effect.void))
    )
  })
})

export const documentProcessing = handledJob(ProcessDocument, makeProcessDocument)
