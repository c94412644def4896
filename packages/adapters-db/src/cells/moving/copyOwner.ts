import { Effect } from "effect"
import { ROW_SETTINGS, ROW_TEXT } from "../../copying/copiedTables.ts"
import type { Row, Sql } from "../../database/Database.ts"
import type { OwnerSql } from "../../database/DatabaseOwner.ts"
import { MoveRefused, OwnerBusy } from "./moveErrors.ts"
import { type Cell, differing, ownedDigests, type OwnerTable } from "./ownerTables.ts"
import { asMover } from "./ownerStates.ts"

/** The size of a statement's rows in characters, and their most. */
const PART_CHARACTERS = 4_000_000
const PART_ROWS = 1000

/** An owner on the way from one cell to another. */
export interface Journey {
  readonly owner: string
  readonly from: Cell
  readonly to: Cell
  /** The tables, in the same order, as each of the cells names them. */
  readonly source: ReadonlyArray<OwnerTable>
  readonly target: ReadonlyArray<OwnerTable>
  /** The version of the placement from which the move began. */
  readonly version: number
}

/**
 * The work of an owner that a move would cut off, if there is any: it would end in the old cell. Replies and their holds
 * do not count: each of their writes goes to the cell in which the owner lives by then.
 */
export const workOf = Effect.fnUntraced(function* (
  sql: Sql,
  { schema }: Cell["database"],
  job: string | undefined,
  owner: string
) {
  const running = job === undefined ? "false" : `EXISTS (SELECT FROM ${job} WHERE group_id = $1 AND state = 'active')`
  const [found] = yield* sql.query<Row & { work: "job" | "delivery" | "connection" | null }>(
    `SELECT CASE WHEN ${running} THEN 'job'
      WHEN EXISTS (SELECT FROM ${schema}.event_deliveries d
        WHERE d.user_id = $1 AND d.state = 'pending' AND d.claim IS NOT NULL AND d.due_at > now()) THEN 'delivery'
      WHEN EXISTS (SELECT FROM ${schema}.crm_connections c WHERE c.user_id = $1 AND c.lease_until > now()) THEN 'connection'
      END AS work`,
    [owner]
  )
  return found?.work ?? undefined
})

/** The job queue's table, if there is a queue. */
export const jobTable = (tables: ReadonlyArray<OwnerTable>) => tables.find(({ name }) => name === "boss.job")?.sqlName

const copyTable = Effect.fnUntraced(function* (
  source: Sql,
  target: OwnerSql,
  { belongs, columns, key, sqlName }: OwnerTable,
  copyName: string,
  owner: string,
  longest: number
) {
  const count = Math.max(1, Math.min(PART_ROWS, Math.floor(PART_CHARACTERS / longest)))
  const order = key.map((column) => `copied_row__.${column}`).join(", ")
  const names = columns.join(", ")
  yield* source.query(
    `DECLARE parley_move NO SCROLL CURSOR FOR SELECT ${ROW_TEXT} AS row FROM ${sqlName} AS copied_row__
    WHERE ${belongs} ORDER BY ${order}`,
    [owner]
  )
  for (;;) {
    const rows = yield* source.query<{ row: string }>(`FETCH ${count} FROM parley_move`)
    if (rows.length > 0) {
      yield* target.query(
        `INSERT INTO ${copyName} (${names}) OVERRIDING SYSTEM VALUE
          SELECT ${names} FROM unnest($1::text[]::${copyName}[])`,
        [rows.map(({ row }) => row)]
      )
    }
    if (rows.length < count) break
  }
  yield* source.query("CLOSE parley_move")
})

/** Sequences of the target that have to be ahead of copied numbers, and places of the feed, which each cell assigns. */
const adopt = Effect.fnUntraced(function* (sql: OwnerSql, schema: string, owner: string) {
  yield* sql.query(
    `SELECT setval($2::regclass, v.version) FROM (
      SELECT max(c.version) AS version FROM ${schema}.crm_connections c WHERE c.user_id = $1
    ) v WHERE v.version > (SELECT last_value FROM ${schema}.crm_versions)`,
    [owner, `${schema}.crm_versions`]
  )
  // A reader of the feed may see such an event twice, under the same id.
  yield* sql.query(`UPDATE ${schema}.event_deliveries SET place = NULL WHERE user_id = $1 AND place IS NOT NULL`, [
    owner
  ])
})

/**
 * Removes rows of the owner's events that the target has as ones without an owner: a process that ended after it had applied
 * a waiting event has left them in the global database. The owner's rows count.
 */
const dropWaiting = Effect.fnUntraced(function* (source: Sql, target: OwnerSql, { from, owner, to }: Journey) {
  const events = yield* source.query<{ id: string }>(
    `SELECT e.event_id AS id FROM ${from.database.schema}.payment_events e WHERE e.owner = $1`,
    [owner]
  )
  if (events.length > 0)
    yield* target.query(`SELECT ${to.database.schema}.drop_payments($1::text[])`, [events.map(({ id }) => id)])
})

const copyRows = (source: Sql, journey: Journey) =>
  asMover(journey.to, journey.owner, { state: "arriving", version: journey.version }, (target) =>
    Effect.gen(function* () {
      const { from, owner, to } = journey
      yield* source.query(ROW_SETTINGS)
      yield* target.query(ROW_SETTINGS)
      const [state] = yield* source.query(
        `SELECT 1 FROM ${from.database.schema}.moved_owners WHERE person = $1 AND state = 'moving' AND version = $2`,
        [owner, journey.version]
      )
      if (state === undefined) return yield* new MoveRefused({ problem: "superseded", names: [] })
      const work = yield* workOf(source, from.database, jobTable(journey.source), owner)
      if (work !== undefined) return yield* new OwnerBusy({ work })
      const expected = yield* ownedDigests(source, journey.source, owner)
      yield* dropWaiting(source, target, journey)
      const names = new Map(journey.target.map(({ name, sqlName }) => [name, sqlName]))
      for (const table of journey.source) {
        const filled = expected.get(table.name)
        if (filled === undefined) continue
        yield* copyTable(source, target, table, names.get(table.name) ?? table.sqlName, owner, filled.longest)
      }
      const different = differing(expected, yield* ownedDigests(target, journey.target, owner))
      if (different.length > 0) return yield* new MoveRefused({ problem: "differs", names: different })
      if (expected.has("credit_accounts"))
        yield* target.query(`SELECT ${to.database.schema}.prove_account($1)`, [owner])
      yield* adopt(target, to.database.schema, owner)
      return [...expected.values()].reduce((sum, { rows }) => sum + rows, 0)
    })
  )

/**
 * Copies all rows of an owner whose rows do not change any more, in one transaction of the target; returns their number.
 * The target has no rows of the owner: others would wait for a row that this transaction replaces. The triggers of the
 * target prove the account, and write no event.
 */
export const copyOwner = Effect.fnUntraced(function* (journey: Journey) {
  const rows = yield* journey.from.owner.snapshot((source) => copyRows(source, journey))
  if (rows === undefined) return yield* new MoveRefused({ problem: "superseded", names: [] })
  return rows
})
