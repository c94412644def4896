import { WORKER_ALIVE_MS } from "@parley/core/adapter"
import { Effect, Option, Sink, Stream } from "effect"
import { Database, type DatabaseError, type Row } from "../database/Database.ts"
import { DatabaseOwner, type OwnerSql } from "../database/DatabaseOwner.ts"
import { forPurpose } from "../database/limits.ts"
import { quoteIdentifier } from "../database/quoting.ts"
import { installJobQueue } from "../jobs/startBoss.ts"
import { migrate, pendingMigrations } from "../migrations/migrate.ts"
import { loadMigrations } from "../migrations/Migration.ts"
import { COPY_FORMAT, type CopyPart, CopyRefused } from "./Copy.ts"
import { type CopiedTable, copiedTables, digestOf, queueVersion, ROW_SETTINGS } from "./copiedTables.ts"

type Begin = Extract<CopyPart, { readonly _tag: "begin" }>
type End = Extract<CopyPart, { readonly _tag: "end" }>

const refuse = (problem: CopyRefused["problem"], names: ReadonlyArray<string> = []) =>
  Effect.fail(new CopyRefused({ problem, names }))

/** Returns the names of the tables that contain rows. */
const filledTables = Effect.fnUntraced(function* (sql: OwnerSql, tables: ReadonlyArray<CopiedTable>) {
  const filled: Array<string> = []
  for (const { name, sqlName } of tables) {
    const [row] = yield* sql.query(`SELECT EXISTS (SELECT FROM ${sqlName}) AS filled`)
    if (row?.["filled"] === true) filled.push(name)
  }
  return filled
})

/** True if a server's worker has been active recently. The table of workers may not exist yet. */
const isInUse = Effect.fnUntraced(function* (sql: OwnerSql, schema: string) {
  const [found] = yield* sql.query("SELECT to_regclass($1) IS NOT NULL AS migrated", [`${schema}.workers`])
  if (found?.["migrated"] !== true) return false
  const [row] = yield* sql.query(
    `SELECT EXISTS (
      SELECT FROM ${schema}.workers
      WHERE left_at IS NULL AND seen_at > now() - $1::float8 * interval '1 millisecond') AS alive`,
    [WORKER_ALIVE_MS]
  )
  return row?.["alive"] === true
})

/**
 * Applies the migrations of the copy to an empty target, so that its tables have the columns of the copied rows. A
 * target without rows that has newer migrations is created again.
 */
