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

/** A turn that takes longer because of one document is interrupted, and the next turn continues that document. */
const LONGEST_TURN = "5 minutes"

/** The turn ended early, and the queue retries it. */
class TurnStopped extends Schema.TaggedError<TurnStopped>()("TurnStopped", { reason: Schema.String }) {}

/**
 * Takes turns over the outdated documents of a person. Each turn is one run of the job, which then goes to the end of
 * the queue, so that uploads of the same person and jobs of others run in between. A worker that dies loses only its
 * turn.
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
        // The pages are in the order of owners, so this owner's job was started already.
        if (userId === last) return Effect.void
        last = userId
        return reindexing.start(userId)
      })
    )
  })
})

export const everyonesReindexing = handledJob(ReindexEveryone, makeEveryonesStart)
