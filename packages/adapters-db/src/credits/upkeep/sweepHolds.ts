import {
  addSwept,
  expire,
  type HoldEnd,
  NOTHING_SWEPT,
  type SweepInput,
  sweptBy,
  type Swept
} from "@parley/core/adapter"
import { Effect, Exit } from "effect"
import type { Database, DatabaseError, Row } from "../../database/Database.ts"
import { commitOperations } from "../commitOperations.ts"
import { isWritable } from "../../storage/leftRows.ts"
import { type LedgerTime, momentOf } from "../LedgerClock.ts"

interface ExpiredUserRow extends Row {
  readonly user_id: string
}

interface ExpiredRow extends ExpiredUserRow {
  readonly key: string
  readonly held: number
}

/**
 * Locks expired holds, after their accounts as every other write does, and skips locked rows. A hold whose row a
 * renewal has locked is alive. A hold that was renewed just before is left out as well, since the expiry of a locked
 * row is read again. Only the database decides, by its own clock and in this statement, whether a hold has expired. The
 * order is random, so that holds that cannot be ended do not come first each time.
 */
const lockExpiredText = (schema: string) => `
  WITH expired AS MATERIALIZED (
    SELECT user_id, key FROM ${schema}.credit_holds
    WHERE expires_at <= ${momentOf("$1")} AND ($3::text IS NULL OR user_id = $3) AND ${isWritable(schema, "user_id")}
    ORDER BY random() LIMIT $2
  ), locked AS MATERIALIZED (
    SELECT user_id FROM ${schema}.credit_accounts
    WHERE user_id IN (SELECT user_id FROM expired) ORDER BY user_id COLLATE "C" FOR UPDATE SKIP LOCKED
  )
  SELECT h.user_id, h.key, (h.allowance + h.topup)::float8 AS held FROM locked l
  JOIN expired e ON e.user_id = l.user_id
  JOIN ${schema}.credit_holds h ON h.user_id = e.user_id AND h.key = e.key
  WHERE h.expires_at <= ${momentOf("$1")}
  FOR UPDATE OF h SKIP LOCKED`

/**
 * Ends expired holds in one transaction, under the locks of their accounts and of the holds. If a person is named, ends
 * only that person's holds.
 */
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
      const endTurns = query(`SELECT ${database.schema}.end_dead_turns()`)
      if (expired.length === 0) return yield* Effect.as(endTurns, NOTHING_SWEPT)
      const operations = expired.map((row) => expire({ userId: row.user_id, key: row.key }))
      const answers = yield* commitOperations(database, time, operations)
      // The replies of these holds end in the same transaction.
      yield* endTurns
      return answers
        .map((answer, place) =>
          sweptBy(Exit.isSuccess(answer) ? (answer.value as HoldEnd | undefined) : undefined, expired[place]?.held ?? 0)
        )
        .reduce(addSwept, NOTHING_SWEPT)
    })
  )

const expiredUsersText = (schema: string) => `
  SELECT user_id FROM ${schema}.credit_holds WHERE expires_at <= ${momentOf("$1")} AND ${isWritable(schema, "user_id")}
  GROUP BY user_id ORDER BY random() LIMIT $2`

/**
 * Ends expired holds. If the database refuses, ends them person by person, so that a broken account does not delay the
 * others.
 */
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
