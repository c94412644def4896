import { Effect } from "effect"
import type { Database, DatabaseError, Row } from "../../database/Database.ts"
import { bucketSql } from "./bucketOf.ts"
import { CellNotOpen, chooseVersion } from "./directorySql.ts"
import { inSplit } from "./splitSql.ts"

/** The cell in which an owner lives, by the directory. */
export interface Placement {
  readonly cell: string
  /** 0 for an owner who was never placed; higher after each change. */
  readonly version: number
}

/** The cell of a bucket. */
export interface BucketPlace {
  readonly bucket: number
  readonly cell: string
  /** Higher after each change. */
  readonly version: number
}

/** The statements of the directory for moves: each change replaces what has a given version, or changes nothing. */
export interface MoveSql {
  /** Fails if no cell of this name takes owners. */
  checkOpen(cell: string): Effect.Effect<void, CellNotOpen | DatabaseError>
  placement(owner: string): Effect.Effect<Placement, DatabaseError>
  /**
   * Places the owner in `cell` under a higher version if the placement still has this version, and if no split takes the
   * owner along with the bucket. Repeating it after a lost answer does no harm.
   */
  replace(owner: string, version: number, cell: string): Effect.Effect<void, DatabaseError>
  buckets(buckets: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<BucketPlace>, DatabaseError>
  /**
   * Gives all of these buckets the cells that are named, under higher versions, or none if one has another version or is in a
   * split.
   */
  replaceBuckets(
    expected: ReadonlyArray<BucketPlace>,
    cellOf: (place: BucketPlace) => string
  ): Effect.Effect<boolean, DatabaseError>
}

const bucketsWith = ({
  asService,
  schema,
  statement
}: Database["Service"]): Pick<MoveSql, "buckets" | "replaceBuckets"> => ({
  buckets: (buckets) =>
    statement<Row & BucketPlace>(
      `SELECT b.bucket::integer AS bucket, b.cell, b.version FROM ${schema}.cell_buckets b
      WHERE b.bucket = ANY ($1::smallint[]) ORDER BY b.bucket`,
      [buckets]
    ),
  replaceBuckets: (expected, cellOf) =>
    asService((sql) =>
      Effect.gen(function* () {
        yield* sql.query(`SELECT FROM ${schema}.directory FOR UPDATE`)
        const locked = yield* sql.query(
          `SELECT b.bucket FROM ${schema}.cell_buckets b JOIN unnest($1::smallint[], $2::bigint[]) AS e(bucket, version)
          ON e.bucket = b.bucket AND e.version = b.version WHERE NOT ${inSplit(schema, "b.bucket")}
          ORDER BY b.bucket FOR UPDATE OF b`,
          [expected.map(({ bucket }) => bucket), expected.map(({ version }) => version)]
        )
        if (locked.length < expected.length) return false
        const version = yield* chooseVersion(sql, schema)
        yield* sql.query(
          `UPDATE ${schema}.cell_buckets b SET cell = e.cell, version = greatest(b.version + 1, $3)
          FROM unnest($1::smallint[], $2::text[]) AS e(bucket, cell) WHERE e.bucket = b.bucket`,
          [expected.map(({ bucket }) => bucket), expected.map(cellOf), version]
        )
        return true
      })
    )
})

/** The statements, on the global database. */
export const moveSql = (database: Database["Service"]): MoveSql => {
  const { asService, schema, statement } = database
  return {
    ...bucketsWith(database),
    checkOpen: (cell) =>
      Effect.flatMap(
        statement(`SELECT 1 FROM ${schema}.cells WHERE name = $1 AND state = 'open'`, [cell]),
        ({ length }) => (length === 0 ? Effect.fail(new CellNotOpen({ cell })) : Effect.void)
      ),
    placement: (owner) =>
      Effect.map(
        statement<{ cell: string | null; version: number }>(
          `SELECT coalesce(p.cell, b.cell) AS cell, coalesce(p.version, 0) AS version FROM (SELECT $1::text AS owner) asked
          LEFT JOIN ${schema}.cell_buckets b ON b.bucket = ${bucketSql("asked.owner")}
          LEFT JOIN ${schema}.placements p ON p.owner = asked.owner`,
          [owner]
        ),
        ([row]): Placement => ({ cell: row?.cell ?? "", version: row?.version ?? 0 })
      ),
    replace: (owner, version, cell) =>
      asService((sql) =>
        Effect.gen(function* () {
          yield* sql.query(`SELECT FROM ${schema}.directory FOR UPDATE`)
          const same = yield* sql.query(
            `SELECT 1 WHERE coalesce((SELECT p.version FROM ${schema}.placements p WHERE p.owner = $1), 0) = $2::bigint
             AND ($2::bigint > 0 OR starts_with($1, 'erased:') OR NOT ${inSplit(schema, bucketSql("$1"))})`,
            [owner, version]
          )
          // An older directory must not reach the versions that cells have seen by changes that do not take place.
          if (same.length === 0) return
          const chosen = yield* chooseVersion(sql, schema)
          yield* sql.query(
            `INSERT INTO ${schema}.placements (owner, cell, version) VALUES ($1, $2, $3)
            ON CONFLICT (owner) DO UPDATE SET cell = excluded.cell, version = excluded.version, state = 'here'`,
            [owner, cell, chosen]
          )
        })
      )
  }
}
