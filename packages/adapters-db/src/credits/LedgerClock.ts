import { Clock, Context, Effect } from "effect"

/**
 * The clock that holds, sweeps and periods go by: the database's, which all processes share, or, in tests that move the
 * time themselves, that of the fiber which calls.
 */
export class LedgerClock extends Context.Reference<"database" | "caller">("@parley/adapters-db/credits/LedgerClock", {
  defaultValue: () => "database"
}) {}

/** The database's clock in Unix milliseconds, as SQL that gives a number. */
export const DATABASE_NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::float8"

/** The moment a parameter gives, else the database's own, as SQL. */
export const momentOf = (parameter: string) => `coalesce(${parameter}::timestamptz, clock_timestamp())`

/** What a process knows of the time of its ledger. */
export interface LedgerTime {
  /** The time in Unix milliseconds, as near as this process knows it: decisions by it are checked where they are written. */
  readonly estimate: Effect.Effect<number>
  /** The time to decide by where the database has just given it within the same transaction. */
  readonly at: (databaseNow: number) => Effect.Effect<number>
  /** What the database is to check a decision by that was made at `now`; null where it is not its time. */
  readonly decidedAt: (now: number) => number | null
  /** The time to compare dates with, as an ISO 8601 text; null where the database takes its own. */
  readonly given: Effect.Effect<string | null>
  /** Sends a statement whose answer has the database's time (`databaseNow`, in Unix milliseconds), and learns from its answer. */
  readonly learnFrom: <A, E>(
    statement: Effect.Effect<A, E>,
    databaseNow: (answer: A) => number | undefined
  ) => Effect.Effect<A, E>
}

/** What is known of how far the database's clock is ahead of the process's: bounds in milliseconds, and when they held. */
interface Offset {
  readonly low: number
  readonly high: number
  readonly at: number
}

/** How fast two clocks that are not set may move apart: more than quartz does, and than clocks are slewed at most. */
const DRIFT = 0.0005

/**
 * What an answer adds to what was known. The database read its clock between the moments of asking and of hearing, so
 * that the offset is between two bounds; answers before narrow them further. Where they contradict each other, a clock
 * was set, and the newest answer alone counts. A clock of whole milliseconds may be up to one behind.
 */
export const learnOffset = (
  known: Offset | undefined,
  {
    askedAt,
    databaseNow,
    heardAt
  }: { readonly askedAt: number; readonly databaseNow: number; readonly heardAt: number }
): Offset => {
  const least = databaseNow - heardAt - 1
  const fresh = { low: least, high: Math.max(least, databaseNow - askedAt), at: heardAt }
  if (known === undefined) return fresh
  const widened = Math.abs(heardAt - known.at) * DRIFT
  const low = Math.max(fresh.low, known.low - widened)
  const high = Math.min(fresh.high, known.high + widened)
  return low > high ? fresh : { low, high, at: heardAt }
}

/** Zero while the clocks agree as far as is known, else the middle of the bounds. */
export const offsetOf = (known: Offset | undefined): number =>
  known === undefined || (known.low <= 0 && known.high >= 0) ? 0 : Math.round((known.low + known.high) / 2)

const callersTime: LedgerTime = {
  estimate: Clock.currentTimeMillis,
  at: () => Clock.currentTimeMillis,
  decidedAt: () => null,
  given: Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString()),
  learnFrom: (statement) => statement
}

/**
 * The time of a ledger on a database. Of the database's clock the offset to that of this process is measured by the
 * statements that are sent anyway; where it is wrong, since a clock was set, the database refuses what was decided by it.
 */
export const makeLedgerTime: Effect.Effect<LedgerTime> = Effect.gen(function* () {
  if ((yield* LedgerClock) === "caller") return callersTime
  let known: Offset | undefined
  return {
    estimate: Effect.map(Clock.currentTimeMillis, (now) => now + offsetOf(known)),
    at: (databaseNow) => Effect.succeed(Math.floor(databaseNow)),
    decidedAt: (now) => now,
    given: Effect.succeed(null),
    learnFrom: (statement, databaseNow) =>
      Effect.flatMap(Clock.currentTimeMillis, (askedAt) =>
        Effect.tap(statement, (answer) =>
          Effect.map(Clock.currentTimeMillis, (heardAt) => {
            const databaseTime = databaseNow(answer)
            if (databaseTime !== undefined) known = learnOffset(known, { askedAt, databaseNow: databaseTime, heardAt })
          })
        )
      )
  }
})
