import { type DatabaseState, inspectDatabase, pendingMigrations } from "@parley/adapters-db"
import { Effect } from "effect"
import { databaseTrouble } from "../running/explainDatabase.ts"
import type { ParleyConfig } from "../config/readConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, note, ok } from "./Check.ts"
import { documentChecks } from "./documentChecks.ts"
import { vectorIndexChecks } from "./vectorIndexChecks.ts"
import { inboxChecks, subscriptionChecks } from "./payments/paymentChecks.ts"
import { tierChecks } from "./tierChecks.ts"
import { workChecks } from "./workChecks.ts"

/** The time that a server of Postgres has for all checks. An embedded database is this process: only work delays it. */
const WITHIN = "10 seconds"

const describe = ({ database, dataFolder, databaseSchema }: ParleyConfig, server: string): string =>
  database._tag === "Embedded"
    ? `embedded PGlite (Postgres ${server}) in ${dataFolder}`
    : `Postgres ${server}, schema ${databaseSchema}`

const backupCheck = ({ database }: ParleyConfig, login: string, fenced: number): ReadonlyArray<Check> => {
  if (database._tag === "Embedded") return []
  return fenced === 0
    ? [ok("backup", `a plain pg_dump as ${login} is whole; after a restore: parley credits verify`)]
    : [
        note(
          "backup",
          `pg_dump as ${login} is refused: ${fenced} tables are others'`,
          "Dump as the login that ran the migrations, which owns the tables; after a restore: parley credits verify."
        )
      ]
}

/** Checked only if documents are embedded: nothing else needs the extension. */
const vectorCheck = ({ embedding }: ParleyConfig, found: DatabaseState): ReadonlyArray<Check> => {
  if (embedding === undefined) return []
  if (found.pgvector === "added") return [ok("pgvector", `documents are searched by words and by ${embedding.model}`)]
  const detail = "documents are searched by their words alone, without their embeddings"
  return found.pgvector === "available"
    ? [note("pgvector", `not added to the database: ${detail}`, "Let its owner run: CREATE EXTENSION vector;")]
    : [
        note(
          "pgvector",
          `not on the server: ${detail}`,
          "Install it there (postgresql-17-pgvector), then: CREATE EXTENSION vector;"
        )
      ]
}

const migrationsCheck = (pending: ReadonlyArray<string>): Check =>
  pending.length === 0
    ? ok("migrations", "all applied")
    : failed(
        "migrations",
        exitCodes.failed,
        `${pending.length} not applied: ${pending.join(", ")}`,
        'Apply them with "parley migrate".'
      )

const look = (config: ParleyConfig) =>
  Effect.gen(function* () {
    const state = yield* inspectDatabase
    const { fencedTables, hasRoles, login, server } = state
    const checks = [ok("database", describe(config, server)), ...vectorCheck(config, state)]
    if (hasRoles) {
      const pending = yield* pendingMigrations()
      const kept =
        pending.length === 0
          ? (yield* Effect.all([
              tierChecks,
              inboxChecks,
              subscriptionChecks,
              documentChecks,
              workChecks(config),
              vectorIndexChecks(config)
            ])).flat()
          : []
      return [...checks, migrationsCheck(pending), ...kept, ...backupCheck(config, login, fencedTables)]
    }
    const detail = "the roles parley_user and parley_service are missing, so nothing is applied"
    return [...checks, failed("migrations", exitCodes.failed, detail, 'Make them with "parley migrate".')]
  })

/** Checks that the database answers, its missing parts, and that its schema is up to date. */
export const databaseChecks = (config: ParleyConfig) =>
  (config.database._tag === "Embedded" ? look(config) : Effect.timeout(look(config), WITHIN)).pipe(
    Effect.catchTag("MigrationRefused", (refused) =>
      Effect.succeed([failed("migrations", exitCodes.failed, "history and program do not fit", refused.message)])
    ),
    Effect.catchTag("TimeoutError", () =>
      Effect.succeed([
        failed(
          "database",
          exitCodes.unavailable,
          `it does not answer within ${WITHIN}`,
          "Check DATABASE_URL, and that the database runs."
        )
      ])
    ),
    Effect.catchTag("DatabaseError", (error) => {
      const { advice, detail } = databaseTrouble(error)
      return Effect.succeed([failed("database", exitCodes.unavailable, detail, advice)])
    })
  )
