import { Effect, Schema } from "effect"
import { Database, type DatabaseError, type Row } from "../database/Database.ts"
import { DatabaseOwner, type OwnerSql } from "../database/DatabaseOwner.ts"
import { forPurpose } from "../database/limits.ts"
import { quoteLiteral } from "../database/quoting.ts"
import { loadMigrations, type Migration, numberOf } from "./Migration.ts"

/** The schema cannot be brought up to date: its history does not fit the program's, or a migration failed. */
export class MigrationRefused extends Schema.TaggedError<MigrationRefused>()("MigrationRefused", {
  problem: Schema.Literals(["changed", "unknown", "failed"]),
  migrations: Schema.Array(Schema.String),
  /** The database's message about a failed migration. */
  detail: Schema.optionalKey(Schema.String),
  sqlState: Schema.optionalKey(Schema.String)
}) {
  readonly code = "migration_refused"
  override get message() {
    const names = this.migrations.join(", ")
    switch (this.problem) {
      case "changed":
        return `The migration ${names} was changed after it had been applied. Restore its text; put changes into a new migration.`
      case "unknown":
        return `The database has migrations this program does not know, and cannot run with: ${names}. Run the newer program, or restore an older copy of the database.`
      case "failed":
        return `The migration ${names} failed and left nothing behind. The database says: ${this.detail ?? "nothing"}`
    }
  }
}

/** A migration holds no data of users, so that the database's own words may be passed on to the operator. */
const failedMigration = (id: string) => (error: DatabaseError) =>
  error.sqlState === undefined || error.retryable
    ? error
    : new MigrationRefused({
        problem: "failed",
        migrations: [id],
        sqlState: error.sqlState,
        detail: error.cause instanceof Error ? error.cause.message : String(error.cause)
      })

interface Applied extends Row {
  readonly id: string
  readonly checksum: string
  /** Null of a migration that was applied before this was recorded. */
  readonly compatible_from: string | null
}

const load = Effect.promise(loadMigrations)

const SPACE_EXISTS = `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1) AS "exists"`
const TABLE_EXISTS = `SELECT EXISTS (
    SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'compatible_from' AND NOT a.attisdropped
  ) AS "isComplete"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'migrations'`

/** Both under a lock of this schema's own, held until the transaction ends: concurrent servers wait for each other. */
const lockAndPrepare = (sql: OwnerSql, schema: string, schemaName: string) =>
  Effect.gen(function* () {
    yield* sql.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 7220))", [`parley migrations ${schema}`])
    // Both read the catalog's tables, because a connection's own cache may be older than the lock.
    const [space] = yield* sql.query(SPACE_EXISTS, [schemaName])
    if (space?.["exists"] !== true) yield* sql.script(`CREATE SCHEMA ${schema}`)
    const [found] = yield* sql.query(TABLE_EXISTS, [schemaName])
    // Skipped if the table exists: even without an effect, the statement would wait for all readers of the table, a
    // backup for example.
    if (found === undefined) return yield* sql.script(migrationsTable(schema))
    if (found["isComplete"] !== true) {
      yield* sql.script(`ALTER TABLE ${schema}.migrations ADD COLUMN compatible_from text`)
    }
  })

/** The record of the applied migrations, and of the programs that run on each. */
export const migrationsTable = (schema: string): string => `CREATE TABLE ${schema}.migrations (
  id text PRIMARY KEY,
  checksum text NOT NULL,
  compatible_from text,
  applied_at timestamptz NOT NULL DEFAULT now()
)`

/** The statement that records a migration. */
export const recordOf = ({ checksum, compatibleFrom, id }: Migration, schema: string): string =>
  `INSERT INTO ${schema}.migrations (id, checksum, compatible_from) VALUES (${quoteLiteral(id)}, '${checksum}', '${compatibleFrom}')`

/**
 * Whether a program whose newest migration is `newest` runs on a schema with this migration, which it does not know: it came
 * after all of the program's own, and says that programs as old as this one run on.
 */
const toleratedBy =
  (newest: string) =>
  ({ compatible_from, id }: Applied): boolean =>
    numberOf(id) > newest && (compatible_from ?? numberOf(id)) <= newest

const compare = (
  applied: ReadonlyArray<Applied>,
  migrations: ReadonlyArray<Migration>
): Effect.Effect<ReadonlyArray<Migration>, MigrationRefused> => {
  const known = new Map(migrations.map((migration) => [migration.id, migration.checksum]))
  const isTolerated = toleratedBy(numberOf(migrations.at(-1)?.id ?? ""))
  const unknown = applied.filter((row) => !known.has(row.id) && !isTolerated(row)).map((row) => row.id)
  if (unknown.length > 0) return Effect.fail(new MigrationRefused({ problem: "unknown", migrations: unknown }))
  const changed = applied.filter((row) => known.has(row.id) && known.get(row.id) !== row.checksum).map((row) => row.id)
  if (changed.length > 0) return Effect.fail(new MigrationRefused({ problem: "changed", migrations: changed }))
  const done = new Set(applied.map((row) => row.id))
  return Effect.succeed(migrations.filter((migration) => !done.has(migration.id)))
}

const readApplied = (sql: Pick<OwnerSql, "query">, schema: string) =>
  sql.query<Applied>(
    // Written so that it also reads a table from before the column existed.
    `SELECT id, checksum, pg_catalog.to_jsonb(m) ->> 'compatible_from' AS compatible_from FROM ${schema}.migrations m ORDER BY id`
  )

/**
 * Applies the first missing migration, in a transaction of its own; returns its id, or undefined if none is missing.
 */
const applyNext = Effect.fnUntraced(function* (migrations: ReadonlyArray<Migration>) {
  const { schema } = yield* Database
  const owner = yield* DatabaseOwner
  return yield* owner.asOwner((sql) =>
    Effect.gen(function* () {
      yield* lockAndPrepare(sql, schema, owner.schemaName)
      const [next] = yield* compare(yield* readApplied(sql, schema), migrations)
      if (next === undefined) return undefined
      const text = `${next.text.replaceAll("{{schema}}", schema)}\n;${recordOf(next, schema)}`
      yield* Effect.mapError(sql.script(text), failedMigration(next.id))
      return next.id
    })
  )
})

/**
 * Brings the schema up to date: creates it if necessary and applies the missing migrations in order. Any number of
 * processes may do so at once. A newer schema on which this program runs is left as it is. Returns the ids applied by
 * this call.
 */
export const migrate = (
  given?: ReadonlyArray<Migration>
): Effect.Effect<ReadonlyArray<string>, DatabaseError | MigrationRefused, Database | DatabaseOwner> =>
  Effect.gen(function* () {
    const migrations = given ?? (yield* load)
    const applied: Array<string> = []
    for (;;) {
      const id = yield* applyNext(migrations)
      if (id === undefined) return applied
      applied.push(id)
    }
  }).pipe(forPurpose("schema"))

/** The ids of migrations not yet applied, changing nothing. Fails as `migrate` would if histories differ. */
export const pendingMigrations = (
  given?: ReadonlyArray<Migration>
): Effect.Effect<ReadonlyArray<string>, DatabaseError | MigrationRefused, Database> =>
  Effect.gen(function* () {
    const migrations = given ?? (yield* load)
    const { schema, statement } = yield* Database
    const [found] = yield* statement<{ exists: boolean }>(`SELECT to_regclass($1) IS NOT NULL AS "exists"`, [
      `${schema}.migrations`
    ])
    const applied = found?.exists === true ? yield* readApplied({ query: statement }, schema) : []
    return (yield* compare(applied, migrations)).map((migration) => migration.id)
  })
