import { Clock, Context, Effect, Schema } from "effect"
import { whole } from "../../storage/inputs.ts"
import { handledJob, jobKind, type JobTry } from "../../jobs/JobKind.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import type { Document, DocumentKey } from "../Document.ts"
import { type DocumentFailure, DocumentParser, DocumentUnreadable, type ParsedDocument } from "./DocumentParser.ts"
import { type DocumentChange, DocumentStore } from "../storing/DocumentStore.ts"
import { FileStore } from "../storing/FileStore.ts"
import { type IndexedSoFar, PASSAGES_PER_BATCH, switchDocument } from "../indexing/indexDocument.ts"
import { PassageWriter } from "../indexing/PassageWriter.ts"
import { countOf, momentOf } from "../../storage/spokenNumbers.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { keptHeadings } from "./Heading.ts"
import { RateLimiter } from "../../limits/RateLimiter.ts"
import { sha256 } from "../../secrets/sha256.ts"

const NO_TEXT = "No text was found in the document. Upload one that holds some."
const GONE = "The file's content is not here any more. Upload it again."

/** The maximum length of text that is stored and searched, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 32 * 1024 * 1024
const TOO_LONG = `The document holds more text than the ${countOf(MAX_TEXT_LENGTH, "character")} that can be searched. Split it.`

export interface ReadDocument {
  readonly files: FileStore["Service"]
  readonly parser: DocumentParser["Service"]
  readonly document: Pick<Document, "id" | "type" | "userId">
}

type Parsing = Effect.Effect<ParsedDocument, DocumentUnreadable>

/**
 * Returns the text of a document's bytes in its stored form. `within` is called with the bytes and the effect that
 * reads them, and may refuse to run that effect. Fails with a reason for the owner if there are no bytes, or no text
 * that can be searched.
 */
export const readDocument = <E = never, R = never>(
  { document, files, parser }: ReadDocument,
  within: (bytes: Uint8Array, parsing: Parsing) => Effect.Effect<ParsedDocument, E | DocumentUnreadable, R> = (
    _bytes,
    parsing
  ) => parsing
): Effect.Effect<ParsedDocument, E | DocumentUnreadable | StorageFailed, R> =>
  Effect.gen(function* () {
    const { id: documentId, type, userId } = document
    const bytes = yield* files.read({ userId, documentId })
    if (bytes === undefined) return yield* new DocumentUnreadable({ reason: GONE, failure: "incomplete" })
    const parsed = yield* within(bytes, parser.parse({ type, bytes, userId }))
    if (parsed.text.trim() === "") return yield* new DocumentUnreadable({ reason: NO_TEXT, failure: "no_text" })
    if (parsed.text.length > MAX_TEXT_LENGTH) {
      return yield* new DocumentUnreadable({ reason: TOO_LONG, failure: "too_long" })
    }
    return parsed.headings === undefined ? parsed : { ...parsed, headings: keptHeadings(parsed.headings) }
  })

/** The limits of failed readings. */
export const ReadingLimitsData = Schema.Struct({
  /** The maximum number of tries of one document that ended as unreadable. */
  triesPerDocument: whole(1, 1_000_000),
  /** The maximum number of documents of one person whose reading exceeded a limit of time or memory. */
  exhaustingPerPerson: whole(1, 1_000_000),
  /** Milliseconds after the first failure until the failures are no longer counted. */
  windowMs: whole(1, Number.MAX_SAFE_INTEGER, "a whole number of milliseconds from 1")
})
export type ReadingLimitsData = typeof ReadingLimitsData.Type

/**
 * The limits in force: 5 tries of a document and 20 exhausting documents of a person, both a day, unless configured.
 */
export class ReadingLimits extends Context.Reference<ReadingLimitsData>("@parley/core/documents/ReadingLimits", {
  defaultValue: () => ({ triesPerDocument: 5, exhaustingPerPerson: 20, windowMs: 24 * 60 * 60 * 1000 })
}) {}

const SENTENCES = {
  content: (when: string) =>
    `Reading this file took more time or memory than a document may. The same file is not read again before ${when}. Split it, or save it in a simpler form, and upload the new file.`,
  document: (when: string) =>
    `This document was tried several times and could not be read. It is not tried again before ${when}. Repair the file and upload the new one.`,
  person: (when: string) =>
    `Too many of your documents took more time or memory than a document may. Your documents are read again after ${when}: try this one again then.`
}

/** A document to read. */
export interface Reading {
  readonly document: Pick<Document, "conversation" | "id" | "type" | "userId">
  readonly bytes: Uint8Array
  /** True for the job's last try. The tries before it ended without a result, for example because the server died. */
  readonly last: boolean
  /** True if the document was read before and is now re-indexed: a failure is then not counted for the person. */
  readonly again?: boolean
}

