import {
  accountOf,
  CreditLedger,
  type CreditPorts,
  CreditRecords,
  CreditUpkeep,
  type Operation,
  type Refusal,
  type StorageFailed,
  type LedgerAccount
} from "@parley/core/adapter"
import { Context, Effect, Layer, Cause, Clock, Exit, Option, Random, Semaphore } from "effect"
import { Database, DatabaseError } from "../database/Database.ts"
import { type Purpose, forPurpose } from "../database/limits.ts"
import { storing } from "../storage/storageFailed.ts"
import {
  type AnyExit,
  commitOperations,
  type AnyOperation,
  commitFree,
  commitContended,
  makeRecentAccounts
} from "./commitOperations.ts"
import { renewHolds } from "./renewHolds.ts"
import { DATABASE_NOW, makeLedgerTime, type LedgerTime } from "./LedgerClock.ts"
import { missingTiers } from "./upkeep/missingTiers.ts"
import { makeRecords } from "./PgCreditRecords.ts"
import { nextDue, resetAccounts } from "./upkeep/resetAccounts.ts"
import { retrySoon } from "./retrySoon.ts"
import { sweepHolds } from "./upkeep/sweepHolds.ts"
import { verifyAccounts } from "./upkeep/verifyAccounts.ts"
import { coalesce } from "./coalesce.ts"

type Group = ReadonlyArray<AnyOperation>
/** The results of the operations on one account; undefined if the account is locked by another transaction. */
type GroupExits = ReadonlyArray<AnyExit> | undefined

/** The most operations in one commit. */
const MAX_BATCH = 128
/**
 * The most commits under way at once. The server's fixed cost of a commit does not depend on the number of its
 * operations, so a third commit would cost more processor time than it gains.
 */
const MAX_IN_FLIGHT = 2
/**
 * The most accounts that are remembered, so that their next operations need not read them. Each takes about a kilobyte.
 */
const MAX_RECENT = 20_000
/** The most commits under way at once for accounts that other processes write at the same time. */
const MAX_CONTENDED = 2
/** Longest wait for a database that does not answer, so that callers and slots of batches do not hang for ever. */
const COMMIT_TIMEOUT = "30 seconds"
/**
 * The longest time during which operations on a locked account are retried, and the longest pause between two tries.
 */
const PATIENCE_MS = 5_000
const LONGEST_PAUSE_MS = 500
/**
 * The number of tries without waiting for the lock of an account. Later tries wait in line for the lock, in a commit
 * shared with other accounts, or alone.
 */
const TRIES_BEFORE_LINE = 2
/** The time for which operations on an account wait in line from the first try, after an earlier operation had to. */
const CROWDED_MS = 1_000
/** The time for which an account shares no commit with other accounts after its lock has held up a commit. */
const SUSPECTED_MS = 30_000
const MAX_MARKED = 10_000
const LOCK_NOT_AVAILABLE = "55P03"

const isLocked = (error: unknown): boolean => error instanceof DatabaseError && error.sqlState === LOCK_NOT_AVAILABLE

const committing = <A>(work: Effect.Effect<A, DatabaseError>): Effect.Effect<A, DatabaseError> =>
  work.pipe(
    forPurpose("commit"),
    // Operations on a locked account are retried by `makeContendedCommits`.
    retrySoon((error) => error.retryable && !isLocked(error)),
    Effect.timeout(COMMIT_TIMEOUT),
    Effect.catchTag("TimeoutError", (cause) => Effect.fail(new DatabaseError({ cause })))
  )

const locked = (): AnyExit =>
  Exit.fail(
    new DatabaseError({
      sqlState: LOCK_NOT_AVAILABLE,
      cause: new Error("The account is locked by another transaction.")
    })
  )

/** Makes a set of accounts that forgets each account after `forMs` milliseconds. */
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
type Marked = ReturnType<typeof makeMarked>

const ownerOf = (group: Group): string => group[0]?.userId ?? ""

/**
 * Returns a function that commits the operations of several accounts under the accounts' locks. The result of a locked
 * account is undefined. An account whose lock holds up the commit, such as a lock on a hold, becomes a suspect. If a
 * commit fails, each account is tried by itself, and then each operation by itself.
 */
