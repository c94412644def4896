import { Effect } from "effect"
import { Database, type DatabaseError, type Row } from "../../database/Database.ts"
import { forPurpose } from "../../database/limits.ts"
import { bucketSql } from "../directory/bucketOf.ts"

/** The tables of schema $1 that have one row for each of their owners at most: an owner with any rows has one in them. */
export const ONE_ROW_EACH = `SELECT quote_ident(c.relname) AS name FROM pg_class c
  JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary AND i.indnkeyatts = 1
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] AND a.attname = 'user_id'
  WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r' ORDER BY c.relname`

interface OwnersInput {
  /** Only owners after this one, in the order of their bytes. */
  readonly after: string
  readonly limit: number
  /** Only those in these buckets; of all buckets unless given. */
  readonly buckets?: ReadonlyArray<number> | undefined
}

/** The owners who have rows in a database, have moved away from it, or are being moved, in the order of their bytes. */
export const ownersIn = ({
  after,
  buckets,
  limit
}: OwnersInput): Effect.Effect<ReadonlyArray<string>, DatabaseError, Database> =>
  Effect.gen(function* () {
    const { schema, statement } = yield* Database
    const tables = yield* statement<{ name: string }>(ONE_ROW_EACH, [schema])
    const isIn = (owner: string) => (buckets === undefined ? "" : `AND ${bucketSql(owner)} = ANY($3::integer[])`)
    const parts = tables.map(
      ({ name }) => `(SELECT user_id FROM ${schema}.${name} WHERE user_id COLLATE "C" > $1 ${isIn("user_id")}
        ORDER BY user_id COLLATE "C" LIMIT $2)`
    )
    if (parts.length === 0) return []
    parts.push(`(SELECT person FROM ${schema}.moved_owners WHERE state <> 'home' AND person > $1
      ${isIn("person")} ORDER BY person LIMIT $2)`)
    const rows = yield* statement<Row & { user_id: string }>(
      `SELECT user_id FROM (${parts.join(" UNION ")}) found ORDER BY user_id COLLATE "C" LIMIT $2`,
      [after, limit, ...(buckets === undefined ? [] : [buckets])]
    )
    return rows.map(({ user_id: owner }) => owner)
  }).pipe(forPurpose("audit"))
