import { Cause, Clock, Effect, Exit, Option, Schedule } from "effect"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import type { UnitOfWork } from "../../../storage/UnitOfWork.ts"
import type { EmbeddingFailed } from "../../embedding/Embedder.ts"
import type { DocumentFailure, DocumentParser, DocumentUnreadable } from "../../reading/DocumentParser.ts"
import type { FileStore } from "../../storing/FileStore.ts"
import { type IndexedSoFar, switchDocument } from "../indexDocument.ts"
import { type makeReadingTries, readDocument } from "../../reading/processDocument.ts"
import { isDone, type Outstanding, type OutstandingDocument } from "./outstanding.ts"
import type { ProviderPatience } from "./ProviderPatience.ts"
import type { PassageWriter } from "../PassageWriter.ts"
import type { ReindexStore } from "./ReindexStore.ts"

/** The lifetime of a claim in milliseconds. Its holder renews it three times in that time. */
const CLAIM_MS = 9_000

/** The result for one document. */
export type ReindexedDocument =
  | ({ readonly _tag: "Done" } & IndexedSoFar)
  /** Another process is working on the document. */
  | { readonly _tag: "Busy" }
  /** The document was re-indexed or deleted after it was listed. */
  | { readonly _tag: "Settled" }

/** The reasons why a document was not re-indexed. */
export type Failure = DocumentUnreadable | EmbeddingFailed | StorageFailed

export interface ReindexParts extends Outstanding {
  readonly files: FileStore["Service"]
  readonly parser: DocumentParser["Service"]
  /** Limits the failed readings of a document, as for uploads. */
  readonly tryReading: Effect.Success<typeof makeReadingTries>
  readonly writer: PassageWriter["Service"]
  readonly unitOfWork: UnitOfWork["Service"]
  readonly claims: ReindexStore["Service"]
  /** A UUID that identifies this run. */
  readonly holder: string
  readonly patience: ProviderPatience
}

/**
 * Returns the text to index. Usually this is the stored text, which costs nothing and whose passages stay at the same
 * places. The bytes are read again only if the parser of the type has another version now. Undefined if the document is
 * up to date.
 */
const textToIndex = Effect.fnUntraced(function* (parts: ReindexParts, { document, key }: OutstandingDocument) {
  const { files, parser, passages, tryReading } = parts
  const [indexing] = yield* passages.indexings([key])
  if (isDone(parts, document.type, indexing)) return undefined
  const isSameParser = indexing?.parser === parts.wanted(document.type).parser
  const stored = isSameParser ? yield* passages.read(key) : undefined
  if (stored === undefined) {
    return yield* readDocument({ document, files, parser }, (bytes, parsing) =>
      tryReading({ document, bytes, last: false, again: true }, parsing)
    )
  }
  const { headings, pageStarts, text } = stored
  const { notice } = document
  return { text, pageStarts, ...(headings && { headings }), ...(notice !== undefined && { notice }) }
})

const NOTHING_INDEXED: IndexedSoFar = { passages: 0, of: 0, asked: 0, reused: 0 }

type OnProgress = (soFar: IndexedSoFar) => Effect.Effect<void>

/**
 * Indexes the text and switches searches to it; repeats that as often as the embedding provider asks to wait. Counts
 * the embeddings of all tries.
 */
const indexPatiently = Effect.fnUntraced(function* (
  parts: ReindexParts,
  outstanding: OutstandingDocument,
  onProgress: OnProgress
) {
  const { document, key } = outstanding
  const parsed = yield* textToIndex(parts, outstanding)
  if (parsed === undefined) return { _tag: "Settled" } satisfies ReindexedDocument
  const parser = parts.wanted(document.type).parser
  let soFar = NOTHING_INDEXED
  let earlier = NOTHING_INDEXED
  const attempt = Effect.suspend(() => {
    earlier = { ...earlier, asked: earlier.asked + soFar.asked, reused: earlier.reused + soFar.reused }
    return switchDocument(parts, {
      ...{ document: key, parsed, parser, last: false },
      onProgress: (now) => {
        soFar = now
        return onProgress(now)
      },
      finish: (passages) =>
        parts.documents.update(key.userId, key.documentId, ["ready"], {
          ...{ status: "ready", progress: 1, pages: parsed.pageStarts?.length, passages, notice: parsed.notice }
        })
    })
  })
  const { asked, of, passages, reused } = yield* parts.patience.bear(attempt, () => soFar.passages)
  return {
    ...{ _tag: "Done", passages, of, asked: earlier.asked + asked, reused: earlier.reused + reused }
  } satisfies ReindexedDocument
})

/** Renews a claim until another process has it, which can happen if this process was suspended for too long. */
const keepClaim = <E>(claimed: Effect.Effect<boolean, E>) =>
  Effect.gen(function* () {
    let heldUntil = (yield* Clock.currentTimeMillis) + CLAIM_MS
    for (;;) {
      yield* Effect.sleep(CLAIM_MS / 3)
      const asked = yield* Clock.currentTimeMillis
      const renewed = yield* Effect.option(claimed)
      if (renewed._tag === "Some" && !renewed.value) return { _tag: "Busy" } satisfies ReindexedDocument
      if (renewed._tag === "Some") heldUntil = asked + CLAIM_MS
      else if (asked > heldUntil) return { _tag: "Busy" } satisfies ReindexedDocument
    }
  })

/** Returns the failure that is stored with a document; undefined if a later try may succeed. */
const keptFailure = (exit: Exit.Exit<unknown, Failure>, { stopped }: ProviderPatience): DocumentFailure | undefined => {
  const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
  if (failure === undefined || failure._tag === "StorageFailed") return undefined
  if (failure._tag === "DocumentUnreadable") return failure.failure ?? "unreadable"
  return stopped === undefined ? "our_side" : undefined
}

/**
 * Indexes a document as a second generation beside the active one, and switches to it in one transaction. If it is
 * interrupted, the document stays as it was, and the next try continues with the passages and embeddings written so
 * far.
 */
export const reindexOne = (parts: ReindexParts, outstanding: OutstandingDocument, onProgress: OnProgress) =>
  Effect.gen(function* () {
    const { claims, documents, holder } = parts
    const { key } = outstanding
    const claim = { ...key, holder }
    const claimed = claims.claim({ ...claim, forMs: CLAIM_MS })
    if (!(yield* claimed)) {
      const [found] = yield* documents.find(key.userId, [key.documentId])
      return { _tag: found === undefined ? "Settled" : "Busy" } satisfies ReindexedDocument
    }
    return yield* Effect.raceFirst(indexPatiently(parts, outstanding, onProgress), keepClaim(claimed)).pipe(
      // The document was deleted, or another process indexed it: the next pass over the scope finds out.
      Effect.catchTag("GenerationGone", () => Effect.succeed({ _tag: "Settled" } satisfies ReindexedDocument)),
      Effect.onExit((exit) => Effect.ignore(claims.release({ ...claim, failure: keptFailure(exit, parts.patience) })))
    )
  })

/** Retries work if the storage fails for a short time; a longer failure ends the run. */
export const againWhereStorageFails = <A, E, R>(work: Effect.Effect<A, E | StorageFailed, R>) =>
  Effect.retry(work, {
    schedule: Schedule.exponential("500 millis"),
    times: 3,
    while: (error) =>
      (error as { readonly _tag?: string })._tag === "StorageFailed" && (error as StorageFailed).retryable
  })
