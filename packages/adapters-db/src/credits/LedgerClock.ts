import { Clock, Context, Effect } from "effect"

/**
 * Selects the clock that decides about holds, sweeps and periods. By default it is the database's clock, which all
 * processes share. Tests that move the time themselves select the clock of the calling fiber.
 */
export class LedgerClock extends Context.Reference<"database" | "caller">("@parley/adapters-db/credits/LedgerClock", {
  defaultValue: () => "database"
}) {}

/** An SQL expression that returns the database's time in Unix milliseconds. */
export const DATABASE_NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::float8"

/** An SQL expression that returns the time in a parameter, or the database's own time if the parameter is null. */
export const momentOf = (parameter: string) => `coalesce(${parameter}::timestamptz, clock_timestamp())`

/** The ledger's time as this process estimates it. */
export interface LedgerTime {
  /** The estimated time in Unix milliseconds. The write checks every decision that uses it. */
  readonly estimate: Effect.Effect<number>
  /** Returns the time for a decision if a statement of the same transaction has returned the database's time. */
  readonly at: (databaseNow: number) => Effect.Effect<number>
  /**
   * Returns the time to be sent with a decision that was made at `now`, so that the database can compare it with its
   * own before it writes; null if no comparison is needed.
   */
  readonly decidedAt: (now: number) => number | null
  /** The time with which statements compare dates, as an ISO 8601 text; null if they use the database's own time. */
  readonly given: Effect.Effect<string | null>
  /** Runs a statement whose answer has the database's time in Unix milliseconds, and improves the estimate by it. */
  readonly learnFrom: <A extends { readonly databaseNow: number | undefined }, E>(
    statement: Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

/**
 * The known bounds of the offset from the process's clock to the database's clock, in milliseconds, and the time of the
 * last measurement.
 */
interface Offset {
  readonly low: number
  readonly high: number
  readonly at: number
}

/**
 * The fastest drift between two clocks if neither is set: more than that of quartz clocks and of the fastest slewing.
 */
const DRIFT = 0.0005

/**
 * Combines a newly measured answer with the known offset. The database read its clock between the request and the
 * response, so the offset lies between two bounds; earlier answers narrow these bounds. If the bounds contradict each
 * other, a clock was set, and only the newest answer counts. A clock that counts whole milliseconds may be up to one
 * millisecond behind.
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

/** Returns zero if the clocks may agree, otherwise the middle of the bounds. */
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
 * Makes the time of a ledger in a database. The offset of the database's clock is measured with statements that are
 * sent anyway. If a clock was set and the estimate is therefore wrong, the database refuses the decisions that used it.
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
