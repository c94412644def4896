import { Effect, Schema } from "effect"
import { handledJob, type JobTry } from "../jobs/JobHandler.ts"
import { jobKind } from "../jobs/JobKind.ts"
import { countOf } from "../storage/spokenNumbers.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import type { Document, DocumentKey } from "./Document.ts"
import type { DocumentFailure } from "./DocumentFailure.ts"
import { DocumentParser, DocumentUnreadable } from "./DocumentParser.ts"
import { type DocumentChange, DocumentStore } from "./DocumentStore.ts"
import { FileStore } from "./FileStore.ts"
import { keptHeadings } from "./Heading.ts"
import { indexDocument } from "./indexDocument.ts"
import { PassageIndex } from "./PassageIndex.ts"
import { makeReadingTries } from "./ReadingTries.ts"

const NO_TEXT = "No text was found in the document. Upload one that holds some."
const GAVE_UP = "The document could not be processed, for a reason on our side. Try again."

const GONE = "The file's content is not here any more. Upload it again."

/** The longest text that is kept and searched, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 32 * 1024 * 1024
const TOO_LONG = `The document holds more text than the ${countOf(MAX_TEXT_LENGTH, "character")} that can be searched. Split it.`

/** What reading is of the whole work, and indexing the rest. */
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
 * Does document jobs: reads the bytes, cuts passages and makes them searchable. Safe to repeat: a document that is gone or
 * no longer `processing` is left alone, one that `failed` as well unless the job was retried, and what an earlier try has
 * indexed is continued. Unreadable bytes, and bytes that failed too often, end as `failed` with the reason at once; any
 * other failure is tried again by the queue and ends as `failed` with the last try.
 */
const makeProcessDocument = Effect.gen(function* () {
  const documents = yield* DocumentStore
  const files = yield* FileStore
  const parser = yield* DocumentParser
  const passages = yield* PassageIndex
  const unitOfWork = yield* UnitOfWork
  const tryReading = yield* makeReadingTries

  const update = ({ userId, documentId }: DocumentKey, change: DocumentChange) =>
    documents.update(userId, documentId, ["processing"], change)
  const fail = (key: DocumentKey, reasonCode: DocumentFailure, reason: string) =>
    update(key, { status: "failed", progress: 0, reason, reasonCode })

  const read = Effect.fnUntraced(function* (document: Document, last: boolean) {
    const { id: documentId, type, userId } = document
    const bytes = yield* files.read({ userId, documentId })
    if (bytes === undefined) return yield* new DocumentUnreadable({ reason: GONE, failure: "incomplete" })
    const parsed = yield* tryReading({ document, bytes, last }, parser.parse({ type, bytes, userId }))
    if (parsed.text.trim() === "") return yield* new DocumentUnreadable({ reason: NO_TEXT, failure: "no_text" })
    if (parsed.text.length > MAX_TEXT_LENGTH) {
      return yield* new DocumentUnreadable({ reason: TOO_LONG, failure: "too_long" })
    }
    return parsed.headings === undefined ? parsed : { ...parsed, headings: keptHeadings(parsed.headings) }
  })

  const process = Effect.fnUntraced(function* (key: DocumentKey, { last, report, retried }: JobTry) {
    const { userId, documentId } = key
    if (retried) yield* documents.update(userId, documentId, ["failed"], { status: "processing", progress: 0 })
    const [document] = yield* documents.find(userId, [documentId])
    if (document === undefined || document.status !== "processing") return
    report({ stage: "parsing", done: 0, of: 1 })
    const parsed = yield* read(document, last)
    const onProgress = (end: number) => {
      const of = parsed.text.length
      report({ stage: "indexing", done: end, of })
      return update(key, { status: "processing", progress: READING_SHARE + ((1 - READING_SHARE) * end) / of })
    }
    yield* onProgress(0)
    // Many short transactions, then one for the switch: indexing a long document takes seconds, for which an embedded
    // database would serve nothing else.
    const generation = yield* indexDocument(passages, { document: key, parsed, last, onProgress })
    const pages = parsed.pageStarts?.length
    const ready = update(key, { status: "ready", progress: 1, pages, passages: generation.passages })
    yield* unitOfWork.run(userId, Effect.andThen(passages.activate(generation), ready))
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
