import { Context, Effect, Layer } from "effect"
import { IdGenerator } from "../../../storage/IdGenerator.ts"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import { UnitOfWork } from "../../../storage/UnitOfWork.ts"
import type { Document } from "../../Document.ts"
import { DocumentParser } from "../../reading/DocumentParser.ts"
import { DocumentStore } from "../../storing/DocumentStore.ts"
import { embeddingModel } from "../../embedding/embedPassages.ts"
import { DocumentNotFound, DocumentNotIndexed } from "../../errors.ts"
import { FileStore } from "../../storing/FileStore.ts"
import { type IndexedBy, PassageIndex } from "../PassageIndex.ts"
import { PassageWriter } from "../PassageWriter.ts"
import { INDEXING_VERSION } from "../indexDocument.ts"
import { type DocumentEstimate, estimateDocument } from "./estimateReindex.ts"
import { type Outstanding, type ReindexScope, scopeName, visitOutstanding } from "./outstanding.ts"
import { ProviderPatience } from "./ProviderPatience.ts"
import { ReindexStore } from "./ReindexStore.ts"
import { type ReindexProgress, type ReindexReport, runReindex } from "./runReindex.ts"

export interface ReindexInput extends ReindexScope {
  /** Begins anew where an earlier run has not ended. */
  readonly restart?: boolean
  /** Called now and then. */
  readonly onProgress?: (progress: ReindexProgress) => Effect.Effect<void>
}

/** What a run would do: sums over its documents. */
export interface ReindexEstimate extends Omit<DocumentEstimate, "toRead"> {
  /** It would continue a run that has not ended. */
  readonly continued: boolean
  readonly documents: number
  /** Documents that the run it would continue has done. */
  readonly alreadyDone: number
  /** Documents whose bytes would be read again. */
  readonly toRead: number
  /** Name and dimensions; undefined where nothing is embedded. */
  readonly embedder: string | undefined
}

/** Why a scope names nothing that can be re-indexed. */
export type ScopeProblem = DocumentNotFound | DocumentNotIndexed

/**
 * Indexes ready documents anew, by what is configured now: each as a second generation beside the one that is searched, which
 * it replaces in one step. Documents in work and failed ones are left to their jobs.
 */
export class DocumentReindex extends Context.Service<
  DocumentReindex,
  {
    /**
     * Does all of the scope, once. What is cut short is continued by the next run over the same scope; what was paid for is
     * kept at every moment. May run beside servers, and beside itself. What cannot be done stays as it is, and is reported.
     */
    run(input?: ReindexInput): Effect.Effect<ReindexReport, ScopeProblem | StorageFailed>
    /** By what documents of a type are indexed today. */
    indexedBy(type: Document["type"]): IndexedBy
    /** What `run` would do; asks no provider and writes nothing. */
    estimate(input?: ReindexInput): Effect.Effect<ReindexEstimate, ScopeProblem | StorageFailed>
  }
>()("@parley/core/documents/reindexing/DocumentReindex") {
  static readonly layer = Layer.effect(
    DocumentReindex,
    Effect.gen(function* () {
      const documents = yield* DocumentStore
      const files = yield* FileStore
      const parser = yield* DocumentParser
      const passages = yield* PassageIndex
      const writer = yield* PassageWriter
      const unitOfWork = yield* UnitOfWork
      const claims = yield* ReindexStore
      const ids = yield* IdGenerator
      // The one that the index asks: stores that are opened by themselves know it, and nothing else does.
      const { embedder } = passages
      const model = embedder && embeddingModel(embedder)

      const wanted = (type: Document["type"]): IndexedBy => ({
        parser: parser.versionOf?.(type),
        version: INDEXING_VERSION,
        embedder: model
      })
      const check = Effect.fnUntraced(function* ({ documentId, userId }: ReindexScope) {
        if (documentId === undefined) return
        const [ready] = yield* documents.listByStatus({ status: "ready", userId, documentId, limit: 1 })
        if (ready !== undefined) return
        const isThere =
          userId === undefined
            ? yield* documents.exists(documentId)
            : (yield* documents.find(userId, [documentId])).length > 0
        return yield* isThere ? new DocumentNotIndexed({ documentId }) : new DocumentNotFound({ documentId })
      })

      return DocumentReindex.of({
        indexedBy: wanted,
        run: Effect.fn("DocumentReindex.run")(function* ({
          onProgress = () => Effect.void,
          restart = false,
          ...scope
        } = {}) {
          yield* check(scope)
          const name = yield* scopeName(scope)
          const run = yield* claims.begin({ scope: name, restart })
          const report = yield* runReindex(
            {
              ...{ documents, passages, wanted, scope, begunAt: run.begunAt },
              ...{ files, parser, writer, unitOfWork, claims },
              holder: yield* ids.next,
              patience: new ProviderPatience()
            },
            { atOnce: embedder?.limits.concurrency ?? 2, continued: run.continued, onProgress }
          )
          if (!report.mayBeContinued) yield* claims.end(name)
          return report
        }),
        estimate: Effect.fn("DocumentReindex.estimate")(function* ({
          onProgress = () => Effect.void,
          restart = false,
          ...scope
        } = {}) {
          yield* check(scope)
          const run = restart ? undefined : yield* claims.find(yield* scopeName(scope))
          const begunAt = run?.begunAt ?? Number.POSITIVE_INFINITY
          const input: Outstanding = { documents, passages, wanted, scope, begunAt }
          const found = { documents: 0, passages: 0, toEmbed: 0, tokens: 0, calls: 0, toRead: 0 }
          const total = { documents: 0, passages: 0 }
          const alreadyDone = yield* visitOutstanding(input, (page) =>
            Effect.sync(() => {
              total.documents += page.length
              for (const { document } of page) total.passages += document.passages ?? 0
            })
          )
          yield* visitOutstanding(input, (page) =>
            Effect.forEach(page, (each) =>
              Effect.gen(function* () {
                const { toRead, ...one } = yield* estimateDocument(input, each, embedder)
                found.documents += 1
                found.passages += one.passages
                found.toEmbed += one.toEmbed
                found.tokens += one.tokens
                found.calls += one.calls
                found.toRead += toRead ? 1 : 0
                yield* onProgress({ ...total, documentsDone: found.documents, passagesDone: found.passages })
              })
            )
          )
          return { continued: run !== undefined, alreadyDone, ...found, embedder: model }
        })
      })
    })
  )
}
