import type { LedgerAccount, Operation, Refusal } from "@parley/core/adapter"
import { Cause, Clock, Effect, Exit, Option, Random, Result, Semaphore } from "effect"
import { type Database, DatabaseError } from "../database/Database.ts"
import { forPurpose } from "../database/limits.ts"
import { coalesce } from "./coalesce.ts"
import { commitContended, commitFree } from "./commitOperations.ts"
import type { LedgerTime } from "./LedgerClock.ts"
import { makeRecentAccounts } from "./recentAccounts.ts"
import { retrySoon } from "./retrySoon.ts"

type AnyOperation = Operation<unknown, Refusal>
type AnyExit = Exit.Exit<unknown, Refusal | DatabaseError>
type Answer = Result.Result<unknown, Refusal>

/** Operations in one commit at most, and commits under way at once. */
const MAX_BATCH = 128
const MAX_IN_FLIGHT = 3
/** Commits under way at once for accounts that others write at the same time. */
const MAX_CONTENDED = 2
/** Accounts remembered, so that their next operations need not read them; each takes about a kilobyte. */
const MAX_RECENT = 20_000
/** A database that does not answer is given up on, so that neither callers nor the slots of batches hang for ever. */
const COMMIT_TIMEOUT = "30 seconds"
/** How long an account that another process has locked is tried again, and how long the pauses between get. */
const PATIENCE_MS = 5_000
const LONGEST_PAUSE_MS = 500
/** After so many tries an account gets in line for its lock: with others, or alone where there is room. */
const TRIES_BEFORE_LINE = 2
/** For so long an account for which many processes waited gets in line at once. */
const CROWDED_MS = 1_000
/** For so long an account in whose way a lock was once is not put into a batch with others. */
const SUSPECTED_MS = 30_000
const MAX_MARKED = 10_000
const LOCK_NOT_AVAILABLE = "55P03"

const isLocked = (error: unknown): boolean => error instanceof DatabaseError && error.sqlState === LOCK_NOT_AVAILABLE

const committing = <A>(work: Effect.Effect<A, DatabaseError>): Effect.Effect<A, DatabaseError> =>
  work.pipe(
    forPurpose("commit"),
    // A lock is waited for elsewhere.
    retrySoon((error) => error.retryable && !isLocked(error)),
    Effect.timeout(COMMIT_TIMEOUT),
    Effect.catchTag("TimeoutError", (cause) => Effect.fail(new DatabaseError({ cause })))
  )

const exitOf = (answer: Answer | undefined): AnyExit | undefined => {
  if (answer === undefined) return undefined
  return Result.isSuccess(answer) ? Exit.succeed(answer.success) : Exit.fail(answer.failure)
}

const locked = (): AnyExit =>
  Exit.fail(
    new DatabaseError({
      sqlState: LOCK_NOT_AVAILABLE,
      cause: new Error("The account is locked by another transaction.")
    })
  )

/** Accounts of which something is known for a while. */
const makeMarked = (forMs: number) => {
  const until = new Map<string, number>()
  return {
    has: (userId: string, now: number): boolean => (until.get(userId) ?? 0) > now,
    add: (userId: string, now: number): void => {
      if (until.size >= MAX_MARKED) until.clear()
      until.set(userId, now + forMs)
    },
    clear: (userId: string): void => void until.delete(userId)
  }
}

/** Commits the operations of one process. */
interface Batches {
  /** Commits one operation. */
  enqueue(operation: AnyOperation): Effect.Effect<unknown, Refusal | DatabaseError>
  /** The account as it was written last, as far as it is remembered. */
  recall(userId: string): LedgerAccount | undefined
}

/**
 * Gives what commits operations, one a call. Operations of many callers share commits, for accounts that no other
 * process has locked: those are done at full speed whatever happens to others. An account that is locked, or that another process
 * changes at the same time, is tried again in commits of a second kind until it is free, for a few seconds, and gets in
 * line for its lock as far as there is room; one whose lock holds up a whole commit is tried alone. Then its operations
 * fail as worth trying again.
 */
