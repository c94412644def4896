import { Effect } from "effect"
import type { DatabaseError, Row } from "../../database/Database.ts"
import type { OwnerSql } from "../../database/DatabaseOwner.ts"
import { MoveRefused } from "./moveErrors.ts"
import type { Placement } from "../directory/moveSql.ts"
import { type Cell, ownedDigests, type OwnerTable } from "./ownerTables.ts"

const superseded = () => new MoveRefused({ problem: "superseded", names: [] })

/** Marks the owner as moving from here, on the grounds of the placement's version. From its commit on, writes are refused. */
export const markMoving = (cell: Cell, owner: string, version: number, to: string) =>
  cell.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const rows = yield* sql.query(
        `INSERT INTO ${cell.database.schema}.moved_owners AS m (person, state, cell, version) VALUES ($1, 'moving', $2, $3)
        ON CONFLICT (person) DO UPDATE SET state = 'moving', cell = excluded.cell, version = excluded.version, at = now()
        WHERE m.version <= excluded.version AND m.state IN ('home', 'moving') RETURNING 1`,
        [owner, to, version]
      )
      if (rows.length === 0) return yield* superseded()
    })
  )

/** Marks the owner as arriving here. A cell that the owner never lived in has no rows of the owner. */
export const markArriving = (
  cell: Cell,
  tables: ReadonlyArray<OwnerTable>,
  owner: string,
  version: number,
  from: string
) =>
  cell.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const [row] = yield* sql.query<Row & { fresh: boolean }>(
        `INSERT INTO ${cell.database.schema}.moved_owners AS m (person, state, cell, version) VALUES ($1, 'arriving', $2, $3)
        ON CONFLICT (person) DO UPDATE SET state = 'arriving', cell = excluded.cell, version = excluded.version, at = now()
        WHERE m.version <= excluded.version AND m.state <> 'home' RETURNING m.xmax = 0 AS fresh`,
        [owner, from, version]
      )
      if (row === undefined) return yield* superseded()
      if (!row.fresh) return
      const found = yield* ownedDigests(sql, tables, owner)
      if (found.size > 0) return yield* new MoveRefused({ problem: "target-not-empty", names: [...found.keys()] })
    })
  )

/**
 * Refuses writes of the owner's account from its commit on, by the lock of its row. A writer that held the lock before
 * has ended, so its rows of the ledger, which have no fence of their own, are committed.
 */
export const fenceAccount = (cell: Cell, owner: string, version: number) =>
  cell.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const { schema } = cell.database
      const rows = yield* sql.query(
        `SELECT 1 FROM ${schema}.moved_owners WHERE person = $1 AND state = 'moving' AND version = $2 FOR SHARE`,
        [owner, version]
      )
      if (rows.length === 0) return yield* superseded()
      yield* sql.query(`UPDATE ${schema}.credit_accounts SET moved = true WHERE user_id = $1 AND moved IS NULL`, [
        owner
      ])
    })
  )

/**
 * Brings the state of an owner in a cell up to the placement, which is newer. Every end of a move is this: after the
 * flip, and after a cancellation, which is a new placement in the same cell. Repeating it does no harm.
 */
export const settleState = (cell: Cell, owner: string, { cell: home, version }: Placement) => {
  const { schema } = cell.database
  const isHome = home === cell.id
  const end = isHome
    ? "state = 'home', remains = false, refused_for = NULL"
    : "state = 'moved', cell = $3, remains = true, refused_for = CASE WHEN state = 'moving' THEN now() - at END"
  return cell.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const settled = yield* sql.query(
        `UPDATE ${schema}.moved_owners SET ${end}, version = $2, at = now()
        WHERE person = $1 AND version < $2 AND state IN ('arriving', 'moving') RETURNING 1`,
        [owner, version, ...(isHome ? [] : [home])]
      )
      if (!isHome || settled.length === 0) return
      yield* sql.query(`UPDATE ${schema}.credit_accounts SET moved = NULL WHERE user_id = $1 AND moved`, [owner])
    })
  )
}

/**
 * Runs `work` as the writer of an owner's rows, in one transaction that holds the owner's state, which must be `state`
 * (and of this version, if one is given). Returns undefined if it is not.
 */
