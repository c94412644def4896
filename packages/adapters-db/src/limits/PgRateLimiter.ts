import { RateLimiter } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

interface CountedRow {
  readonly [column: string]: unknown
  readonly count: number
  readonly remaining_ms: number
}

/**
 * Each window uses the row of the previous one, so that there is one row for each subject and name. A call that waited
 * for another call began before that call's window, and is refused for the window's whole length.
 */
const countText = (schema: string) => `
  INSERT INTO ${schema}.rate_windows AS w (subject, name, count, ends_at)
  VALUES ($1, $2, 1, now() + $3::float8 * interval '1 millisecond')
  ON CONFLICT (subject, name) DO UPDATE SET
    count = CASE WHEN w.ends_at <= now() THEN 1 ELSE w.count + 1 END,
    ends_at = CASE WHEN w.ends_at <= now() THEN excluded.ends_at ELSE w.ends_at END
  RETURNING count, least($3, extract(epoch FROM ends_at - now()) * 1000)::float8 AS remaining_ms`

const peekText = (schema: string) => `
  SELECT count, (extract(epoch FROM ends_at - now()) * 1000)::float8 AS remaining_ms
  FROM ${schema}.rate_windows WHERE subject = $1 AND name = $2 AND ends_at > now()`

const make = Effect.map(Database, ({ schema, statement }) =>
  RateLimiter.of({
    count: Effect.fnUntraced(function* ({ subject, name, windowMs }) {
      const [row] = yield* statement<CountedRow>(countText(schema), [subject, name, windowMs])
      return { count: row?.count ?? 1, remainingMs: row?.remaining_ms ?? windowMs }
    }, storing("RateLimiter.count")),
    peek: Effect.fnUntraced(function* ({ subject, name }) {
      const [row] = yield* statement<CountedRow>(peekText(schema), [subject, name])
      return { count: row?.count ?? 0, remainingMs: row?.remaining_ms ?? 0 }
    }, storing("RateLimiter.peek"))
  })
)

/** Counts in Postgres or PGlite, by the database's clock, for all server processes on it. */
export const PgRateLimiterLayer: Layer.Layer<RateLimiter, never, Database> = Layer.effect(RateLimiter, make)
