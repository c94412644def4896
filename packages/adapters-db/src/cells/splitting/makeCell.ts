import { Effect } from "effect"
import type { Row } from "../../database/Database.ts"
import type { OwnerSql } from "../../database/DatabaseOwner.ts"
import { BUCKETS } from "../directory/bucketOf.ts"
import type { Split } from "../directory/splitSql.ts"
import { everyOwner } from "../moving/everyOwner.ts"
import type { Cell } from "../moving/ownerTables.ts"
import { type CellState, STATE } from "./replica.ts"
import { SplitRefused } from "./splitErrors.ts"

/** Tables of which only the rows of the global database count, and those of processes and of files that the source deletes. */
export const NOT_OF_A_COPY = [
  "audit_log",
  "bot_owners",
  "cell_buckets",
  "cells",
  "directory",
  "file_garbage",
  "payment_catch_up",
  "payment_owners",
  "placements",
  "rate_windows",
  "reindex_runs",
  "revoked_sessions",
  "service_keys",
  "sign_in_people",
  "sign_ins",
  "splits",
  "workers"
] as const

/** Tables whose triggers fence or prove the writes of people. No process writes to the copy before it is a cell. */
const WITHOUT_TRIGGERS = [
  "audit_log",
  "credit_accounts",
  "moved_owners",
  "payment_events",
  "payment_references",
  "payment_waits"
] as const

/**
 * Marks the owners of the copy: those who left the source live here, and all others live in another cell. `eraseMoved` erases
 * the rows of the others later. There may be millions of owners, so one statement changes each table.
 */
const divide = Effect.fnUntraced(function* (sql: OwnerSql, target: Cell, { source, version }: Split) {
  const { schema } = target.database
  yield* sql.query(
    `UPDATE ${schema}.credit_accounts a SET moved = CASE WHEN NOT EXISTS (
       SELECT FROM ${schema}.moved_owners m WHERE m.person = a.user_id AND m.state = 'leaving' AND m.version = $1) THEN true END`,
    [version]
  )
  yield* sql.query(
    `INSERT INTO ${schema}.moved_owners AS m (person, state, cell, version, remains)
     SELECT p.person, 'moved', $1, $2, true FROM (${yield* everyOwner(sql, target)}) p
     ON CONFLICT DO NOTHING`,
    [source, version]
  )
  yield* sql.query(
    `UPDATE ${schema}.moved_owners SET state = 'moved', cell = $1, version = greatest(version, $2), remains = true,
       refused_for = NULL, at = now() WHERE state <> 'moved' AND NOT (state = 'leaving' AND version = $2)`,
    [source, version]
  )
  yield* sql.query(`DELETE FROM ${schema}.moved_owners WHERE state = 'leaving'`)
})

/**
 * Marks all buckets as lost except those that the copy takes. People who have a block or a sign-out and no other row have no
 * mark of their own: they belong to the copy by their bucket.
 */
const loseOthers = Effect.fnUntraced(function* (sql: OwnerSql, schema: string, { buckets, version }: Split) {
  yield* sql.query(`DELETE FROM ${schema}.lost_buckets WHERE bucket = ANY ($1::smallint[])`, [buckets])
  yield* sql.query(
    `INSERT INTO ${schema}.lost_buckets (bucket, version) SELECT b, $2 FROM generate_series(0, ${BUCKETS - 1}) b
     WHERE b <> ALL ($1::integer[]) ON CONFLICT DO NOTHING`,
    [buckets, version]
  )
})

/**
 * Removes rows that belong to no person of a cell: the global database has them. In another database, such rows are of people
 * whose erasure has not reached the global database yet: until then they say that the person was erased.
 */
const dropShared = Effect.fnUntraced(function* (sql: OwnerSql, schema: string) {
  const [directory] = yield* sql.query(`SELECT 1 FROM ${schema}.directory`)
  yield* sql.query(`TRUNCATE ${NOT_OF_A_COPY.map((table) => `${schema}.${table}`).join(", ")}`)
  if (directory === undefined) return
  yield* sql.query(`DELETE FROM ${schema}.event_deliveries WHERE user_id = 'parley:no-person'`)
  yield* sql.query(
    `DELETE FROM ${schema}.payment_waits w USING ${schema}.payment_events e WHERE e.event_id = w.event_id AND e.owner IS NULL`
  )
  yield* sql.query(`DELETE FROM ${schema}.payment_events WHERE owner IS NULL`)
  yield* sql.query(`DELETE FROM ${schema}.payment_references WHERE owner IS NULL OR owner = 'erased:'`)
})

const triggers = (sql: OwnerSql, schema: string, change: "DISABLE" | "ENABLE") =>
  sql.script(WITHOUT_TRIGGERS.map((table) => `ALTER TABLE ${schema}.${table} ${change} TRIGGER USER`).join(";\n"))

/**
 * Makes a promoted copy the database of a cell of its own, in one transaction; returns its id. The directory has to have this
 * id before the database is used. A repetition returns the same.
 */
export const makeCell = (target: Cell, split: Split, sourceId: string) =>
  target.owner.asOwner((sql) =>
    Effect.gen(function* () {
      const { schema } = target.database
      const [copy] = yield* sql.query<CellState>(`SELECT ${STATE} FROM ${schema}.this_cell FOR UPDATE`)
      if (copy?.frozen === split.version && copy.copyOf === split.source && copy.name === target.id) return copy.id
      if (copy?.frozen !== split.version || copy.id !== sourceId)
        return yield* new SplitRefused({ problem: "promoted-early", cell: split.source, target: target.id })
      yield* triggers(sql, schema, "DISABLE")
      yield* divide(sql, target, split)
      yield* dropShared(sql, schema)
      yield* loseOthers(sql, schema, split)
      yield* triggers(sql, schema, "ENABLE")
      const [named] = yield* sql.query<Row & { id: string }>(
        `UPDATE ${schema}.this_cell SET id = gen_random_uuid(), name = $1, copy_of = name, taken = false, seen = greatest(seen, $2)
         RETURNING id`,
        [target.id, split.version]
      )
      return named?.id ?? ""
    })
  )
