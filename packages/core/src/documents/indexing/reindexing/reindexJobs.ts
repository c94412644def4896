import { Effect, Option, Schema } from "effect"
import type { UserId } from "../../../identity/UserId.ts"
import { handledJob, type JobTry } from "../../../jobs/JobKind.ts"
import { JobQueue } from "../../../jobs/JobQueue.ts"
import { IdGenerator } from "../../../storage/storedForms.ts"
import { visitOutstanding } from "./outstanding.ts"
import { ReindexDocuments, ReindexEveryone, Reindexing, turnProgress } from "./Reindexing.ts"
import { makeParts } from "./reindexParts.ts"
import { ReindexRecords } from "./ReindexRecords.ts"
import { takeTurn } from "./reindexTurn.ts"

/** A turn that takes longer, because of one document, is interrupted; the next one continues the document. */
const LONGEST_TURN = "5 minutes"

/** The turn ended early; the queue retries it. */
class TurnStopped extends Schema.TaggedError<TurnStopped>()("TurnStopped", { reason: Schema.String }) {}

/**
 * Takes turns over the outdated documents of a person, each a run of the job at the end of the queue, so that uploads of
 * the same person and the jobs of others come in between. A worker that dies loses nothing but its turn.
 */
const makeDocumentsTurn = Effect.gen(function* () {
  const jobs = yield* JobQueue
  const parts = yield* makeParts
  const records = yield* ReindexRecords
  const ids = yield* IdGenerator
  return Effect.fn("reindexDocuments")(function* ({ owner, report }: JobTry) {
    let advanced = false
    const turn = takeTurn(parts, records, {
      ...{ userId: owner, holder: yield* ids.next },
      onProgress: ({ passages, passagesDone, passagesInWork }) =>
        Effect.sync(() => {
          advanced ||= passagesDone > 0
          report(turnProgress(passagesInWork, passages))
        })
    })
    const ended = Option.getOrUndefined(yield* Effect.timeoutOption(turn, LONGEST_TURN))
    if (ended?.stopped !== undefined) return yield* new TurnStopped({ reason: ended.stopped })
    if (ended === undefined && !advanced) return yield* new TurnStopped({ reason: "No passage was written in time." })
    if (ended?.isOver !== true) yield* jobs.enqueue(owner, ReindexDocuments, {})
  })
})

export const documentsReindexing = handledJob(ReindexDocuments, makeDocumentsTurn)

/** Starts the job of each person with outdated documents. */
const makeEveryonesStart = Effect.gen(function* () {
  const parts = yield* makeParts
  const reindexing = yield* Reindexing
  return Effect.fn("reindexEveryone")(function* () {
    let last: UserId | undefined
    yield* visitOutstanding({ ...parts, scope: {}, begunAt: Number.NEGATIVE_INFINITY }, (page) =>
      Effect.forEach(page, ({ document: { userId } }) => {
        // Pages are in the order of owners.
        if (userId === last) return Effect.void
        last = userId
        return reindexing.start(userId)
      })
    )
  })
})

export const everyonesReindexing = handledJob(ReindexEveryone, makeEveryonesStart)
