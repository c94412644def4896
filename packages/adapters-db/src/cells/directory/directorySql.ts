import { Effect, Schema } from "effect"
import { type Database, DatabaseError, type Row, type Sql } from "../../database/Database.ts"
import { BUCKETS, bucketSql } from "./bucketOf.ts"

/** A placement as it was read. */
export interface PlacementRow {
  readonly owner: string
  readonly cell: string
  readonly version: number
}

/** The buckets, the cells, and the newest placements since a version, newest first. */
export interface DirectoryRows {
  /** The id of the directory; undefined before it has begun. */
  readonly id: string | undefined
  /** The version of the directory, which never decreases; 0 before it has begun. */
  readonly version: number
  /** Another one after each start of the server, and each restore of the database or its tables. */
  readonly incarnation: string
  readonly buckets: ReadonlyArray<string | undefined>
  readonly placements: ReadonlyArray<PlacementRow>
  readonly cells: ReadonlyArray<NamedCell>
}

/** A cell that has joined. */
export interface NamedCell {
  readonly name: string
  /** The id of its database; null before one got the name. */
  readonly id: string | null
}

/** The present place of an owner. `placed` is undefined for an owner without a placement. */
export interface PlaceRow {
  /** The version of the directory. */
  readonly version: number
  readonly bucket: string | undefined
  readonly placed: Pick<PlacementRow, "cell" | "version"> | undefined
}

/** A cell in the directory. */
export interface CellRow {
  readonly name: string
  /** A draining cell gets no buckets and no owners. */
  readonly state: "open" | "draining"
  readonly buckets: number
  /** Owners who are placed in it one by one. */
  readonly placements: number
}

/** The directory refuses a change: it has no such cell, or the cell is draining. Nothing was changed. */
export class CellNotOpen extends Schema.TaggedError<CellNotOpen>()("CellNotOpen", { cell: Schema.String }) {
  readonly code = "cell_not_open"
  override get message() {
    return `No cell with the name "${this.cell}" takes owners: it is not in the directory, or it is draining.`
  }
}

/** The statements of the directory, on the global database. */
export interface DirectorySql {
  /** All buckets and cells, and at most `most` placements of versions above `since`. */
  read(since: number, most: number): Effect.Effect<DirectoryRows, DatabaseError>
  find(owner: string): Effect.Effect<PlaceRow, DatabaseError>
  /** Adds cells that are missing, and begins the directory. The first one gets all buckets if none is assigned. */
  register(names: ReadonlyArray<string>): Effect.Effect<void, DatabaseError>
  /** The cells in the order of their names. */
  readonly list: Effect.Effect<ReadonlyArray<CellRow>, DatabaseError>
  /** Adds a cell if it is missing, and has it take owners, or no more of them. */
  setState(cell: string, state: CellRow["state"]): Effect.Effect<void, DatabaseError>
  /** For owners without rows elsewhere, such as the pseudonym of a person who was erased in the cell. */
  place(owner: string, cell: string): Effect.Effect<void, CellNotOpen | DatabaseError>
}

/**
 * The version of the directory. 0 if it has not begun, or is being repaired. Programs from before it had a version gave
 * placements higher ones, which cells have seen.
 */
export const versionSql = (schema: string): string =>
  `(SELECT CASE WHEN d.version = 0 THEN 0 ELSE greatest(d.version, (SELECT max(p.version) FROM ${schema}.placements p)) END
    FROM ${schema}.directory d)`

const repairing = new DatabaseError({
  sqlState: "55000",
  cause: new Error("The directory is being repaired, or its repair was interrupted.")
})

/**
 * Chooses the version of a change, in its transaction. The lock of the row has versions committed in their order. Programs
 * from before the directory had a version chose one above those of the placements, or of the bucket. Fails while the
 * directory is being repaired: then its version is 0, although it has others.
 */
export const chooseVersion = (sql: Sql, schema: string): Effect.Effect<number, DatabaseError> =>
  Effect.flatMap(
    sql.query<{ version: number }>(
      `INSERT INTO ${schema}.directory AS d (version)
       VALUES (greatest((SELECT max(p.version) FROM ${schema}.placements p),
         (SELECT max(b.version) FROM ${schema}.cell_buckets b), 0) + 1)
       ON CONFLICT (one) DO UPDATE SET version = greatest(d.version + 1, excluded.version)
       WHERE d.version > 0 OR excluded.version = 1 RETURNING version`,
      []
    ),
    ([row]) => (row === undefined ? Effect.fail(repairing) : Effect.succeed(row.version))
  )