/**
 * Limits failed tries: a file whose reading exceeded a limit is not read again for any owner, and the unreadable tries
 * of one document and the exhausting documents of one person are limited. The `RateLimiter` counts them for all servers
 * together; a successful reading is not counted.
 */
export const makeReadingTries = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const { triesPerDocument, exhaustingPerPerson, windowMs } = yield* ReadingLimits

  const eventsOf = (content: string, { conversation, id, type, userId }: Reading["document"]) =>
    [
      {
        subject: `${type} ${content}`,
        name: "exhausting-content",
        limit: 1,
        sentence: SENTENCES.content,
        failure: "too_costly"
      },
      {
        subject: id,
        name: "unreadable-document",
        limit: triesPerDocument,
        sentence: SENTENCES.document,
        failure: "unreadable"
      },
      {
        subject: userId,
        // Files of visitors are counted apart from the person's own documents.
        name: conversation === undefined ? "exhausting-documents" : "exhausting-visitor-files",
        limit: exhaustingPerPerson,
        sentence: SENTENCES.person,
        failure: "waiting"
      }
    ] as const

  /**
   * Runs `read` unless there were too many failures before; counts its failure. A refusal also fails with
   * `DocumentUnreadable`.
   */
  return <A, E, R>(
    { again = false, bytes, document, last }: Reading,
    read: Effect.Effect<A, E | DocumentUnreadable, R>
  ) =>
    Effect.gen(function* () {
      const events = eventsOf(yield* sha256(bytes), document)
      const [content, tries, person] = events
      const limits = again ? [content, tries] : events
      const counts = yield* limiter.peek(limits)
      for (const [place, { failure, limit, sentence }] of limits.entries()) {
        const { count = 0, remainingMs = 0 } = counts[place] ?? {}
        if (count < limit) continue
        const now = yield* Clock.currentTimeMillis
        return yield* new DocumentUnreadable({ reason: sentence(momentOf(now + remainingMs)), failure })
      }
      const count = ({ subject, name }: (typeof events)[number]) => limiter.count({ subject, name, windowMs })
      // The last try is counted before it runs: if the server dies during the try, there is no result to count.
      if (last) yield* count(tries)
      return yield* Effect.tapErrorTag(
        read as Effect.Effect<A, DocumentUnreadable, R>,
        "DocumentUnreadable",
        Effect.fnUntraced(function* ({ exhausting }) {
          if (!last) yield* count(tries)
          if (exhausting !== true) return
          yield* count(content)
          if (!again) yield* count(person)
        })
      )
    })
})

const GAVE_UP = "The document could not be processed, for a reason on our side. Try again."

/** The share of reading in the progress; indexing is the rest. */
const READING_SHARE = 0.5

/** Reads a document and makes it searchable. Each document has at most one such job. */
export const ProcessDocument = jobKind("ProcessDocument", {
  payload: Schema.Struct({ documentId: Schema.String }),
  tries: 3,
  retryDelayMs: { first: 5000, longest: 60_000 },
  timeLimitMs: 15 * 60_000,
  twinKey: ({ documentId }) => documentId
})

/**
 * Runs the jobs of documents: reads the bytes, cuts passages and makes them searchable. Safe to repeat: skips a
 * document that was deleted or is no longer `processing`, and one that `failed` unless the job was retried; continues
 * the indexing of an earlier try. Unreadable bytes, and bytes that failed too often, end at once as `failed`, with the
 * reason. The queue retries any other failure, and the last try ends as `failed`.
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
      // No progress is written for a short document, or after the last passages, because the document becomes ready
      // next.
      if (of <= PASSAGES_PER_BATCH || done >= of) return Effect.void
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
        finish: (count) => update(key, { status: "ready", progress: 1, pages, passages: count, notice: parsed.notice })
      }
    )
  })

  return Effect.fn("processDocument")(function* (tried: JobTry<typeof ProcessDocument.payload.Type>) {
    const key = { userId: tried.owner, documentId: tried.payload.documentId }
    yield* process(key, tried).pipe(
      Effect.catchTags({
        DocumentUnreadable: ({ failure = "unreadable", reason }) => Effect.asVoid(fail(key, failure, reason)),
        // The document was deleted meanwhile, or another try indexes it.
        GenerationGone: () => Effect.void
      }),
      Effect.onError(() => (tried.last ? Effect.ignore(fail(key, "our_side", GAVE_UP)) : Effect.void))
    )
  })
})

export const documentProcessing = handledJob(
  ProcessDocument,
  makeProcessDocument,
  DocumentParser.use(({ prepare = Effect.void }) => prepare)
)