export const commitBatches = (database: Database["Service"], time: LedgerTime): Batches => {
  const recent = makeRecentAccounts(MAX_RECENT)
  /** Accounts in whose way a lock was that could not be passed over: one on a hold, or of an account being opened. */
  const suspects = makeMarked(SUSPECTED_MS)
  const crowded = makeMarked(CROWDED_MS)
  /** Accounts that are not waited for together with others. */
  const loners = makeMarked(SUSPECTED_MS)
  const alone = Semaphore.makeUnsafe(1)
  const line = Semaphore.makeUnsafe(1)

  /** Commits a batch. What no operation in it causes is tried again for all; anything else, one by one. */
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
      const free = operations.filter(({ userId }) => !suspects.has(userId, now) && !crowded.has(userId, now))
      if (free.length === operations.length) return runFree(operations)
      if (free.length === 0) return Effect.succeed(operations.map(() => undefined))
      return Effect.map(runFree(free), (exits) => {
        const done = new Map(free.map((operation, index) => [operation, exits[index]]))
        return operations.map((operation) => done.get(operation))
      })
    })

  /** The operations of one account each; gives their exits, or nothing where the account is locked. */
  const runContended = (
    groups: ReadonlyArray<ReadonlyArray<AnyOperation>>,
    inLine = false
  ): Effect.Effect<ReadonlyArray<ReadonlyArray<AnyExit> | undefined>> =>
    committing(commitContended(database, time, groups.flat(), inLine)).pipe(
      Effect.map((answers) => {
        const exits = answers.map(exitOf)
        let place = 0
        return groups.map((group) => {
          const own = exits.slice(place, (place += group.length))
          return own.every((exit) => exit !== undefined) ? own : undefined
        })
      }),
      Effect.catchCause((cause) => {
        if (inLine && isLocked(Cause.squash(cause))) return Effect.succeed(groups.map(() => undefined))
        return groups.length > 1
          ? Effect.map(
              Effect.forEach(groups, (group) => runContended([group])),
              (exits) => exits.flat()
            )
          : Effect.map(failedAlone(groups[0] ?? [], cause), (exits) => [exits])
      })
    )

  /** What becomes of the operations of one account whose commit failed. */
  const failedAlone = (
    group: ReadonlyArray<AnyOperation>,
    cause: Cause.Cause<DatabaseError>
  ): Effect.Effect<ReadonlyArray<AnyExit> | undefined> => {
    const error = Cause.squash(cause)
    if (isLocked(error)) {
      return Effect.map(Clock.currentTimeMillis, (now) => {
        for (const { userId } of group) suspects.add(userId, now)
        return undefined
      })
    }
    if (group.length <= 1 || (error instanceof DatabaseError && error.retryable)) {
      return Effect.succeed(group.map((): AnyExit => Exit.failCause(cause)))
    }
    return Effect.map(
      Effect.forEach(group, (operation) => runContended([[operation]])),
      (each) => each.map(([exits]) => exits?.[0] ?? locked())
    )
  }

  const together = coalesce<ReadonlyArray<AnyOperation>, ReadonlyArray<AnyExit> | undefined, never>({
    laneOf: (group) => group[0]?.userId ?? "",
    run: (groups) => Effect.map(runContended(groups), (all) => all.map((exits) => Exit.succeed(exits))),
    contend: () => Effect.succeed([]),
    maxBatch: MAX_BATCH,
    maxInFlight: MAX_CONTENDED
  })

  /** Tries an account if it is free, in company or alone. */
  const tryFree = Effect.fnUntraced(function* (group: ReadonlyArray<AnyOperation>) {
    const isSuspect = suspects.has(group[0]?.userId ?? "", yield* Clock.currentTimeMillis)
    return yield* isSuspect ? Effect.map(alone.withPermit(runContended([group])), (all) => all[0]) : together(group)
  })

  /**
   * Waits for the locks of accounts for which others wait as well, in one commit. Where one is not free in time, those
   * that are free are done, and all are waited for alone for a while, so that the one that is stuck delays no other.
   */
  const runInLine = (groups: ReadonlyArray<ReadonlyArray<AnyOperation>>) =>
    Effect.flatMap(runContended(groups, true), (exits) => {
      if (groups.length === 1 || exits.some((exit) => exit !== undefined)) return Effect.succeed(exits)
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        for (const group of groups) loners.add(group[0]?.userId ?? "", now)
        return runContended(groups)
      })
    })

  const inCompany = coalesce<ReadonlyArray<AnyOperation>, ReadonlyArray<AnyExit> | undefined, never>({
    laneOf: (group) => group[0]?.userId ?? "",
    run: (groups) => Effect.map(runInLine(groups), (all) => all.map((exits) => Exit.succeed(exits))),
    contend: () => Effect.succeed([]),
    maxBatch: MAX_BATCH,
    maxInFlight: 1
  })

  /** Waits for the account's lock where others wait as well, so that none of many processes comes last for ever. */
  const tryInLine = Effect.fnUntraced(function* (group: ReadonlyArray<AnyOperation>) {
    const userId = group[0]?.userId ?? ""
    if (!loners.has(userId, yield* Clock.currentTimeMillis)) return yield* inCompany(group)
    const waited = yield* line.withPermitsIfAvailable(1)(runContended([group], true))
    const exits = Option.isSome(waited) ? waited.value[0] : yield* tryFree(group)
    if (exits !== undefined) loners.clear(userId)
    return exits
  })

  const contend = Effect.fnUntraced(function* (group: ReadonlyArray<AnyOperation>) {
    const userId = group[0]?.userId ?? ""
    const from = yield* Clock.currentTimeMillis
    const first = crowded.has(userId, from) ? TRIES_BEFORE_LINE : 0
    for (let tries = first; ; tries += 1) {
      if (first === 0 && tries === TRIES_BEFORE_LINE) crowded.add(userId, yield* Clock.currentTimeMillis)
      const exits = yield* tries < TRIES_BEFORE_LINE ? tryFree(group) : tryInLine(group)
      if (exits !== undefined) {
        suspects.clear(userId)
        return exits
      }
      if ((yield* Clock.currentTimeMillis) - from >= PATIENCE_MS) return group.map(locked)
      yield* Effect.sleep(Math.min(LONGEST_PAUSE_MS, 5 * 2 ** tries) * (0.5 + (yield* Random.next)))
    }
  })

  const enqueue = coalesce<AnyOperation, unknown, Refusal | DatabaseError>({
    laneOf: ({ userId }) => userId,
    run,
    contend,
    maxBatch: MAX_BATCH,
    maxInFlight: MAX_IN_FLIGHT
  })
  return { enqueue, recall: (userId) => recent.recall(userId)?.account }
}