export const asMover = <A, E, R>(
  cell: Cell,
  owner: string,
  { state, version }: { readonly state: "arriving" | "moved"; readonly version?: number },
  work: (sql: OwnerSql) => Effect.Effect<A, E, R>
): Effect.Effect<A | undefined, E | DatabaseError, R> =>
  cell.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const table = `${cell.database.schema}.moved_owners`
      const rows = yield* sql.query(
        `UPDATE ${table} SET writer = pg_current_xact_id() WHERE person = $1 AND state = $2 AND version = coalesce($3, version)
        RETURNING set_config('parley.mover', person, true), set_config('parley.traces', '', true)`,
        [owner, state, version ?? null]
      )
      if (rows.length === 0) return undefined
      const result = yield* work(sql)
      // Checks of the whole transaction, such as that of a new account, run while the writer is known.
      yield* sql.query("SET CONSTRAINTS ALL IMMEDIATE")
      // A long copy is still under way when it has just ended.
      yield* sql.query(`UPDATE ${table} SET writer = NULL, at = clock_timestamp() WHERE person = $1`, [owner])
      return result
    })
  )

/** Erased accounts count no longer in this cell: the cell to which they were copied counted them. */
const uncountOpenings = Effect.fnUntraced(function* (sql: OwnerSql, schema: string, accounts: number) {
  for (let count = accounts; count > 0;) {
    const [fullest] = yield* sql.query<Row & { part: number; accounts: number }>(
      `SELECT part, accounts FROM ${schema}.credit_openings ORDER BY accounts DESC, part LIMIT 1 FOR UPDATE`
    )
    const [part, counted] = [fullest?.part, Number(fullest?.accounts)]
    if (counted > count) {
      yield* sql.query(`UPDATE ${schema}.credit_openings SET accounts = accounts - $2 WHERE part = $1`, [part, count])
      return
    }
    yield* sql.query(`DELETE FROM ${schema}.credit_openings WHERE part = $1`, [part])
    count -= counted
  }
})

/** Deletes all rows of owners, as the mover. Children leave first, and the lock that all movers take comes last. */
export const deleteRows = Effect.fnUntraced(function* (
  sql: OwnerSql,
  schema: string,
  tables: ReadonlyArray<OwnerTable>,
  owners: ReadonlyArray<string>
) {
  let accounts = 0
  for (const { belongsToAny, name, sqlName } of tables.toReversed()) {
    const text = `DELETE FROM ${sqlName} AS copied_row__ WHERE ${belongsToAny}`
    if (name === "credit_accounts") accounts = (yield* sql.query(`${text} RETURNING 1`, [owners])).length
    else yield* sql.query(text, [owners])
  }
  yield* uncountOpenings(sql, schema, accounts)
})

/** An owner whose move from or to a cell was not ended. */
export interface MarkedMove extends Row {
  readonly owner: string
  /** The other cell. */
  readonly cell: string
  readonly state: "moving" | "arriving"
}

/** Owners whose move was not ended, longest first. */
export const unfinishedMoves = (cell: Cell, olderThanMs: number) =>
  cell.database.statement<MarkedMove>(
    `SELECT person AS owner, cell, state FROM ${cell.database.schema}.moved_owners
    WHERE state IN ('moving', 'arriving') AND at <= now() - $1::float8 * interval '1 millisecond' ORDER BY at`,
    [olderThanMs]
  )

/**
 * True if a move of the owner from or to the cell may still run: it has reached a state within this time, or one of its
 * transactions, such as the copy of many rows, holds the mark at this moment.
 */
export const isUnderWay = (cell: Cell, owner: string, withinMs: number) => {
  const table = `${cell.database.schema}.moved_owners`
  return cell.owner.asOwner((sql) =>
    Effect.map(
      sql.query(
        `WITH idle AS MATERIALIZED (SELECT FROM ${table} WHERE person = $1
          AND (state NOT IN ('moving', 'arriving') OR at <= now() - $2::float8 * interval '1 millisecond')
          FOR SHARE SKIP LOCKED)
        SELECT FROM ${table} WHERE person = $1 AND NOT EXISTS (SELECT FROM idle)`,
        [owner, withinMs]
      ),
      ({ length }) => length > 0
    )
  )
}
