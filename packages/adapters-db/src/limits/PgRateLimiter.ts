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
 * Counts an event. A new window replaces the row of the previous one, so that there is one row for each subject and
 * name. If a call waits for another call's row lock, its own time is earlier than the window that the other call has
 * begun; it then reports at most the whole length of a window as the remaining time.
 */
const countText = (schema: string) => `
  INSERT INTO ${schema}.rate_windows AS w (subject, name, count, ends_at)
  VALUES ($1, $2, 1, now() + $3::float8 * interval '1 millisecond')
  ON CONFLICT (subject, name) DO UPDATE SET
    count = CASE WHEN w.ends_at <= now() THEN 1 ELSE w.count + 1 END,
    ends_at = CASE WHEN w.ends_at <= now() THEN excluded.ends_at ELSE w.ends_at END
  RETURNING count, least($3, extract(epoch FROM ends_at - now()) * 1000)::float8 AS remaining_ms`

const peekText = (schema: string) => `
  SELECT coalesce(w.count, 0) AS count, coalesce(extract(epoch FROM w.ends_at - now()) * 1000, 0)::float8 AS remaining_ms
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (subject, name, place)
  LEFT JOIN ${schema}.rate_windows w ON w.subject = asked.subject AND w.name = asked.name AND w.ends_at > now()
  ORDER BY asked.place`

const make = Effect.map(Database, ({ schema, statement }) =>
  RateLimiter.of({
    count: Effect.fnUntraced(function* ({ subject, name, windowMs }) {
      const [row] = yield* statement<CountedRow>(countText(schema), [subject, name, windowMs])
      return { count: row?.count ?? 1, remainingMs: row?.remaining_ms ?? windowMs }
    }, storing("RateLimiter.count")),
    peek: (events) =>
      Effect.map(
        statement<CountedRow>(peekText(schema), [events.map(({ subject }) => subject), events.map(({ name }) => name)]),
        (rows) => rows.map(({ count, remaining_ms: remainingMs }) => ({ count, remainingMs }))
      ).pipe(storing("RateLimiter.peek"))
  })
)

/** A rate limiter in Postgres or PGlite, by the database's clock, shared by all server processes of this database. */
export const PgRateLimiterLayer: Layer.Layer<RateLimiter, never, Database> = Layer.effect(RateLimiter, make)
