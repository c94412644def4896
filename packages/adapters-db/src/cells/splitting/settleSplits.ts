import { Effect } from "effect"
import type { DatabaseError } from "../../database/Database.ts"
import { forPurpose } from "../../database/limits.ts"
import { bucketSql } from "../directory/bucketOf.ts"
import type { BucketPlace, MoveSql } from "../directory/moveSql.ts"
import type { SplitSql } from "../directory/splitSql.ts"
import type { Cell } from "../moving/ownerTables.ts"

/**
 * The marks `m` of a split that are older than the present places of their buckets: this split has ended or was cancelled. Marks
 * of a split under way have the version of the places.
 */
const BEFORE = `unnest($1::integer[], $2::bigint[]) AS p(bucket, version)
  WHERE m.state = 'leaving' AND m.version < p.version AND ${bucketSql("m.person")} = p.bucket`

const columns = (places: ReadonlyArray<BucketPlace>) =>
  [places.map(({ bucket }) => bucket), places.map(({ version }) => version)] as const

/** After the end of a split: the owners live in the target, and their rows here will be erased. */
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

/** After a cancellation: the owners write here again. */
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

/** Changes the marks of owners of some buckets as the directory says, after the end or the cancellation of a split. */
export const settleBuckets = Effect.fnUntraced(function* (
  directory: Pick<MoveSql, "buckets">,
  source: Cell,
  buckets: ReadonlyArray<number>
) {
  for (const [cell, places] of Map.groupBy(yield* directory.buckets(buckets), (place) => place.cell))
    yield* cell === source.id ? stay(source, places) : leave(source, cell, places)
})

/** The same for all owners who are marked as leaving a cell. */
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

/** If the directory has made a copy a cell, writes this and the version of the directory into the copy. */
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
