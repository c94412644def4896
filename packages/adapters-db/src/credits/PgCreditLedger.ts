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
/** The exits of an account's operations; undefined while the account is locked. */
type GroupExits = ReadonlyArray<AnyExit> | undefined

/** Operations in one commit at most. */
const MAX_BATCH = 128
/**
 * Commits under way at once. A commit has the same fixed cost for the server with any number of operations, so a third
 * one costs more processor time than it gains.
 */
const MAX_IN_FLIGHT = 2
/** Accounts remembered, so that their next operations need not read them; each takes about a kilobyte. */
const MAX_RECENT = 20_000
/** Commits under way at once for accounts that others write at the same time. */
const MAX_CONTENDED = 2
/** Longest wait for a database that does not answer, so that callers and slots of batches do not hang for ever. */
const COMMIT_TIMEOUT = "30 seconds"
/**
 * The time for which an account that another process has locked is retried, and the longest pause between two tries.
 */
const PATIENCE_MS = 5_000
const LONGEST_PAUSE_MS = 500
/** After this many tries an account gets in line for its lock: with others, or alone if there is room. */
const TRIES_BEFORE_LINE = 2
/** The time for which an account gets in line at once after many processes waited for it. */
const CROWDED_MS = 1_000
/** The time for which an account is not put into a batch with others after another process had locked it. */
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
type Marked = ReturnType<typeof makeMarked>

const ownerOf = (group: Group): string => group[0]?.userId ?? ""

/**
 * Returns the commit of the operations of one account each, under their locks. An account that is locked has no exits;
 * one whose lock holds up the commit, such as a lock on a hold, becomes a suspect. If a commit fails, each account is
 * tried by itself, and then each operation.
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

  /** The exits of one account whose commit failed. */
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

/** Shares the commits of `run` among accounts, one account at a time in each. */
const shared = (run: (groups: ReadonlyArray<Group>) => Effect.Effect<ReadonlyArray<GroupExits>>, maxInFlight: number) =>
  coalesce<Group, GroupExits, never>({
    laneOf: ownerOf,
    run: (groups) => Effect.map(run(groups), (all) => all.map((exits) => Exit.succeed(exits))),
    contend: () => Effect.succeed([]),
    maxBatch: MAX_BATCH,
    maxInFlight
  })

/** Returns the try of an account if it is free: with others or, if it is a suspect, alone. */
const makeTryFree = (commit: LockedCommit, suspects: Marked) => {
  const alone = Semaphore.makeUnsafe(1)
  const together = shared((groups) => commit(groups), MAX_CONTENDED)
  return Effect.fnUntraced(function* (group: Group) {
    if (!suspects.has(ownerOf(group), yield* Clock.currentTimeMillis)) return yield* together(group)
    return (yield* alone.withPermit(commit([group])))[0]
  })
}

/**
 * Returns the try that waits for an account's lock if others wait as well, so that none of many processes comes last
 * for ever. Accounts wait together in one commit. If none of their locks is free in time, the free accounts are done,
 * and each waits alone for a while, so that the one that is stuck delays no other.
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

/** The commits of accounts that other processes lock or write at the same time. */
interface ContendedCommits {
  /** True for an account that would hold up a shared commit: it is committed here at once. */
  isKnown(userId: string, now: number): boolean
  /** Tries the operations of one account until they are committed, for a few seconds; then they fail as retryable. */
  commit(group: Group): Effect.Effect<ReadonlyArray<AnyExit>>
}

const makeContendedCommits = (database: Database["Service"], time: LedgerTime): ContendedCommits => {
  /** Accounts in whose way a lock was that could not be passed over: one on a hold, or of an account being opened. */
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

/** Commits the operations of one process. */
interface Batches {
  /** Commits one operation. */
  enqueue(operation: AnyOperation): Effect.Effect<unknown, Refusal | DatabaseError>
  /** The account as it was written last, as far as it is remembered. */
  recall(userId: string): LedgerAccount | undefined
}

/**
 * Commits operations, one a call; the README draws the states of a commit. Operations of many callers share commits,
 * for accounts that no other process has locked: those commits are not slowed down by locked accounts. The others are
 * committed apart (`makeContendedCommits`).
 */
const commitBatches = (database: Database["Service"], time: LedgerTime): Batches => {
  const recent = makeRecentAccounts(MAX_RECENT)
  const contended = makeContendedCommits(database, time)

  /** Commits a batch. A failure that no operation in it causes is tried again for all; any other, one by one. */
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
   * Inside a unit of work an operation is part of its transaction, else of a batch. A refusal becomes a failure outside
   * of the transaction, so that it does not undo a unit of work around it.
   */
  const run = <A, E extends Refusal>(operation: Operation<A, E>): Effect.Effect<A, E | StorageFailed> =>
    Effect.flatMap(database.inTransaction, (joins): Effect.Effect<unknown, Refusal | DatabaseError> => {
      if (!joins) return Effect.andThen(database.admit, enqueue(operation))
      return Effect.flatMap(commitOperations(database, time, [operation]), ([exit]) => exit as AnyExit)
    }).pipe(storing(`CreditLedger.${operation.name}`)) as Effect.Effect<A, E | StorageFailed>

  /** Work on many accounts, safe to repeat as a whole, that goes past the waiting calls. */
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

/** The credit ledger in Postgres or PGlite: its three ports. */
export const PgCreditLedgerLayer: Layer.Layer<CreditPorts, never, Database> = Layer.effectContext(make)
