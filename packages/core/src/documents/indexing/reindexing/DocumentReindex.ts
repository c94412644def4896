import { Context, Effect, Layer } from "effect"
import { IdGenerator } from "../../../storage/storedForms.ts"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import type { Document } from "../../Document.ts"
import { embeddingModel } from "../../embedding/embedPassages.ts"
import { DocumentNotFound, DocumentNotIndexed } from "../../errors.ts"
import type { IndexedBy } from "../PassageIndex.ts"
import { type DocumentEstimate, estimateDocument } from "./estimateReindex.ts"
import {
  type Outstanding,
  type OutstandingDocument,
  type ReindexScope,
  scopeName,
  visitOutstanding
} from "./outstanding.ts"
import { ProviderPatience } from "./ProviderPatience.ts"
import { makeParts, type Parts } from "./reindexParts.ts"
import { type ReindexProgress, type ReindexReport, runReindex } from "./runReindex.ts"

export interface ReindexInput extends ReindexScope {
  /** True: starts again even if an earlier run has not ended. */
  readonly restart?: boolean
  /** Called from time to time with the progress. */
  readonly onProgress?: (progress: ReindexProgress) => Effect.Effect<void>
}

/** The work of a run: the sums over its documents. */
export interface ReindexEstimate extends Omit<DocumentEstimate, "toRead"> {
  /** True if the run would continue an earlier run that has not ended. */
  readonly continued: boolean
  readonly documents: number
  /** The number of documents that the earlier run has done. */
  readonly alreadyDone: number
  /** The number of documents whose bytes would be read again. */
  readonly toRead: number
  /** The embedder's name and dimensions; undefined if there are no embeddings. */
  readonly embedder: string | undefined
}

/** The reasons why a scope contains no document that can be re-indexed. */
export type ScopeProblem = DocumentNotFound | DocumentNotIndexed

/** Fails if a scope names a single document that is not ready. */
const check = Effect.fnUntraced(function* ({ documents }: Parts, { documentId, userId }: ReindexScope) {
  if (documentId === undefined) return
  const { rows: ready } = yield* documents.listByStatus({ status: "ready", userId, documentId, limit: 1 })
  if (ready.length > 0) return
  const exists =
    userId === undefined
      ? yield* documents.exists(documentId)
      : (yield* documents.find(userId, [documentId])).length > 0
  return yield* exists ? new DocumentNotIndexed({ documentId }) : new DocumentNotFound({ documentId })
})

/** Adds up the estimates of all documents that are still to be re-indexed. */
const estimateAll = Effect.fnUntraced(function* (
  input: Outstanding,
  onProgress: (progress: ReindexProgress) => Effect.Effect<void>
) {
  const found = { documents: 0, passages: 0, toEmbed: 0, tokens: 0, calls: 0, toRead: 0 }
  const total = { documents: 0, passages: 0 }
  const alreadyDone = yield* visitOutstanding(input, (page) =>
    Effect.sync(() => {
      total.documents += page.length
      for (const { document } of page) total.passages += document.passages ?? 0
    })
  )
  const add = Effect.fnUntraced(function* (each: OutstandingDocument) {
    const { toRead, ...one } = yield* estimateDocument(input, each, input.passages.embedder)
    found.documents += 1
    found.passages += one.passages
    found.toEmbed += one.toEmbed
    found.tokens += one.tokens
    found.calls += one.calls
    found.toRead += toRead ? 1 : 0
    yield* onProgress({ ...total, documentsDone: found.documents, passagesDone: found.passages, passagesInWork: 0 })
  })
  yield* visitOutstanding(input, (page) => Effect.forEach(page, add))
  return { alreadyDone, ...found }
})

const silent = () => Effect.void

/**
 * Re-indexes ready documents with the present configuration: each as a second generation beside the active one, which
 * it replaces in one step. Documents in processing and failed ones are left to their own jobs.
 */
export class DocumentReindex extends Context.Service<
  DocumentReindex,
  {
    /**
     * Re-indexes all documents of the scope once. If the run is interrupted, the next run over the same scope continues
     * it, and embeddings that were paid for are never lost. Runs may run beside servers and beside each other.
     * Documents that fail stay as they were, and the report names them.
     */
    run(input?: ReindexInput): Effect.Effect<ReindexReport, ScopeProblem | StorageFailed>
    /** Returns the present versions for documents of a type. */
    indexedBy(type: Document["type"]): IndexedBy
    /** Estimates the work that `run` would do; calls no provider and writes nothing. */
    estimate(input?: ReindexInput): Effect.Effect<ReindexEstimate, ScopeProblem | StorageFailed>
  }
>()("@parley/core/documents/reindexing/DocumentReindex") {
  static readonly layer = Layer.effect(
    DocumentReindex,
    Effect.gen(function* () {
      const parts = yield* makeParts
      const { claims, passages, wanted } = parts
      const ids = yield* IdGenerator
      return DocumentReindex.of({
        indexedBy: wanted,
        run: Effect.fn("DocumentReindex.run")(function* ({ onProgress = silent, restart = false, ...scope } = {}) {
          yield* check(parts, scope)
          const name = yield* scopeName(scope)
          const { begunAt, continued } = yield* claims.begin({ scope: name, restart })
          const patience = new ProviderPatience()
          const report = yield* runReindex(
            { ...parts, scope, begunAt, patience, holder: yield* ids.next },
            { atOnce: passages.embedder?.limits.concurrency ?? 2, continued, onProgress }
          )
          if (!report.mayBeContinued) yield* claims.end(name)
          return report
        }),
        estimate: Effect.fn("DocumentReindex.estimate")(function* ({
          onProgress = silent,
          restart = false,
          ...scope
        } = {}) {
          yield* check(parts, scope)
          const run = restart ? undefined : yield* claims.find(yield* scopeName(scope))
          const begunAt = run?.begunAt ?? Number.POSITIVE_INFINITY
          const found = yield* estimateAll({ ...parts, scope, begunAt }, onProgress)
          const { embedder } = passages
          return { continued: run !== undefined, ...found, embedder: embedder && embeddingModel(embedder) }
        })
      })
    })
  )
}
