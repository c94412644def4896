import { Effect } from "effect"
import type { DatabaseError } from "../../database/Database.ts"
import { forPurpose } from "../../database/limits.ts"
import { bucketSql } from "../directory/bucketOf.ts"
import type { BucketPlace, MoveSql } from "../directory/moveSql.ts"
import type { SplitSql } from "../directory/splitSql.ts"
import type { Cell } from "../moving/ownerTables.ts"

/** Marks of a split, `m`, that the present places of the buckets follow: those of a later split are as new as its places. */
const BEFORE = `unnest($1::integer[], $2::bigint[]) AS p(bucket, version)
  WHERE m.state = 'leaving' AND m.version < p.version AND ${bucketSql("m.person")} = p.bucket`

const columns = (places: ReadonlyArray<BucketPlace>) =>
  [places.map(({ bucket }) => bucket), places.map(({ version }) => version)] as const

/** After an end: the rows of those who left are still here, and will be erased. */
const leave = ({ database: { schema }, owner }: Cell, target: string, places: ReadonlyArray<BucketPlace>) =>
  owner.asOwner((sql) =>
    Effect.gen(function* () {
      yield* sql.query(
        `UPDATE ${schema}.lost_buckets l SET version = greatest(l.version, p.version)
         FROM unnest($1::integer[], $2::bigint[]) AS p(bucket, version) WHERE p.bucket = l.bucket`,
        [...columns(places)]
      )
      yield* sql.query(
        `UPDATE ${schema}.moved_owners m SET state = 'moved', cell = $3, version = p.version, remains = true,
           refused_for = now() - m.at, at = now() FROM ${BEFORE}`,
        [...columns(places), target]
      )
    })
  )

/** After a cancellation: everybody writes here again. */
const stay = ({ database: { schema }, owner }: Cell, places: ReadonlyArray<BucketPlace>) =>
  owner.asOwner((sql) =>
    Effect.gen(function* () {
      yield* sql.query(
        `DELETE FROM ${schema}.lost_buckets l USING unnest($1::integer[], $2::bigint[]) AS p(bucket, version)
         WHERE p.bucket = l.bucket AND l.version < p.version`,
        [...columns(places)]
      )
      yield* sql.query(`DELETE FROM ${schema}.moved_owners m USING ${BEFORE}`, [...columns(places)])
      yield* sql.query(
        `UPDATE ${schema}.credit_accounts a SET moved = NULL
         WHERE a.moved AND NOT EXISTS (SELECT FROM ${schema}.moved_owners m WHERE m.person = a.user_id)`
      )
    })
  )

/** Brings the marks of some buckets up to the directory: the split that took them has ended, in the one way or the other. */
export const settleBuckets = Effect.fnUntraced(function* (
  directory: Pick<MoveSql, "buckets">,
  source: Cell,
  buckets: ReadonlyArray<number>
) {
  for (const [cell, places] of Map.groupBy(yield* directory.buckets(buckets), (place) => place.cell))
    yield* cell === source.id ? stay(source, places) : leave(source, cell, places)
})

/** Brings the marks of everybody who is marked as leaving a cell up to the directory. */
export const settleLeft = Effect.fnUntraced(function* (directory: Pick<MoveSql, "buckets">, source: Cell) {
  const { schema, statement } = source.database
  const leaving = yield* statement<{ bucket: number }>(
    `SELECT DISTINCT ${bucketSql("person")} AS bucket FROM ${schema}.moved_owners WHERE state = 'leaving'`
  )
  if (leaving.length > 0)
    yield* settleBuckets(
      directory,
      source,
      leaving.map(({ bucket }) => bucket)
    )
})

/** Has a copy that the directory has made a cell note it, with the version of the directory. */
export const settleTaken = Effect.fnUntraced(function* (splits: SplitSql, { database, id, owner }: Cell) {
  const { schema, statement } = database
  const [copy] = yield* statement<{ id: string }>(`SELECT id FROM ${schema}.this_cell WHERE NOT taken`)
  if (copy === undefined) return
  const known = yield* splits.cell(id)
  if (known?.id !== copy.id) return
  yield* owner.asOwner((sql) =>
    sql.query(`UPDATE ${schema}.this_cell SET taken = true, seen = greatest(seen, $1)`, [known.version])
  )
})

/**
 * Cancels splits of a cell that have shown no sign of life for `olderThanMs`, and does the last step of those that have ended.
 */
export const settleSplits = (
  directory: Pick<MoveSql, "buckets">,
  splits: SplitSql,
  cell: Cell,
  olderThanMs: number
): Effect.Effect<void, DatabaseError> =>
  Effect.gen(function* () {
    yield* settleTaken(splits, cell)
    for (const split of yield* splits.underWay) {
      if (split.source !== cell.id) continue
      if (split.silentMs < olderThanMs) return
      yield* splits.cancel(split)
      yield* settleBuckets(directory, cell, split.buckets)
    }
    yield* settleLeft(directory, cell)
  }).pipe(forPurpose("building"))