const prepareTarget = Effect.fnUntraced(function* ({ format, migrations, queueVersion: version }: Begin) {
  if (format !== COPY_FORMAT) return yield* refuse("other-format")
  const { asOwner, schemaName } = yield* DatabaseOwner
  const { schema } = yield* Database
  const known = yield* Effect.promise(loadMigrations)
  const unknown = migrations.filter((id) => !known.some((each) => each.id === id))
  if (unknown.length > 0) return yield* refuse("newer-schema", unknown)
  const filled = yield* asOwner((sql) =>
    Effect.flatMap(copiedTables(sql, schemaName), (tables) => filledTables(sql, tables))
  )
  if (filled.length > 0) return yield* refuse("target-not-empty", filled)
  if (yield* asOwner((sql) => isInUse(sql, schema))) return yield* refuse("target-in-use")
  const pending = yield* pendingMigrations()
  const isOther = known.some(({ id }) => migrations.includes(id) === pending.includes(id))
  if (isOther) {
    const queue = quoteIdentifier(`${schemaName}_boss`)
    yield* asOwner((sql) =>
      sql.script(`DROP SCHEMA IF EXISTS ${queue} CASCADE; DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    )
    yield* migrate(known.filter(({ id }) => migrations.includes(id)))
  }
  yield* installJobQueue
  const installed = yield* asOwner((sql) => queueVersion(sql, schemaName))
  if (version !== null && version !== installed) return yield* refuse("other-queue")
})

interface ForeignKey extends Row {
  readonly sqlName: string
  readonly name: string
  readonly definition: string
}

/** The foreign keys of the schema in $1. They are dropped during the load, and checked after all rows are stored. */
const FOREIGN_KEYS = `SELECT format('%I.%I', n.nspname, c.relname) AS "sqlName", k.conname AS name,
    pg_get_constraintdef(k.oid) AS definition
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE k.contype = 'f' AND n.nspname = $1 AND k.conparentid = 0`

/**
 * Runs `load` without triggers and foreign keys, because triggers would repeat changes that the source has already
 * made. Afterwards checks all foreign keys.
 */
const withoutTriggers = <A, E, R>(
  sql: OwnerSql,
  schemaName: string,
  tables: ReadonlyArray<CopiedTable>,
  load: Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const own = tables.filter(({ name }) => !name.startsWith("boss."))
    const triggers = (verb: "DISABLE" | "ENABLE") =>
      sql.script(own.map(({ sqlName }) => `ALTER TABLE ${sqlName} ${verb} TRIGGER USER`).join("; "))
    const keys = yield* sql.query<ForeignKey>(FOREIGN_KEYS, [schemaName])
    const script = (text: (key: ForeignKey, name: string) => string) =>
      sql.script(keys.map((key) => `ALTER TABLE ${key.sqlName} ${text(key, quoteIdentifier(key.name))}`).join("; "))
    yield* triggers("DISABLE")
    yield* script((_, name) => `DROP CONSTRAINT ${name}`)
    const loaded = yield* load
    yield* script(({ definition }, name) => `ADD CONSTRAINT ${name} ${definition}`)
    yield* triggers("ENABLE")
    return loaded
  })

const insertRows = (sql: OwnerSql, { columns, sqlName }: CopiedTable, rows: ReadonlyArray<string>) =>
  sql.query(
    `INSERT INTO ${sqlName} (${columns.join(", ")}) OVERRIDING SYSTEM VALUE
      SELECT ${columns.join(", ")} FROM unnest($1::text[]::${sqlName}[])`,
    [rows]
  )

const NO_ROWS = { rows: 0, digest: "0" }

/** Compares the digests of all tables of the target with those of the source. */
const checkDigests = Effect.fnUntraced(function* (sql: OwnerSql, tables: ReadonlyArray<CopiedTable>, end: End) {
  const differing: Array<string> = []
  for (const each of tables) {
    const { table } = yield* digestOf(sql, each)
    // A source without a job queue has no digest for the table of jobs.
    const expected = end.tables[each.name] ?? NO_ROWS
    if (table.rows !== expected.rows || table.digest !== expected.digest) differing.push(each.name)
  }
  if (differing.length > 0) return yield* refuse("differs", differing)
})

const setSequences = (sql: OwnerSql, schemaName: string, { sequences }: End) =>
  Effect.forEach(
    Object.entries(sequences).filter(([, value]) => value !== null),
    ([name, value]) =>
      sql.query("SELECT setval(format('%I.%I', $1::text, $2::text)::regclass, $3::bigint)", [schemaName, name, value]),
    { discard: true }
  )

const loadRows = <E, R>(sql: OwnerSql, schemaName: string, rest: Stream.Stream<CopyPart, E, R>) =>
  Effect.gen(function* () {
    yield* sql.query(ROW_SETTINGS)
    const tables = yield* copiedTables(sql, schemaName)
    const byName = new Map(tables.map((table) => [table.name, table]))
    let end: End | undefined
    const take = (part: CopyPart): Effect.Effect<unknown, CopyRefused | DatabaseError> => {
      if (part._tag === "end") return Effect.sync(() => void (end = part))
      const table = part._tag === "rows" && end === undefined ? byName.get(part.table) : undefined
      return table === undefined || part._tag !== "rows" ? refuse("incomplete") : insertRows(sql, table, part.rows)
    }
    yield* withoutTriggers(sql, schemaName, tables, Stream.runForEach(rest, take))
    if (end === undefined) return yield* refuse("incomplete")
    yield* setSequences(sql, schemaName, end)
    yield* checkDigests(sql, tables, end)
    return end
  })

/**
 * Loads a copy into an empty database in one transaction, then applies newer migrations. Returns the digests of the
 * loaded tables. Fails with `CopyRefused`, and leaves no row, if the target contains data or has an active worker, or
 * if a loaded row differs from the copy.
 */
export const loadCopy = <E, R>(parts: Stream.Stream<CopyPart, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const [first, rest] = yield* Stream.peel(parts, Sink.head<CopyPart>())
      if (Option.isNone(first) || first.value._tag !== "begin") return yield* refuse("other-format")
      yield* prepareTarget(first.value)
      const { asOwner, schemaName, execute } = yield* DatabaseOwner
      const { tables } = yield* asOwner((sql) => loadRows(sql, schemaName, rest))
      yield* migrate()
      yield* execute("ANALYZE")
      return tables
    })
  ).pipe(forPurpose("building"))
