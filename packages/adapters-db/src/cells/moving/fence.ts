import { Effect, Schedule } from "effect"
import type { Row, Sql } from "../../database/Database.ts"
import { forPurpose } from "../../database/limits.ts"
import { type Cell, ownerTables } from "./ownerTables.ts"

/** A fence that a table does not have yet. */
interface Missing {
  readonly table: string
  readonly create: string
}

interface FoundFence extends Row {
  readonly table: string
  readonly name: string
}

/** The tables with rows of owners, and the fences that they do not have yet. */
export const fencedTables = Effect.fnUntraced(function* (
  sql: Sql,
  { database: { schema }, owner: { schemaName } }: Cell
) {
  const tables = yield* ownerTables(sql, schema, schemaName)
  const found = yield* sql.query<FoundFence>(
    `SELECT n.name AS "table", t.tgname::text AS name FROM unnest($1::text[]) AS n(name)
    JOIN pg_trigger t ON t.tgrelid = to_regclass(n.name) AND t.tgenabled = 'O'`,
    [tables.map(({ sqlName }) => sqlName)]
  )
  const present = new Set(found.map(({ name, table }) => `${table} ${name}`))
  const missing = tables.flatMap(({ fences, name, sqlName }): ReadonlyArray<Missing> =>
    fences
      .filter((fence) => !present.has(`${sqlName} ${fence.name}`))
      .map((fence) => ({
        table: name,
        create: `CREATE OR REPLACE TRIGGER ${fence.name} BEFORE ${fence.on} ON ${sqlName} FOR EACH ROW
          ${fence.when === undefined ? "" : `WHEN (${fence.when})`} EXECUTE FUNCTION ${schema}.${fence.run}()`
      }))
  )
  return { tables, missing }
})

/** The names of the tables that have no fence yet, or not all of theirs. */
export const unfenced = (missing: ReadonlyArray<Missing>) => [...new Set(missing.map(({ table }) => table))]

/** Tries for the lock of one table. Each waits a second at most, because writers queue up behind it. */
const TRIES = 30

/**
 * Creates the fences of a cell that are missing: for operators who add a second cell, and after migrations that add
 * tables. A table is locked for an instant, and after the writes that are under way. Returns the names of the tables.
 */
export const enableFence = Effect.fnUntraced(function* (cell: Cell) {
  const { asOwner } = cell.owner
  const { missing } = yield* asOwner((sql) => fencedTables(sql, cell))
  for (const { create } of missing) {
    yield* asOwner((sql) => sql.script(create)).pipe(
      Effect.retry({ while: (error) => error.retryable, times: TRIES, schedule: Schedule.spaced("200 millis") }),
      forPurpose("maintenance")
    )
  }
  return unfenced(missing)
})

interface Holder extends Row {
  readonly holder: string
}

/**
 * The transactions that run in the database at this moment, except this one. VACUUM and concurrent index builds write
 * no rows of owners, and run for hours.
 */
const RUNNING = `SELECT l.virtualxid AS holder FROM pg_locks l
    WHERE l.locktype = 'virtualxid' AND l.granted AND l.pid <> pg_backend_pid()
      AND l.pid NOT IN (SELECT v.pid FROM pg_stat_progress_vacuum v
        UNION ALL SELECT b.pid FROM pg_stat_progress_create_index b WHERE b.command LIKE '% CONCURRENTLY')
      AND (SELECT a.datname FROM pg_stat_activity a WHERE a.pid = l.pid) = current_database()
  UNION ALL SELECT 'prepared ' || p.gid FROM pg_prepared_xacts p WHERE p.database = current_database()`

/**
 * Waits until every transaction that runs now has ended; returns false if some still run after `boundMs`.
 *
 * This makes a committed mark in "moved_owners" final: after the wait, no row of the owner changes any more, although
 * writers take no lock for it. Proof. Let M be the commit of the mark, and W a write of a row of the owner.
 * 1. The fence of W looks the mark up with a snapshot taken at that moment (READ COMMITTED, a volatile function), or with
 *    that of its transaction (REPEATABLE READ). If the snapshot was taken after M, W is refused.
 * 2. Otherwise the transaction of W took a snapshot before M. A transaction holds its virtual transaction id from before
 *    its first snapshot until its end. The list is read after M, so that the transaction is in the list or has ended.
 * 3. All of the list have ended after the wait. So each W that was not refused was committed or undone before.
 * PostgreSQL's CREATE INDEX CONCURRENTLY waits for the writers of a table in the same way.
 */
export const waitForRunning = Effect.fnUntraced(function* ({ owner: { execute } }: Cell, boundMs: number) {
  const until = performance.now() + boundMs
  let waited = (yield* execute(RUNNING)) as ReadonlyArray<Holder>
  for (let pauseMs = 2; waited.length > 0; pauseMs = Math.min(50, pauseMs * 2)) {
    if (performance.now() > until) return false
    yield* Effect.sleep(pauseMs)
    const left = new Set(((yield* execute(RUNNING)) as ReadonlyArray<Holder>).map(({ holder }) => holder))
    waited = waited.filter(({ holder }) => left.has(holder))
  }
  return true
})
