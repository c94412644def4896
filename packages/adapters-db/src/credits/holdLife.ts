import {
  addSwept,
  expireOperation,
  NOTHING_RENEWED,
  NOTHING_SWEPT,
  type Renewed,
  type RenewInput,
  type SweepInput,
  sweptBy,
  type HoldEnd,
  type Swept
} from "@parley/core"
import { Effect, Result } from "effect"
import type { Database, DatabaseError, Row } from "../database/Database.ts"
import { commitOperations } from "./commitOperations.ts"
import type { LedgerTime } from "./LedgerClock.ts"

/** The moment a parameter gives, else the database's own. */
const momentOf = (parameter: string) => `coalesce(${parameter}::timestamptz, clock_timestamp())`

/**
 * Locks hold rows alone, and skips those that somebody else has locked: such a hold is just being ended, or renewed by
 * another call. So a renewal waits for nobody, and nobody can wait for it in a circle.
 */
const renewText = (schema: string) => `
  WITH given AS MATERIALIZED (
    SELECT user_id, key, max(output_tokens) AS output_tokens, max(draft) AS draft
    FROM unnest($1::text[], $2::text[], $3::bigint[], $5::text[]) AS g(user_id, key, output_tokens, draft)
    GROUP BY user_id, key
  ), locked AS MATERIALIZED (
    SELECT h.user_id, h.key, greatest(h.output_tokens, g.output_tokens) AS tokens,
      greatest(h.expires_at, ${momentOf("$4")} + $6 * interval '1 millisecond') AS expiry,
      coalesce(g.draft::jsonb, h.draft) AS charged FROM given g
    JOIN ${schema}.credit_holds h ON h.user_id = g.user_id AND h.key = g.key
    FOR UPDATE OF h SKIP LOCKED
  ), renewed AS (
    UPDATE ${schema}.credit_holds h
    SET output_tokens = l.tokens, expires_at = l.expiry, draft = l.charged,
      seal = ${schema}.hold_seal(l.user_id, l.key, h.allowance, h.topup, h.period_start, l.expiry, h.content, h.attempt,
        l.charged, l.tokens)
    FROM locked l WHERE h.user_id = l.user_id AND h.key = l.key
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM renewed) AS renewed, (
    SELECT json_agg(json_build_object('userId', g.user_id, 'key', g.key)) FROM given g
    WHERE NOT EXISTS (SELECT FROM ${schema}.credit_holds h WHERE h.user_id = g.user_id AND h.key = g.key)
  ) AS gone`

/** Records progress and expiry of open holds; gives how many were still open, and which are gone. */
export const renewHolds = (
  { schema, statement }: Database["Service"],
  { holds, ttlMs }: RenewInput,
  now: string | null
): Effect.Effect<Renewed, DatabaseError> =>
  holds.length === 0
    ? Effect.succeed(NOTHING_RENEWED)
    : Effect.map(
        statement<{ readonly renewed: number; readonly gone: Renewed["gone"] | null }>(renewText(schema), [
          holds.map(({ userId }) => userId),
          holds.map(({ key }) => key),
          holds.map(({ outputTokens }) => outputTokens),
          now,
          holds.map(({ draft }) => (draft === undefined ? null : JSON.stringify(draft))),
          ttlMs
        ]),
        ([row]) => ({ renewed: row?.renewed ?? 0, gone: row?.gone ?? [] })
      )

interface ExpiredUserRow extends Row {
  readonly user_id: string
}

interface ExpiredRow extends ExpiredUserRow {
  readonly key: string
}

/**
 * Locks accounts before their holds, as every other write does, and skips what is locked. A hold whose row was locked by
 * a renewal is alive; one that was renewed just before is seen as renewed, since a locked row's expiry is read again.
 * Only the database says what has expired, by its own clock, in this statement.
 * In no order, so that holds that cannot be ended do not come first each time.
 */
const lockExpiredText = (schema: string) => `
  WITH expired AS MATERIALIZED (
    SELECT user_id, key FROM ${schema}.credit_holds
    WHERE expires_at <= ${momentOf("$1")} AND ($3::text IS NULL OR user_id = $3) ORDER BY random() LIMIT $2
  ), locked AS MATERIALIZED (
    SELECT user_id FROM ${schema}.credit_accounts
    WHERE user_id IN (SELECT user_id FROM expired) ORDER BY user_id COLLATE "C" FOR UPDATE SKIP LOCKED
  )
  SELECT h.user_id, h.key FROM locked l
  JOIN expired e ON e.user_id = l.user_id
  JOIN ${schema}.credit_holds h ON h.user_id = e.user_id AND h.key = e.key
  WHERE h.expires_at <= ${momentOf("$1")}
  FOR UPDATE OF h SKIP LOCKED`

/** Ends expired holds, of one person where named, in one transaction, under the locks of their accounts and their own. */
const sweepAtOnce = (
  database: Database["Service"],
  time: LedgerTime,
  limit: number,
  userId: string | null
): Effect.Effect<Swept, DatabaseError> =>
  database.asService(({ query }) =>
    Effect.gen(function* () {
      const text = lockExpiredText(database.schema)
      const expired = yield* query<ExpiredRow>(text, [yield* time.given, limit, userId])
      if (expired.length === 0) return NOTHING_SWEPT
      const operations = expired.map((row) => expireOperation({ userId: row.user_id, key: row.key }))
      const answers = yield* commitOperations(database, time, operations)
      return answers
        .map((answer) => sweptBy(Result.isSuccess(answer) ? (answer.success as HoldEnd | undefined) : undefined))
        .reduce(addSwept, NOTHING_SWEPT)
    })
  )

const expiredUsersText = (schema: string) => `
  SELECT user_id FROM ${schema}.credit_holds WHERE expires_at <= ${momentOf("$1")}
  GROUP BY user_id ORDER BY random() LIMIT $2`

/** Ends expired holds. Where the database refuses to, person by person, so that who is broken keeps nobody else. */
export const sweepHolds = (
  database: Database["Service"],
  time: LedgerTime,
  { limit }: SweepInput
): Effect.Effect<Swept, DatabaseError> => {
  const sweepPerson = ({ user_id }: ExpiredUserRow) =>
    Effect.catchIf(sweepAtOnce(database, time, limit, user_id), isRefused, () =>
      Effect.succeed({ ...NOTHING_SWEPT, refused: 1 })
    )
  const oneByOne = Effect.gen(function* () {
    const text = expiredUsersText(database.schema)
    const people = yield* database.statement<ExpiredUserRow>(text, [yield* time.given, limit])
    return (yield* Effect.forEach(people, sweepPerson)).reduce(addSwept, NOTHING_SWEPT)
  })
  return Effect.catchIf(sweepAtOnce(database, time, limit, null), isRefused, () => oneByOne)
}

const isRefused = (error: DatabaseError): boolean => !error.retryable