const makeLockedCommit = (database: Database["Service"], time: LedgerTime, suspects: Marked) => {
  const commit = (groups: ReadonlyArray<Group>, inLine = false): Effect.Effect<ReadonlyArray<GroupExits>> =>
    committing(commitContended(database, time, groups.flat(), inLine)).pipe(
      Effect.map((exits) => {
        let place = 0
        return groups.map((group) => {
          const own = exits.slice(place, (place += group.length))
          return own.every((exit) => exit !== undefined) ? own : undefined
        })
      }),
      Effect.catchCause((cause) => {
        if (inLine && isLocked(Cause.squash(cause))) return Effect.succeed(groups.map(() => undefined))
        if (groups.length === 1) return Effect.map(failedAlone(groups[0] ?? [], cause), (exits) => [exits])
        return Effect.map(
          Effect.forEach(groups, (group) => commit([group])),
          (exits) => exits.flat()
        )
      })
    )

  /** Returns the results of one account if its commit has failed. */
  const failedAlone = (group: Group, cause: Cause.Cause<DatabaseError>): Effect.Effect<GroupExits> => {
    const error = Cause.squash(cause)
    if (isLocked(error)) {
      return Effect.map(Clock.currentTimeMillis, (now) => {
        suspects.add(ownerOf(group), now)
        return undefined
      })
    }
    if (group.length <= 1 || (error instanceof DatabaseError && error.retryable)) {
      return Effect.succeed(group.map((): AnyExit => Exit.failCause(cause)))
    }
    return Effect.map(
      Effect.forEach(group, (operation) => commit([[operation]])),
      (each) => each.map(([exits]) => exits?.[0] ?? locked())
    )
  }
  return commit
}

type LockedCommit = ReturnType<typeof makeLockedCommit>

/** Makes concurrent calls share commits of `run`. A commit has at most one group of operations of each account. */
const shared = (run: (groups: ReadonlyArray<Group>) => Effect.Effect<ReadonlyArray<GroupExits>>, maxInFlight: number) =>
  coalesce<Group, GroupExits, never>({
    laneOf: ownerOf,
    run: (groups) => Effect.map(run(groups), (all) => all.map((exits) => Exit.succeed(exits))),
    contend: () => Effect.succeed([]),
    maxBatch: MAX_BATCH,
    maxInFlight
  })

/**
 * Returns a function that tries the operations of an account without waiting for its lock: in a commit shared with
 * other accounts, or alone if the account is a suspect.
 */
const makeTryFree = (commit: LockedCommit, suspects: Marked) => {
  const alone = Semaphore.makeUnsafe(1)
  const together = shared((groups) => commit(groups), MAX_CONTENDED)
  return Effect.fnUntraced(function* (group: Group) {
    if (!suspects.has(ownerOf(group), yield* Clock.currentTimeMillis)) return yield* together(group)
    return (yield* alone.withPermit(commit([group])))[0]
  })
}

/**
 * Returns a function that waits for the lock of an account, so that none of many competing processes is always the
 * last. Accounts wait together in one commit. If that commit fails because a lock was not free in time, the accounts
 * that are free are committed, and each of these accounts waits alone for a while, so that the locked account delays no
 * other.
 */
const makeTryInLine = (commit: LockedCommit, tryFree: ReturnType<typeof makeTryFree>) => {
  const line = Semaphore.makeUnsafe(1)
  const loners = makeMarked(SUSPECTED_MS)
  const inCompany = shared(
    (groups) =>
      Effect.flatMap(commit(groups, true), (exits) => {
        if (groups.length === 1 || exits.some((exit) => exit !== undefined)) return Effect.succeed(exits)
        return Effect.flatMap(Clock.currentTimeMillis, (now) => {
          for (const group of groups) loners.add(ownerOf(group), now)
          return commit(groups)
        })
      }),
    1
  )
  return Effect.fnUntraced(function* (group: Group) {
    const userId = ownerOf(group)
    if (!loners.has(userId, yield* Clock.currentTimeMillis)) return yield* inCompany(group)
    const waited = yield* line.withPermitsIfAvailable(1)(commit([group], true))
    const exits = Option.isSome(waited) ? waited.value[0] : yield* tryFree(group)
    if (exits !== undefined) loners.clear(userId)
    return exits
  })
}

/** Commits operations on accounts that other processes lock or write at the same time. */
interface ContendedCommits {
  /**
   * True for an account that would hold up a shared commit, so that its operations are to be committed here at once.
   */
  isKnown(userId: string, now: number): boolean
  /** Tries to commit the operations of one account for a few seconds; then the operations fail as retryable. */
  commit(group: Group): Effect.Effect<ReadonlyArray<AnyExit>>
}

