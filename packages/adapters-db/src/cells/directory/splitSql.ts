import { Effect } from "effect"
import type { Database, DatabaseError, Row, Sql } from "../../database/Database.ts"
import { bucketSql } from "./bucketOf.ts"
import { chooseVersion, type PlacementRow } from "./directorySql.ts"

/** The split of a cell: the target is a copy of the source's database, and takes the buckets. */
export interface Split {
  readonly source: string
  readonly target: string
  readonly buckets: ReadonlyArray<number>
  /** The version of the directory that the split has raised, and the one of its marks in the source. */
  readonly version: number
}

export interface SplitUnderWay extends Split {
  /** Milliseconds since it was last seen running. */
  readonly silentMs: number
}

/** A cell in the directory. */
export interface JoinedCell {
  /** The id of its database; null before one got the name. */
  readonly id: string | null
  /** The highest version of its buckets. */
  readonly version: number
}

/** The statements of the directory for splits. Of an end and a cancellation exactly one takes place. */
export interface SplitSql {
  readonly underWay: Effect.Effect<ReadonlyArray<SplitUnderWay>, DatabaseError>
  /**
   * Begins a split, from which on its buckets and their people change their cell in no other way; or returns the one that is
   * under way between these cells. Undefined if the source has not all of the buckets, or is being split to another cell, or if
   * the target is a cell already.
   */
  begin(source: string, target: string, buckets: ReadonlyArray<number>): Effect.Effect<Split | undefined, DatabaseError>
  /** Shows that the split still runs; false if it has ended before. */
  touch(split: Split): Effect.Effect<boolean, DatabaseError>
  /** Ends the split without a change; false if it has ended before. */
  cancel(split: Split): Effect.Effect<boolean, DatabaseError>
  /** Makes the database with this id the target, which gets the buckets; false if the split has ended before. */
  end(split: Split, databaseId: string): Effect.Effect<boolean, DatabaseError>
  /** A cell as the directory has it; undefined if it has none of the name. */
  cell(name: string): Effect.Effect<JoinedCell | undefined, DatabaseError>
  /** The owners of the buckets who are placed by name: they stay where they are. */
  placedIn(buckets: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<PlacementRow>, DatabaseError>
}

/** True for a bucket that a split takes. */
export const inSplit = (schema: string, bucket: string): string =>
  `EXISTS (SELECT FROM ${schema}.splits s WHERE ${bucket} = ANY (s.buckets))`

/** Gives the buckets a higher version. An assignment that has begun with the former version is then refused. */
const raise = Effect.fnUntraced(function* (sql: Sql, schema: string, buckets: ReadonlyArray<number>, cell: string) {
  const version = yield* chooseVersion(sql, schema)
  yield* sql.query(
    `UPDATE ${schema}.cell_buckets SET cell = $2, version = greatest(version + 1, $3) WHERE bucket = ANY ($1::smallint[])`,
    [buckets, cell, version]
  )
  return version
})

const lockDirectory = (sql: Sql, schema: string) => sql.query(`SELECT FROM ${schema}.directory FOR UPDATE`)

const SPLIT = "s.source, s.target, s.buckets::integer[] AS buckets, s.version"

const endingWith = ({ asService, schema }: Database["Service"]): Pick<SplitSql, "cancel" | "end"> => {
  /** Removes a split that is under way, and changes the directory in the same transaction. */
  const ending = ({ target, version }: Split, change: (sql: Sql) => Effect.Effect<unknown, DatabaseError>) =>
    asService((sql) =>
      Effect.gen(function* () {
        yield* lockDirectory(sql, schema)
        const removed = yield* sql.query(
          `DELETE FROM ${schema}.splits WHERE target = $1 AND version = $2 RETURNING target`,
          [target, version]
        )
        if (removed.length === 0) return false
        yield* change(sql)
        return true
      })
    )
  return {
    cancel: (split) => ending(split, (sql) => raise(sql, schema, split.buckets, split.source)),
    end: (split, databaseId) =>
      ending(split, (sql) =>
        Effect.andThen(
          // The global database has the references and keys of the people who come along, under their names.
          sql.query(`INSERT INTO ${schema}.cells (name, database_id, listed) VALUES ($1, $2, true)`, [
            split.target,
            databaseId
          ]),
          raise(sql, schema, split.buckets, split.target)
        )
      )
  }
}

/** The statements, on the global database. */
export const splitSql = (database: Database["Service"]): SplitSql => {
  const { asService, schema, statement } = database
  return {
    ...endingWith(database),
    underWay: statement<SplitUnderWay & Row>(
      `SELECT ${SPLIT}, extract(epoch FROM now() - s.at)::float8 * 1000 AS "silentMs" FROM ${schema}.splits s ORDER BY s.target`
    ),
    begin: (source, target, buckets) =>
      asService((sql) =>
        Effect.gen(function* () {
          yield* lockDirectory(sql, schema)
          const [known] = yield* sql.query<Split & Row>(
            `UPDATE ${schema}.splits s SET at = now() WHERE s.source = $1 AND s.target = $2 RETURNING ${SPLIT}`,
            [source, target]
          )
          if (known !== undefined) return known
          const [own] = yield* sql.query<{ isFree: boolean }>(
            `SELECT (SELECT count(*) = cardinality($3::smallint[]) FROM ${schema}.cell_buckets b
               WHERE b.bucket = ANY ($3::smallint[]) AND b.cell = $1)
             AND NOT EXISTS (SELECT FROM ${schema}.splits s WHERE s.source = $1 OR s.target = $2)
             AND NOT EXISTS (SELECT FROM ${schema}.cells c WHERE c.name = $2) AS "isFree"`,
            [source, target, buckets]
          )
          if (own?.isFree !== true) return undefined
          const version = yield* raise(sql, schema, buckets, source)
          yield* sql.query(
            `INSERT INTO ${schema}.splits (source, target, buckets, version) VALUES ($1, $2, $3::smallint[], $4)`,
            [source, target, buckets, version]
          )
          return { source, target, buckets, version }
        })
      ),
    touch: ({ target, version }) =>
      Effect.map(
        statement(`UPDATE ${schema}.splits SET at = now() WHERE target = $1 AND version = $2 RETURNING target`, [
          target,
          version
        ]),
        ({ length }) => length > 0
      ),
    cell: (name) =>
      Effect.map(
        statement<JoinedCell & Row>(
          `SELECT c.database_id AS id, coalesce((SELECT max(b.version) FROM ${schema}.cell_buckets b WHERE b.cell = c.name), 0)
             AS version FROM ${schema}.cells c WHERE c.name = $1`,
          [name]
        ),
        ([row]) => row
      ),
    placedIn: (buckets) =>
      statement<PlacementRow & Row>(
        `SELECT p.owner, p.cell, p.version FROM ${schema}.placements p WHERE ${bucketSql("p.owner")} = ANY ($1::integer[])`,
        [buckets]
      )
  }
}
