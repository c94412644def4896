import { Clock, Context, Effect } from "effect"

/**
 * The clock that holds, sweeps and periods go by: the database's, which all processes share, or, in tests that move the
 * time themselves, that of the fiber which calls.
 */
export class LedgerClock extends Context.Reference<"database" | "caller">("@parley/adapters-db/credits/LedgerClock", {
  defaultValue: () => "database"
}) {}

/** The database's clock in Unix milliseconds, as a SQL expression that returns a number. */
export const DATABASE_NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::float8"

/** The time in a parameter if it has one, otherwise the database's own, as a SQL expression. */
export const momentOf = (parameter: string) => `coalesce(${parameter}::timestamptz, clock_timestamp())`

/** An estimate of the ledger's time in this process. */
export interface LedgerTime {
  /** The time in Unix milliseconds, as exactly as this process knows it: the write checks decisions that use it. */
  readonly estimate: Effect.Effect<number>
  /** The time of a decision if the database returned its time in the same transaction. */
  readonly at: (databaseNow: number) => Effect.Effect<number>
  /**
   * The time that the database compares with its own before it writes a decision made at `now`; null if it need not.
   */
  readonly decidedAt: (now: number) => number | null
  /** The time for comparing dates, as an ISO 8601 text; null if the database uses its own. */
  readonly given: Effect.Effect<string | null>
  /** Sends a statement whose answer has the database's time, in Unix milliseconds, and learns from its answer. */
  readonly learnFrom: <A extends { readonly databaseNow: number | undefined }, E>(
    statement: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

/**
 * Bounds of the offset from the process's clock to the database's, in milliseconds, and the time of the last
 * measurement.
 */
interface Offset {
  readonly low: number
  readonly high: number
  readonly at: number
}

/**
 * The fastest drift between two clocks that are not set: more than that of quartz clocks and of the fastest slewing.
 */
const DRIFT = 0.0005

/**
 * Combines an answer with the known offset. The database read its clock between the request and the response, so the
 * offset lies between two bounds; earlier answers narrow them further. If the bounds contradict each other, a clock was
 * set, and only the newest answer counts. A clock of whole milliseconds may be up to one millisecond behind.
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
 * The time of a ledger on a database. The offset of the database's clock is measured by statements that are sent
 * anyway. If the estimate is wrong because a clock was set, the database refuses decisions that used it.
 */
export const makeLedgerTime: Effect.Effect<LedgerTime> = Effect.gen(function* () {
  if ((yield* LedgerClock) === "caller") return callersTime
  let known: Offset | undefined
  return {
    estimate: Effect.map(Clock.currentTimeMillis, (now) => now + offsetOf(known)),
    at: (databaseNow) => Effect.succeed(Math.floor(databaseNow)),
    decidedAt: (now) => now,
    given: Effect.succeed(null),
    learnFrom: Effect.fnUntraced(function* (statement) {
      const askedAt = yield* Clock.currentTimeMillis
      const answer = yield* statement
      const { databaseNow } = answer
      const heardAt = yield* Clock.currentTimeMillis
      if (databaseNow !== undefined) known = learnOffset(known, { askedAt, databaseNow, heardAt })
      return answer
    })
  }
})
