import { Clock, Effect, Schedule } from "effect"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import type { UnitOfWork } from "../../../storage/UnitOfWork.ts"
import type { DocumentParser } from "../../reading/DocumentParser.ts"
import type { FileStore } from "../../storing/FileStore.ts"
import { type IndexedSoFar, switchDocument } from "../indexDocument.ts"
import { readDocument } from "../../reading/readDocument.ts"
import { isDone, type Outstanding, type OutstandingDocument } from "./outstanding.ts"
import type { ProviderPatience } from "./ProviderPatience.ts"
import type { PassageWriter } from "../PassageWriter.ts"
import type { ReindexStore } from "./ReindexStore.ts"

/** A claim outlives its holder by so long at most; the holder renews it three times as often. */
const CLAIM_MS = 9_000

/** What became of a document. */
export type ReindexedDocument =
  | ({ readonly _tag: "Done" } & IndexedSoFar)
  /** Somebody else is at it. */
  | { readonly _tag: "Busy" }
  /** It is done since it was listed, or deleted. */
  | { readonly _tag: "Settled" }

export interface ReindexParts extends Outstanding {
  readonly files: FileStore["Service"]
  readonly parser: DocumentParser["Service"]
  readonly writer: PassageWriter["Service"]
  readonly unitOfWork: UnitOfWork["Service"]
  readonly claims: ReindexStore["Service"]
  /** Who claims: a UUID. */
  readonly holder: string
  readonly patience: ProviderPatience
}

/**
 * Indexes a document anew beside what is searched of it, and switches in one transaction. Its text is the stored one, which
 * costs nothing and gives the same passages at the same places; only where the parser reads its type otherwise today, the bytes
 * are read again. Cut short at any moment, it leaves the document as it was, and what is written and paid for to the next try.
 */
export const reindexOne = (
  parts: ReindexParts,
  { document, key }: OutstandingDocument,
  onProgress: (soFar: IndexedSoFar) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const { claims, documents, files, holder, parser, passages, patience } = parts
    const claim = { ...key, holder }
    const claimed = claims.claim({ ...claim, forMs: CLAIM_MS })

    const textToIndex = Effect.gen(function* () {
      const [indexing] = yield* passages.indexings([key])
      if (isDone(parts, document.type, indexing)) return undefined
      const asRead = indexing?.parser === parts.wanted(document.type).parser
      const stored = asRead ? yield* passages.read(key) : undefined
      if (stored === undefined) return yield* readDocument({ document, files, parser })
      const { headings, pageStarts, text } = stored
      return { text, pageStarts, ...(headings === undefined ? {} : { headings }) }
    })

    const work = Effect.gen(function* () {
      const parsed = yield* textToIndex
      if (parsed === undefined) return { _tag: "Settled" } satisfies ReindexedDocument
      const version = parts.wanted(document.type).parser
      let soFar: IndexedSoFar = { passages: 0, of: 0, asked: 0, reused: 0 }
      let counted = { asked: 0, reused: 0 }
      const attempt = Effect.suspend(() => {
        counted = { asked: counted.asked + soFar.asked, reused: counted.reused + soFar.reused }
        return switchDocument(parts, {
          document: key,
          parsed,
          parser: version,
          last: false,
          onProgress: (now) => {
            soFar = now
            return onProgress(now)
          },
          finish: (count) =>
            documents.update(key.userId, key.documentId, ["ready"], {
              status: "ready",
              progress: 1,
              pages: parsed.pageStarts?.length,
              passages: count
            })
        })
      })
      const filled = yield* patience.bear(attempt, () => soFar.passages)
      return {
        _tag: "Done",
        passages: filled.passages,
        of: filled.of,
        asked: counted.asked + filled.asked,
        reused: counted.reused + filled.reused
      } satisfies ReindexedDocument
    })

    /** Ends where the claim is somebody else's: this process stood still for too long. */
    const keepClaim = Effect.gen(function* () {
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

    if (!(yield* claimed)) {
      const [found] = yield* documents.find(key.userId, [key.documentId])
      return { _tag: found === undefined ? "Settled" : "Busy" } satisfies ReindexedDocument
    }
    return yield* Effect.raceFirst(work, keepClaim).pipe(
      // Deleted meanwhile, or indexed by somebody else: the next look tells.
      Effect.catchTag("GenerationGone", () => Effect.succeed({ _tag: "Settled" } satisfies ReindexedDocument)),
      Effect.ensuring(Effect.ignore(claims.release(claim)))
    )
  })

/** What storage does not do for a moment is tried again; what it does not do at all is the run's end. */
export const againWhereStorageFails = <A, E, R>(work: Effect.Effect<A, E | StorageFailed, R>) =>
  Effect.retry(work, {
    schedule: Schedule.exponential("500 millis"),
    times: 3,
    while: (error) =>
      (error as { readonly _tag?: string })._tag === "StorageFailed" && (error as StorageFailed).retryable
  })
