import { Effect, Schema } from "effect"
import { handledJob, type JobTry } from "../jobs/JobHandler.ts"
import { jobKind } from "../jobs/JobKind.ts"
import { cutPassages } from "./cutPassages.ts"
import type { DocumentKey, Passage } from "./Document.ts"
import { DocumentParser, DocumentUnreadable, type ParsedDocument } from "./DocumentParser.ts"
import { DocumentStore } from "./DocumentStore.ts"
import { FileStore } from "./FileStore.ts"
import { PassageIndex } from "./PassageIndex.ts"
import { makeReadingTries } from "./ReadingTries.ts"

const NO_TEXT =
  "No text was found in the document. If it is a scan, run text recognition (OCR) on it and upload it again."
const GAVE_UP = "The document could not be processed for a reason on our side. Ask for it again with POST /api/rag."

/** Passages cut before others have their turn: about a millisecond's work. */
const PASSAGES_PER_TURN = 20

/** All passages of a document; a long one does not keep the streams of others waiting. */
const cutInTurns = Effect.fnUntraced(function* (document: ParsedDocument) {
  const passages: Array<Passage> = []
  for (const passage of cutPassages(document)) {
    passages.push(passage)
    if (passages.length % PASSAGES_PER_TURN === 0) yield* Effect.yieldNow
  }
  return passages
})

/** Reading a document and making it searchable. There is one job a document. */
export const ProcessDocument = jobKind("ProcessDocument", {
  payload: Schema.Struct({ documentId: Schema.String }),
  tries: 3,
  retryDelayMs: { first: 5000, longest: 60_000 },
  timeLimitMs: 15 * 60_000,
  twinKey: ({ documentId }) => documentId
})

/**
 * Who does document jobs: reads the bytes, cuts passages and makes them searchable. Safe to repeat: a document
 * that is gone or no longer `processing` is left alone, one that `failed` as well unless the job was retried. Unreadable bytes, and bytes that failed too often, end as `failed` with the reason at once; any
 * other failure is tried again by the queue and ends as `failed` with the last try.
 */
const makeProcessDocument = Effect.gen(function* () {
  const documents = yield* DocumentStore
  const files = yield* FileStore
  const parser = yield* DocumentParser
  const passages = yield* PassageIndex
  const tryReading = yield* makeReadingTries

  const fail = ({ userId, documentId }: DocumentKey, reason: string) =>
    documents.update(userId, documentId, ["processing"], { status: "failed", progress: 0, reason })

  const index = Effect.fnUntraced(function* (key: DocumentKey, { last, report, retried }: JobTry) {
    const { documentId, userId } = key
    if (retried) yield* documents.update(userId, documentId, ["failed"], { status: "processing", progress: 0 })
    const [document] = yield* documents.find(userId, [documentId])
    if (document === undefined || document.status !== "processing") return
    const bytes = yield* files.read(key)
    if (bytes === undefined) return yield* new DocumentUnreadable({ reason: NO_TEXT })
    const { type } = document
    report({ stage: "parsing", done: 0, of: 1 })
    const { text, pageStarts } = yield* tryReading({ document, bytes, last }, parser.parse({ type, bytes, userId }))
    yield* documents.update(userId, documentId, ["processing"], { status: "processing", progress: 0.5 })
    const cut = yield* cutInTurns({ text, pageStarts })
    if (cut.length === 0) return yield* new DocumentUnreadable({ reason: NO_TEXT })
    const ready = { status: "ready", progress: 1, pages: pageStarts?.length, passages: cut.length } as const
    report({ stage: "indexing", done: 0, of: cut.length })
    // Not one unit of work: indexing a long document takes seconds, for which an embedded database would serve nobody
    // else. Nothing is found before the document is ready, and a try that stops in between is repeated as a whole.
    yield* passages.replace({ userId, documentId, passages: cut })
    yield* documents.update(userId, documentId, ["processing"], ready)
  })

  return Effect.fn("processDocument")(function* (tried: JobTry<typeof ProcessDocument.payload.Type>) {
    const key = { userId: tried.owner, documentId: tried.payload.documentId }
    yield* index(key, tried).pipe(
      Effect.catchTag("DocumentUnreadable", ({ reason }) => fail(key, reason)),
      Effect.onError(() => (tried.last ? Effect.ignore(fail(key, GAVE_UP)) : Effect.void))
    )
  })
})

export const documentProcessing = handledJob(ProcessDocument, makeProcessDocument)
