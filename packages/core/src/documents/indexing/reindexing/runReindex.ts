import { Clock, Effect, Result } from "effect"
import type { UserId } from "../../../identity/UserId.ts"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import type { EmbeddingFailed } from "../../embedding/Embedder.ts"
import type { IndexedSoFar } from "../indexDocument.ts"
import { type OutstandingDocument, visitOutstanding } from "./outstanding.ts"
import {
  againWhereStorageFails,
  type Failure,
  type ReindexedDocument,
  reindexOne,
  type ReindexParts
} from "./reindexOne.ts"

/** The progress of a run or of an estimate. */
export interface ReindexProgress {
  readonly documents: number
  readonly documentsDone: number
  /** The number of passages that the documents have now, as a measure of the work. */
  readonly passages: number
  readonly passagesDone: number
  /** The number of done passages that belong to documents that are not done yet. */
  readonly passagesInWork: number
}

/** A document whose re-indexing was tried and failed. */
export interface UndoneDocument {
  readonly userId: UserId
  readonly documentId: string
  readonly filename: string
  /** The code of the failure. */
  readonly code: string
  /** A sentence for people about the failure. */
  readonly reason: string
}

export interface ReindexReport {
  /** True if the run continued an earlier run. */
  readonly continued: boolean
  /** The number of documents that the earlier run had done. */
  readonly alreadyDone: number
  /**
   * The numbers of documents done in this run, of their passages, and of the embeddings that were requested and reused.
   */
  readonly done: number
  readonly passages: number
  readonly asked: number
  readonly reused: number
  /** The number of documents that stay as they were. */
  readonly left: number
  /** Those of the documents left that were tried, at most a thousand. */
  readonly undone: ReadonlyArray<UndoneDocument>
  /** The reason why the other documents were not tried; undefined if the run was not stopped. */
  readonly stopped: string | undefined
  /** True if another run can do documents that are left. */
  readonly mayBeContinued: boolean
}

export interface RunOptions {
  /** The number of documents that are re-indexed at the same time. */
  readonly atOnce: number
  readonly continued: boolean
  readonly onProgress: (progress: ReindexProgress) => Effect.Effect<void>
  /** Unix milliseconds: no further document is started after this time. */
  readonly endAt?: number
}

/** The maximum number of documents that the report names. */
const UNDONE_TOLD = 1_000
/** After this many consecutive failures, assume a systemic fault and stop the run. */
const FAILURES_IN_A_ROW = 5
/**
 * The maximum number of passes over the scope, which find documents that became ready meanwhile; passes that wait for
 * another process are not counted.
 */
const LOOKS = 3
/** The time between two passes while another process is working on documents. */
const BETWEEN_LOOKS = "1 second"

const OVERTAKEN =
  "It is indexed again and again by a process of another configuration. Give all the same one, then run this again."

/** Counts the results of a run, and decides whether it stops. */
class ReindexTally {
  readonly undone = new Map<string, UndoneDocument>()
  readonly sums = { done: 0, passages: 0, asked: 0, reused: 0 }
  readonly total = { documents: 0, passages: 0 }
  /** True if a later run may succeed with documents that failed. */
  mayPass = false
  /** The reason why no further document is started; undefined while there is none. */
  stopped: string | undefined
  /** True if documents are left because the time of this run is over. */
  isOver = false
  /** The storage failure that stopped the run. */
  broken: StorageFailed | undefined
  readonly #finished = { documents: 0, passages: 0 }
  readonly #inWork = new Map<string, number>()
  #failuresInRow = 0

  expect(page: ReadonlyArray<OutstandingDocument>): void {
    this.total.documents += page.length
    for (const each of page) this.total.passages += weightOf(each)
  }

  progressIn(each: OutstandingDocument, { of, passages }: IndexedSoFar): void {
    this.#inWork.set(each.key.documentId, (weightOf(each) * passages) / Math.max(of, 1))
  }