const readWith = ({ schema, statement }: Database["Service"]): Pick<DirectorySql, "find" | "read"> => ({
  read: (since, most) =>
    Effect.gen(function* () {
      const cells = yield* statement<{
        name: string
        id: string | null
        buckets: ReadonlyArray<number>
        directory: string | null
        version: number | null
        incarnation: string
      }>(
        `SELECT c.name, c.database_id AS id,
           coalesce(array_agg(b.bucket::integer) FILTER (WHERE b.bucket IS NOT NULL), '{}') AS buckets,
           (SELECT d.id FROM ${schema}.directory d) AS directory, ${versionSql(schema)} AS version,
           (SELECT concat_ws(' ', oid, pg_relation_filenode($1::regclass), extract(epoch FROM pg_postmaster_start_time()))
             FROM pg_database WHERE datname = current_database()) AS incarnation
         FROM ${schema}.cells c LEFT JOIN ${schema}.cell_buckets b ON b.cell = c.name GROUP BY c.name`,
        [`${schema}.directory`]
      )
      const placements = yield* statement<{ owner: string; cell: string; version: number }>(
        `SELECT owner, cell, version FROM ${schema}.placements WHERE version > $1 ORDER BY version DESC LIMIT $2`,
        [since, most]
      )
      const buckets = Array.from<string | undefined>({ length: BUCKETS })
      for (const { buckets: assigned, name } of cells) for (const bucket of assigned) buckets[bucket] = name
      const [first] = cells
      return {
        id: first?.directory ?? undefined,
        version: first?.version ?? 0,
        incarnation: first?.incarnation ?? "",
        buckets,
        placements,
        cells
      }
    }),
  find: (owner) =>
    Effect.map(
      statement<{ bucket: string | null; cell: string | null; version: number | null; newest: number | null }>(
        `SELECT b.cell AS bucket, p.cell, p.version, ${versionSql(schema)} AS newest
         FROM (SELECT $1::text AS owner) asked
         LEFT JOIN ${schema}.cell_buckets b ON b.bucket = ${bucketSql("asked.owner")}
         LEFT JOIN ${schema}.placements p ON p.owner = asked.owner`,
        [owner]
      ),
      ([row]) => ({
        version: row?.newest ?? 0,
        bucket: row?.bucket ?? undefined,
        placed: row?.cell && row.version ? { cell: row.cell, version: row.version } : undefined
      })
    )
})

/** The statements, on a database. */
export const directorySql = (database: Database["Service"]): DirectorySql => {
  const { asService, schema, statement } = database
  return {
    ...readWith(database),
    register: (names) =>
      asService((sql) =>
        Effect.gen(function* () {
          const cells = `INSERT INTO ${schema}.cells (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING`
          yield* sql.query(cells, [names])
          yield* sql.query(`INSERT INTO ${schema}.directory (version) VALUES (1) ON CONFLICT DO NOTHING`)
          // A directory that was begun before it had a version, without a change since; with one, it is being repaired.
          yield* sql.query(
            `UPDATE ${schema}.directory SET version = 1
             WHERE version = 0 AND NOT EXISTS (SELECT FROM ${schema}.placements)`
          )
          if (names.length === 0) return
          yield* sql.query(
            `INSERT INTO ${schema}.cell_buckets (bucket, cell) SELECT bucket, $1 FROM generate_series(0, ${BUCKETS - 1}) bucket
             WHERE NOT EXISTS (SELECT FROM ${schema}.cell_buckets) ON CONFLICT DO NOTHING`,
            [names[0]]
          )
        })
      ),
    list: statement<CellRow & Row>(
      `SELECT c.name, c.state, (SELECT count(*) FROM ${schema}.cell_buckets b WHERE b.cell = c.name)::integer AS buckets,
         (SELECT count(*) FROM ${schema}.placements p WHERE p.cell = c.name)::integer AS placements
       FROM ${schema}.cells c ORDER BY c.name`
    ),
    setState: (cell, state) =>
      Effect.asVoid(
        statement(
          `INSERT INTO ${schema}.cells (name, state) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET state = excluded.state`,
          [cell, state]
        )
      ),
    place: (owner, cell) =>
      asService((sql) =>
        Effect.gen(function* () {
          const version = yield* chooseVersion(sql, schema)
          const placed = yield* sql.query(
            `INSERT INTO ${schema}.placements (owner, cell, version) SELECT $2, name, $3 FROM ${schema}.cells WHERE name = $1
             ON CONFLICT (owner) DO UPDATE SET cell = excluded.cell, version = excluded.version, state = 'here'
             RETURNING owner`,
            [cell, owner, version]
          )
          if (placed.length === 0) return yield* new CellNotOpen({ cell })
        })
      )
  }
}
