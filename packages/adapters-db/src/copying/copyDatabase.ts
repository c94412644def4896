import { Effect, Queue, Stream } from "effect"
import { Database, type DatabaseError, type Sql } from "../database/Database.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { forPurpose } from "../database/limits.ts"
import { COPY_FORMAT, type CopyPart, type TableDigest } from "./Copy.ts"
import {
  type CopiedTable,
  copiedTables,
  digestOf,
  queueVersion,
  ROW_SETTINGS,
  ROW_TEXT,
  sequencesOf
} from "./copiedTables.ts"

/** The most characters and the most rows of one part of a copy. A single row has at most a few megabytes. */
const PART_CHARACTERS = 4_000_000
const PART_ROWS = 500
/** The most parts that are read ahead of the consumer. */
const PARTS_AHEAD = 2

type Write = (part: CopyPart) => Effect.Effect<unknown>

const copyRows = Effect.fnUntraced(function* (sql: Sql, { name, sqlName }: CopiedTable, longest: number, write: Write) {
  const count = Math.max(1, Math.min(PART_ROWS, Math.floor(PART_CHARACTERS / longest)))
  yield* sql.query(`DECLARE parley_copy NO SCROLL CURSOR FOR SELECT ${ROW_TEXT} AS row FROM ${sqlName} AS copied_row__`)
  for (;;) {
    const rows = yield* sql.query<{ row: string }>(`FETCH ${count} FROM parley_copy`)
    if (rows.length === 0) break
    yield* write({ _tag: "rows", table: name, rows: rows.map(({ row }) => row) })
  }
  yield* sql.query("CLOSE parley_copy")
})

const copyAll = Effect.fnUntraced(function* (sql: Sql, schema: string, schemaName: string, write: Write) {
  yield* sql.query(ROW_SETTINGS)
  const applied = yield* sql.query<{ id: string }>(`SELECT id FROM ${schema}.migrations ORDER BY id`)
  yield* write({
    _tag: "begin",
    format: COPY_FORMAT,
    migrations: applied.map(({ id }) => id),
    queueVersion: yield* queueVersion(sql, schemaName)
  })
  const digests: Record<string, TableDigest> = {}
  for (const each of yield* copiedTables(sql, schemaName)) {
    const { longest, table } = yield* digestOf(sql, each)
    digests[each.name] = table
    if (table.rows > 0) yield* copyRows(sql, each, longest, write)
  }
  yield* write({ _tag: "end", tables: digests, sequences: yield* sequencesOf(sql, schemaName) })
})

/**
 * Reads one consistent state of the whole database while other work continues. Uploaded files in an object store are
 * not part of the copy. On the embedded database all other work waits until the copy is complete.
 */
export const copyDatabase: Stream.Stream<CopyPart, DatabaseError, Database | DatabaseOwner> = Stream.callback(
  (queue) =>
    Effect.gen(function* () {
      const { schema } = yield* Database
      const { schemaName, snapshot } = yield* DatabaseOwner
      const copying = snapshot((sql) => copyAll(sql, schema, schemaName, (part) => Queue.offer(queue, part)))
      yield* forPurpose("building")(copying)
      yield* Queue.end(queue)
    }),
  { bufferSize: PARTS_AHEAD }
)
