import { Effect } from "effect"
import { Database, type DatabaseError } from "../database/Database.ts"
import { forPurpose } from "../database/limits.ts"
import { livesHere } from "../storage/leftRows.ts"

/** The work that waits in the storage. Ages in seconds, 0 if nothing waits. */
export interface StorageState {
  readonly holdsOpen: number
  readonly holdsOldestAge: number
  readonly paymentsWaiting: number
}

const ageOf = (column: string) =>
  `coalesce(greatest(extract(epoch FROM clock_timestamp() - min(${column})), 0), 0)::float8`

/** Reads what waits, for metrics: rows that are few, or that a partial index contains. */
export const readStorageState: Effect.Effect<StorageState, DatabaseError, Database> = Effect.flatMap(
  Database,
  ({ schema, statement }) =>
    statement<{ [Name in keyof StorageState]: number }>(
      `SELECT h.*, p.* FROM
        (SELECT count(*) AS "holdsOpen", ${ageOf("opened_at")} AS "holdsOldestAge" FROM ${schema}.credit_holds
          WHERE ${livesHere(schema, "user_id")}) h,
        (SELECT count(*) AS "paymentsWaiting" FROM ${schema}.payment_events
          WHERE state IN ('owed', 'waiting', 'refused', 'unreadable')
            AND ${livesHere(schema, "coalesce(owner, '')")}) p`
    )
).pipe(
  Effect.map(([row]) => row as StorageState),
  forPurpose("maintenance")
)

/** The number of accounts as the planner estimates it, which costs nothing. */
export const estimatedOwners: Effect.Effect<number, DatabaseError, Database> = Effect.flatMap(
  Database,
  ({ schema, statement }) =>
    statement<{ count: number }>(
      "SELECT greatest(reltuples, 0)::float8 AS count FROM pg_class WHERE oid = to_regclass($1)",
      [`${schema}.credit_accounts`]
    )
).pipe(
  Effect.map(([row]) => row?.count ?? 0),
  forPurpose("maintenance")
)
