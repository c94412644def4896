import type { LedgerAccount, Refusal } from "@parley/core/adapter"
import { Cause, Clock, Effect, Exit } from "effect"
import { type Database, DatabaseError } from "../database/Database.ts"
import { coalesce } from "./coalesce.ts"
import { commitFree } from "./commitOperations.ts"
import {
  type AnyExit,
  type AnyOperation,
  committing,
  exitOf,
  isLocked,
  makeContendedCommits,
  MAX_BATCH
} from "./contendedCommits.ts"
import type { LedgerTime } from "./LedgerClock.ts"
import { makeRecentAccounts } from "./recentAccounts.ts"

/**
 * Commits under way at once. A commit has the same fixed cost for the server with any number of operations, so a third
 * one costs more processor time than it gains.
 */
const MAX_IN_FLIGHT = 2
/** Accounts remembered, so that their next operations need not read them; each takes about a kilobyte. */
const MAX_RECENT = 20_000

/** Commits the operations of one process. */
interface Batches {
  /** Commits one operation. */
  enqueue(operation: AnyOperation): Effect.Effect<unknown, Refusal | DatabaseError>
  /** The account as it was written last, as far as it is remembered. */
  recall(userId: string): LedgerAccount | undefined
}

/**
 * Commits operations, one a call; the README draws the states of a commit. Operations of many callers share commits, for
 * accounts that no other process has locked: those commits are not slowed down by locked accounts. The others are
 * committed apart (`contendedCommits.ts`).
 */
export const commitBatches = (database: Database["Service"], time: LedgerTime): Batches => {
  const recent = makeRecentAccounts(MAX_RECENT)
  const contended = makeContendedCommits(database, time)

  /** Commits a batch. A failure that no operation in it causes is tried again for all; any other, one by one. */
  const runFree = (operations: ReadonlyArray<AnyOperation>): Effect.Effect<ReadonlyArray<AnyExit | undefined>> =>
    committing(commitFree(database, time, operations, recent)).pipe(
      Effect.map((answers) => answers.map(exitOf)),
      Effect.catchCause((cause) => {
        const error = Cause.squash(cause)
        if (isLocked(error)) return Effect.succeed(operations.map(() => undefined))
        if (operations.length === 1 || (error instanceof DatabaseError && error.retryable)) {
          return Effect.succeed(operations.map((): AnyExit => Exit.failCause(cause)))
        }
        return Effect.map(
          Effect.forEach(operations, (operation) => runFree([operation])),
          (exits) => exits.flat()
        )
      })
    )

  const run = (operations: ReadonlyArray<AnyOperation>): Effect.Effect<ReadonlyArray<AnyExit | undefined>> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const free = operations.filter(({ userId }) => !contended.isKnown(userId, now))
      if (free.length === operations.length) return runFree(operations)
      if (free.length === 0) return Effect.succeed(operations.map(() => undefined))
      return Effect.map(runFree(free), (exits) => {
        const done = new Map(free.map((operation, index) => [operation, exits[index]]))
        return operations.map((operation) => done.get(operation))
      })
    })

  const enqueue = coalesce<AnyOperation, unknown, Refusal | DatabaseError>({
    laneOf: ({ userId }) => userId,
    run,
    contend: contended.commit,
    maxBatch: MAX_BATCH,
    maxInFlight: MAX_IN_FLIGHT
  })
  return { enqueue, recall: (userId) => recent.recall(userId)?.account }
}
