import { Schema } from "effect"
import { checkSchemaName, quoteIdentifier } from "../database/quoting.ts"
import { JOBS_QUEUE, JOBS_QUEUE_POLICY } from "../jobs/jobSql.ts"
import { migrationsTable, recordOf } from "./migrate.ts"
import { loadMigrations, type Migration } from "./Migration.ts"

/** One transaction: the migration and its record, as `parley migrate` would leave them. */
const printed = (migration: Migration, schema: string): string =>
  [
    `-- ${migration.id}`,
    "BEGIN;",
    migration.text.replaceAll("{{schema}}", schema).trimEnd(),
    `${recordOf(migration, schema)};`,
    "COMMIT;"
  ].join("\n")

const boss = (schemaName: string): string => quoteIdentifier(`${schemaName}_boss`)

/** There is no migration of this name. */
export class MigrationUnknown extends Schema.TaggedError<MigrationUnknown>()("MigrationUnknown", {
  migration: Schema.String,
  newest: Schema.String
}) {
  readonly code = "migration_unknown"
  override get message() {
    return `There is no migration ${JSON.stringify(this.migration.slice(0, 100))}. The newest is ${this.newest}.`
  }
}

/**
 * The SQL that creates the schema, for operators who apply changes by hand or with another tool: a script for psql and
 * similar programs, with the job queue's schema at its end. With `after`, the id of a migration, it contains only later
 * migrations, and not the job queue, which updates itself. Rejects with `MigrationUnknown` if there is no such
 * migration.
 */
export const migrationScript = async (schemaName: string, after?: string): Promise<string> => {
  const schema = quoteIdentifier(checkSchemaName(schemaName))
  const migrations = await loadMigrations()
  const place = after === undefined ? -1 : migrations.findIndex(({ id }) => id === after)
  if (after !== undefined && place < 0) {
    throw new MigrationUnknown({ migration: after, newest: migrations.at(-1)?.id ?? "" })
  }
  const missing = migrations.slice(place + 1).map((migration) => printed(migration, schema))
  if (after !== undefined) return `${missing.join("\n\n")}\n`
  const { getConstructionPlans } = await import("pg-boss")
  const queue = JSON.stringify({ policy: JOBS_QUEUE_POLICY })
  return `${[
    `CREATE SCHEMA ${schema};`,
    `${migrationsTable(schema)};`,
    ...missing,
    "-- The job queue",
    getConstructionPlans(boss(schemaName)).trim(),
    `SELECT ${boss(schemaName)}.create_queue('${JOBS_QUEUE}', '${queue}'::jsonb);`
  ].join("\n\n")}\n`
}

/**
 * The SQL that takes away everything Parley keeps: its schema and the job queue's, with all their data. The two roles belong to
 * the whole cluster and may be used by other databases of it: they stay, with what would take them away as a comment.
 */
export const uninstallScript = (schemaName: string): string => {
  const schema = quoteIdentifier(checkSchemaName(schemaName))
  return `-- Takes away all that Parley keeps in this database. There is no way back but a backup.
BEGIN;
DROP SCHEMA IF EXISTS ${schema} CASCADE;
DROP SCHEMA IF EXISTS ${boss(schemaName)} CASCADE;
COMMIT;
-- The roles are the whole cluster's. Where no other database, and no other schema of this one, uses them:
-- DROP ROLE parley_user, parley_service;
`
}
