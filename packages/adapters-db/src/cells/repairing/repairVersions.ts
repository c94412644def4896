import { Effect } from "effect"
import type { Database } from "../../database/Database.ts"
import { versionSql } from "../directory/directorySql.ts"
import type { Placement } from "../directory/moveSql.ts"

/** Servers may have read versions that no cell has seen, such as those of pseudonyms; so many are skipped. */
const MARGIN = 1_000_000

/** A repair of the directory. */
export interface Repair {
  /** Above all versions that were used. */
  readonly version: number
  /** True if the directory is older than a cell: it has version 0 until the end of the repair, so that servers refuse it. */
  readonly isOlder: boolean
}

/** Begins a repair, or begins one anew that was interrupted. `seen` is the highest version that a cell has seen. */
export const beginRepair = ({ asService, schema }: Database["Service"], seen: number) =>
  asService((sql) =>
    Effect.gen(function* () {
      yield* sql.query(`SELECT FROM ${schema}.directory FOR UPDATE`)
      const [found] = yield* sql.query<{ version: number; newest: number }>(
        `SELECT ${versionSql(schema)} AS version, greatest(
          (SELECT version FROM ${schema}.directory), (SELECT max(version) FROM ${schema}.placements),
          (SELECT max(version) FROM ${schema}.cell_buckets)) AS newest`
      )
      const isOlder = (found?.version ?? 0) < seen
      if (isOlder) yield* sql.query(`DELETE FROM ${schema}.splits`)
      // Nothing else has version 0 and placements.
      yield* sql.query(`UPDATE ${schema}.directory SET version = CASE WHEN $1 THEN 0 ELSE greatest(version, 1) END`, [
        isOlder
      ])
      return { version: Math.max(seen, found?.newest ?? 0) + MARGIN, isOlder } satisfies Repair
    })
  )

/** Places an owner if the placement still has this version, and keeps the version of the directory. */
export const placeAbove = (
  { asService, schema }: Database["Service"],
  owner: string,
  { version }: Placement,
  cell: string,
  least: number
) =>
  asService((sql) =>
    Effect.gen(function* () {
      yield* sql.query(`SELECT FROM ${schema}.directory FOR UPDATE`)
      yield* sql.query(
        `INSERT INTO ${schema}.placements (owner, cell, version)
         SELECT $1, $3, greatest($4::bigint, (SELECT max(p.version) FROM ${schema}.placements p) + 1)
         WHERE coalesce((SELECT p.version FROM ${schema}.placements p WHERE p.owner = $1), 0) = $2::bigint
         ON CONFLICT (owner) DO UPDATE SET cell = excluded.cell, version = excluded.version, state = 'here'`,
        [owner, version, cell, least]
      )
    })
  )

/** Has the directory serve people, also by servers that have read a later version than it had. */
export const endRepair = ({ schema, statement }: Database["Service"], { version }: Repair) =>
  statement(
    `UPDATE ${schema}.directory
     SET version = greatest(version, $1::bigint, (SELECT max(p.version) FROM ${schema}.placements p))`,
    [version]
  )