  get progress(): ReindexProgress {
    const within = [...this.#inWork.values()].reduce((sum, part) => sum + part, 0)
    return {
      ...this.total,
      documentsDone: Math.min(this.total.documents, this.#finished.documents),
      passagesDone: Math.min(this.total.passages, Math.floor(this.#finished.passages + within)),
      passagesInWork: Math.floor(within)
    }
  }

  end(each: OutstandingDocument, result: Result.Result<ReindexedDocument, Failure>, exhausted?: EmbeddingFailed): void {
    this.#inWork.delete(each.key.documentId)
    if (Result.isFailure(result)) return this.#fail(each, result.failure, exhausted)
    const outcome = result.success
    if (outcome._tag === "Busy") return
    this.#failuresInRow = 0
    this.#finished.documents += 1
    this.#finished.passages += weightOf(each)
    if (outcome._tag !== "Done") return
    this.sums.done += 1
    this.sums.passages += outcome.passages
    this.sums.asked += outcome.asked
    this.sums.reused += outcome.reused
  }

  #fail({ document, key }: OutstandingDocument, failure: Failure, exhausted: EmbeddingFailed | undefined): void {
    this.leave({ document, key }, failure.code, failure.message)
    if (failure._tag === "DocumentUnreadable") return
    this.mayPass ||= failure._tag === "StorageFailed" || failure.retryable
    this.#failuresInRow += 1
    if (exhausted !== undefined) this.stopped = exhausted.message
    else if (this.#failuresInRow >= FAILURES_IN_A_ROW) {
      if (failure._tag === "StorageFailed") this.broken = failure
      this.stopped = failure.message
    }
  }

  leave({ document, key }: Pick<OutstandingDocument, "document" | "key">, code: string, reason: string): void {
    this.undone.set(key.documentId, { ...key, filename: document.filename, code, reason })
  }
}

const weightOf = ({ document }: OutstandingDocument): number => Math.max(1, document.passages ?? 0)

/**
 * Goes through the documents that are still to be re-indexed, in several passes, until a pass finds none that it can
 * do.
 */
const workThrough = Effect.fnUntraced(function* (
  parts: ReindexParts,
  tally: ReindexTally,
  { atOnce, endAt = Number.POSITIVE_INFINITY, onProgress }: RunOptions
) {
  const tell = Effect.suspend(() => onProgress(tally.progress))
  const attempt = Effect.fnUntraced(function* (each: OutstandingDocument) {
    if (tally.stopped !== undefined || tally.undone.has(each.key.documentId)) return undefined
    tally.isOver ||= (yield* Clock.currentTimeMillis) >= endAt
    if (tally.isOver) return undefined
    const work = reindexOne(parts, each, (soFar) => {
      tally.progressIn(each, soFar)
      return tell
    })
    const result = yield* Effect.result(againWhereStorageFails(work))
    tally.end(each, result, parts.patience.stopped)
    if (Result.isFailure(result)) return undefined
    yield* tell
    return result.success._tag === "Busy" ? "busy" : "settled"
  })
  yield* tell
  for (let looks = 0; looks < LOOKS;) {
    const seen = { busy: 0, settled: 0 }
    yield* visitOutstanding(parts, (page) =>
      Effect.forEach(
        page,
        (each) =>
          Effect.map(attempt(each), (outcome) => {
            if (outcome !== undefined) seen[outcome] += 1
          }),
        { concurrency: atOnce, discard: true }
      )
    )
    if (tally.broken !== undefined) return yield* tally.broken
    if (tally.stopped !== undefined || (seen.busy === 0 && seen.settled === 0)) return
    if (seen.busy > 0) yield* Effect.sleep(BETWEEN_LOOKS)
    else looks += 1
  }
})

/** Re-indexes the documents that are still to be re-indexed, several at a time. */
export const runReindex = Effect.fnUntraced(function* (parts: ReindexParts, options: RunOptions) {
  const tally = new ReindexTally()
  const alreadyDone = yield* visitOutstanding(parts, (page) => Effect.sync(() => tally.expect(page)))
  yield* workThrough(parts, tally, options)
  const { mayPass, stopped, sums, undone } = tally
  let left = 0
  yield* visitOutstanding(parts, (page) =>
    Effect.sync(() => {
      left += page.length
      for (const each of page) {
        if (stopped === undefined && !tally.isOver && !undone.has(each.key.documentId))
          tally.leave(each, "overtaken", OVERTAKEN)
      }
    })
  )
  return {
    continued: options.continued,
    alreadyDone,
    ...sums,
    left,
    undone: [...undone.values()].slice(0, UNDONE_TOLD),
    stopped,
    mayBeContinued: left > 0 && (mayPass || tally.isOver || stopped !== undefined)
  } satisfies ReindexReport
})
