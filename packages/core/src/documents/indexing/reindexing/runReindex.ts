import { Effect, Result } from "effect"
import type { UserId } from "../../../identity/UserId.ts"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import type { DocumentUnreadable } from "../../reading/DocumentParser.ts"
import type { EmbeddingFailed } from "../../embedding/Embedder.ts"
import { type OutstandingDocument, visitOutstanding } from "./outstanding.ts"
import { againWhereStorageFails, type ReindexedDocument, reindexOne, type ReindexParts } from "./reindexOne.ts"

/** How far a run, or an estimate, has come. */
export interface ReindexProgress {
  readonly documents: number
  readonly documentsDone: number
  /** As many as the documents have now: what there is to do, measured. */
  readonly passages: number
  readonly passagesDone: number
}

/** A document that was left as it was. */
export interface UndoneDocument {
  readonly userId: UserId
  readonly documentId: string
  readonly filename: string
  /** The failure's code. */
  readonly code: string
  /** A sentence for people. */
  readonly reason: string
}

export interface ReindexReport {
  /** It went on where an earlier run had stopped. */
  readonly continued: boolean
  /** Documents that earlier run had done. */
  readonly alreadyDone: number
  /** Documents done now, the passages in them, and what became of their embeddings. */
  readonly done: number
  readonly passages: number
  readonly asked: number
  readonly reused: number
  /** How many documents were left as they were. */
  readonly left: number
  /** Those of them that were tried, up to a thousand; the others were not tried any more. */
  readonly undone: ReadonlyArray<UndoneDocument>
  /** Why the others were not tried. */
  readonly stopped: string | undefined
  /** The next run goes on with what was left. */
  readonly mayBeContinued: boolean
}

export interface RunOptions {
  /** Documents at once. */
  readonly atOnce: number
  readonly continued: boolean
  readonly onProgress: (progress: ReindexProgress) => Effect.Effect<void>
}

/** How many of the documents that were left are told by name. */
const UNDONE_TOLD = 1_000
/** So many failures in a row are nobody's own: the run is stopped. */
const FAILURES_IN_A_ROW = 5
/** Looks for what came or was left meanwhile, beside those that wait for somebody else. */
const LOOKS = 3
/** Between looks at documents that somebody else is at. */
const BETWEEN_LOOKS = "1 second"

type Failure = DocumentUnreadable | EmbeddingFailed | StorageFailed

const OVERTAKEN =
  "It is indexed again and again by a process of another configuration. Give all the same one, then run this again."

/** Works through all that is outstanding, several documents at a time, until nothing is left that can be done. */
export const runReindex = Effect.fnUntraced(function* (
  parts: ReindexParts,
  { atOnce, continued, onProgress }: RunOptions
) {
  const { patience } = parts
  const undone = new Map<string, UndoneDocument>()
  const sums = { done: 0, passages: 0, asked: 0, reused: 0 }
  let failuresInRow = 0
  let passing = false
  let stopped: string | undefined
  const broken: { storage?: StorageFailed } = {}

  const total = { documents: 0, passages: 0 }
  const weightOf = ({ document }: OutstandingDocument) => Math.max(1, document.passages ?? 0)
  const alreadyDone = yield* visitOutstanding(parts, (page) =>
    Effect.sync(() => {
      total.documents += page.length
      for (const each of page) total.passages += weightOf(each)
    })
  )
  const finished = { documents: 0, passages: 0 }
  const inWork = new Map<string, number>()
  const tell = Effect.suspend(() => {
    const within = [...inWork.values()].reduce((sum, part) => sum + part, 0)
    const passagesDone = Math.min(total.passages, Math.floor(finished.passages + within))
    return onProgress({ ...total, documentsDone: Math.min(total.documents, finished.documents), passagesDone })
  })

  const fail = ({ document, key }: OutstandingDocument, failure: Failure): void => {
    undone.set(key.documentId, { ...key, filename: document.filename, code: failure.code, reason: failure.message })
    if (failure._tag === "DocumentUnreadable") return
    passing ||= failure._tag === "StorageFailed" || failure.retryable
    failuresInRow += 1
    if (patience.stopped !== undefined) stopped = patience.stopped.message
    else if (failuresInRow >= FAILURES_IN_A_ROW) {
      if (failure._tag === "StorageFailed") broken.storage = failure
      stopped = failure.message
    }
  }

  const settle = (each: OutstandingDocument, outcome: ReindexedDocument): "busy" | "settled" => {
    if (outcome._tag === "Busy") return "busy"
    failuresInRow = 0
    finished.documents += 1
    finished.passages += weightOf(each)
    if (outcome._tag === "Done") {
      sums.done += 1
      sums.passages += outcome.passages
      sums.asked += outcome.asked
      sums.reused += outcome.reused
    }
    return "settled"
  }

  const attempt = Effect.fnUntraced(function* (each: OutstandingDocument) {
    if (stopped !== undefined || undone.has(each.key.documentId)) return "passed over" as const
    const weight = weightOf(each)
    const work = reindexOne(parts, each, ({ of, passages }) => {
      inWork.set(each.key.documentId, (weight * passages) / Math.max(of, 1))
      return tell
    })
    const result = yield* Effect.result(againWhereStorageFails(work))
    inWork.delete(each.key.documentId)
    if (Result.isFailure(result)) {
      fail(each, result.failure)
      return "failed" as const
    }
    const outcome = settle(each, result.success)
    yield* tell
    return outcome
  })

  yield* tell
  let looks = 0
  for (;;) {
    const seen = { busy: 0, settled: 0 }
    yield* visitOutstanding(parts, (page) =>
      Effect.forEach(
        page,
        (each) =>
          Effect.map(attempt(each), (outcome) => {
            if (outcome === "busy" || outcome === "settled") seen[outcome] += 1
          }),
        { concurrency: atOnce, discard: true }
      )
    )
    if (broken.storage !== undefined) return yield* broken.storage
    if (stopped !== undefined || (seen.busy === 0 && seen.settled === 0)) break
    if (seen.busy > 0) yield* Effect.sleep(BETWEEN_LOOKS)
    else if (++looks === LOOKS) break
  }

  let left = 0
  yield* visitOutstanding(parts, (page) =>
    Effect.sync(() => {
      left += page.length
      for (const { document, key } of page) {
        if (stopped !== undefined || undone.has(key.documentId)) continue
        undone.set(key.documentId, { ...key, filename: document.filename, code: "overtaken", reason: OVERTAKEN })
      }
    })
  )
  const report: ReindexReport = {
    continued,
    alreadyDone,
    ...sums,
    left,
    undone: [...undone.values()].slice(0, UNDONE_TOLD),
    stopped,
    mayBeContinued: left > 0 && (passing || stopped !== undefined)
  }
  return report
})