const makeContendedCommits = (database: Database["Service"], time: LedgerTime): ContendedCommits => {
  /**
   * Accounts whose lock held up a commit because it could not be skipped: a lock on a hold, or on an account that is
   * being opened.
   */
  const suspects = makeMarked(SUSPECTED_MS)
  const crowded = makeMarked(CROWDED_MS)
  const commit = makeLockedCommit(database, time, suspects)
  const tryFree = makeTryFree(commit, suspects)
  const tryInLine = makeTryInLine(commit, tryFree)
  return {
    isKnown: (userId, now) => suspects.has(userId, now) || crowded.has(userId, now),
    commit: Effect.fnUntraced(function* (group) {
      const userId = ownerOf(group)
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
  }
}

/** Commits the operations of this process in batches. */
interface Batches {
  /** Commits one operation. */
  enqueue(operation: AnyOperation): Effect.Effect<unknown, Refusal | DatabaseError>
  /** Returns the account as this process wrote it last; undefined if this process does not remember it. */
  recall(userId: string): LedgerAccount | undefined
}

/**
 * Returns the function that commits operations, one for each call; the README draws the states of a commit. Operations
 * of many callers share commits if no other process has locked their accounts, so locked accounts do not slow these
 * commits down. Operations on the other accounts are committed by `makeContendedCommits`.
 */
const commitBatches = (database: Database["Service"], time: LedgerTime): Batches => {
  const recent = makeRecentAccounts(MAX_RECENT)
  const contended = makeContendedCommits(database, time)

  /**
   * Commits a batch. If the failure is temporary, all operations fail as retryable; otherwise each is committed by
   * itself.
   */
  const runFree = (operations: ReadonlyArray<AnyOperation>): Effect.Effect<ReadonlyArray<AnyExit | undefined>> =>
    committing(commitFree(database, time, operations, recent)).pipe(
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

const make = Effect.gen(function* () {
  const database = yield* Database
  const time = yield* makeLedgerTime
  const { enqueue, recall } = commitBatches(database, time)

  /**
   * Runs an operation in the transaction of the surrounding unit of work, or in a batch if there is none. A refusal
   * becomes a failure only outside of the transaction, so that it does not roll back the unit of work.
   */
  const run = <A, E extends Refusal>(operation: Operation<A, E>): Effect.Effect<A, E | StorageFailed> =>
    Effect.flatMap(database.inTransaction, (joins): Effect.Effect<unknown, Refusal | DatabaseError> => {
      if (!joins) return Effect.andThen(database.admit, enqueue(operation))
      return Effect.flatMap(commitOperations(database, time, [operation]), ([exit]) => exit as AnyExit)
    }).pipe(storing(`CreditLedger.${operation.name}`)) as Effect.Effect<A, E | StorageFailed>

  /** Runs work on many accounts that is safe to repeat as a whole. It does not wait for the batches of operations. */
  const atOnce = <A, E>(
    name: string,
    work: (now: string | null) => Effect.Effect<A, E | DatabaseError>,
    purpose: Purpose = "maintenance"
  ): Effect.Effect<A, Exclude<E, DatabaseError> | StorageFailed> =>
    Effect.flatMap(time.given, work).pipe(retrySoon(), storing(`CreditLedger.${name}`, purpose))

  const askTime = Effect.map(
    database.statement<{ readonly now: number }>(`SELECT ${DATABASE_NOW} AS now`),
    ([row]) => ({ databaseNow: row?.now ?? 0 })
  )
  const tellTime = Effect.flatMap(time.learnFrom(askTime), ({ databaseNow }) => time.at(databaseNow))

  const ledger = CreditLedger.of({
    now: atOnce("now", () => tellTime, "interactive"),
    run,
    renew: (input) => atOnce("renew", (now) => renewHolds(database, input, now)),
    recall: (userId) => {
      const recalled = recall(userId)
      return recalled && accountOf(recalled)
    }
  })
  const upkeep = CreditUpkeep.of({
    sweep: (input) => atOnce("sweep", () => sweepHolds(database, time, input)),
    due: (input) => atOnce("due", () => nextDue(database, input)),
    reset: (input) => atOnce("reset", (now) => resetAccounts(database, input, now)),
    missingTiers: (known) => atOnce("missingTiers", () => missingTiers(database, known), "interactive"),
    verify: (input) => atOnce("verify", () => verifyAccounts(database, input), "audit")
  })
  return Context.make(CreditLedger, ledger).pipe(
    Context.add(CreditUpkeep, upkeep),
    Context.add(CreditRecords, makeRecords(database))
  )
})

/** The three ports of the credit ledger in Postgres or PGlite. */
export const PgCreditLedgerLayer: Layer.Layer<CreditPorts, never, Database> = Layer.effectContext(make)
