import {
  configuredDatabases,
  Databases,
  type DatabaseState,
  inspectDatabase,
  leftAlone,
  type NamedDatabase,
  noteCells,
  pendingMigrations
} from "@parley/adapters-db"
import { Effect } from "effect"
import { onDatabase } from "../../databases/eachDatabase.ts"
import { databaseTrouble } from "../../running/explainDatabase.ts"
import type { ParleyConfig } from "../../config/readConfig.ts"
import { exitCodes } from "../../exitCodes.ts"
import { type Check, failed, note, ok } from "../Check.ts"
import { directoryChecks } from "./directoryChecks.ts"
import { documentChecks } from "../documentChecks.ts"
import { vectorIndexChecks } from "../vectorIndexChecks.ts"
import { inboxChecks, subscriptionChecks } from "../payments/paymentChecks.ts"
import { tierChecks } from "../tierChecks.ts"
import { workChecks } from "../workChecks.ts"

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

/** The checks of one database by itself, and whether its tables can be read. */
interface Looked {
  readonly before: ReadonlyArray<Check>
  readonly isReadable: boolean
  readonly after: ReadonlyArray<Check>
}

const look = Effect.fnUntraced(function* (config: ParleyConfig) {
  const state = yield* inspectDatabase
  const { fencedTables, hasRoles, login, server } = state
  const checks = [ok("database", describe(config, server)), ...vectorCheck(config, state)]
  if (!hasRoles) {
    const detail = "the roles parley_user and parley_service are missing, so nothing is applied"
    const missing = failed("migrations", exitCodes.failed, detail, 'Make them with "parley migrate".')
    return { before: [...checks, missing], isReadable: false, after: [] } as Looked
  }
  const pending = yield* pendingMigrations()
  const isReadable = pending.length === 0
  const own = isReadable ? yield* vectorIndexChecks(config) : []
  const after = [...own, ...backupCheck(config, login, fencedTables)]
  return { before: [...checks, migrationsCheck(pending)], isReadable, after } as Looked
})

const troubleCheck = (error: unknown, cell?: string): Check => {
  const { advice, detail } = databaseTrouble({ cell, cause: error })
  return failed("database", exitCodes.unavailable, detail, advice)
}

/** Checks that a database answers, its missing parts, and that its schema is up to date. */
const looked = (config: ParleyConfig, cell?: string) => {
  const unreadable = (check: Check): Effect.Effect<Looked> =>
    Effect.succeed({ before: [check], isReadable: false, after: [] })
  const setting = cell === undefined || cell === "global" ? "DATABASE_URL" : "PARLEY_CELLS"
  return (config.database._tag === "Embedded" ? look(config) : Effect.timeout(look(config), WITHIN)).pipe(
    Effect.catchTags({
      MigrationRefused: ({ message }) =>
        unreadable(failed("migrations", exitCodes.failed, "history and program do not fit", message)),
      TimeoutError: () => {
        const detail = `it does not answer within ${WITHIN}`
        return unreadable(
          failed("database", exitCodes.unavailable, detail, `Check ${setting}, and that the database runs.`)
        )
      },
      DatabaseError: (error) => unreadable(troubleCheck(error, cell))
    })
  )
}

/** The checks that read the rows of all people in all databases. */
const sharedChecks = (config: ParleyConfig) =>
  Effect.map(
    Effect.all([tierChecks, inboxChecks, subscriptionChecks, documentChecks, workChecks(config)]),
    (checks): ReadonlyArray<Check> => checks.flat()
  ).pipe(
    Effect.catchTags({
      DatabaseError: (error) => Effect.succeed([troubleCheck(error)]),
      StorageFailed: (error) => Effect.succeed([troubleCheck(error)])
    })
  )

const ofOne = Effect.fnUntraced(function* (config: ParleyConfig) {
  const { after, before, isReadable } = yield* looked(config)
  return [...before, ...(isReadable ? yield* sharedChecks(config) : []), ...after]
})

/** Each database under its name, then the directory and the checks over all of them. */
const ofCells = Effect.fnUntraced(function* (config: ParleyConfig, all: ReadonlyArray<NamedDatabase>) {
  const found = yield* Effect.forEach(
    all,
    (database) =>
      Effect.map(onDatabase(database, looked(config, database.name)), (result) => ({ name: database.name, ...result })),
    { concurrency: "unbounded" }
  )
  const named = found.flatMap(({ after, before, name }) =>
    [...before, ...after].map((check) => ({ ...check, name: `${check.name} ${name}` }))
  )
  const behind = found.filter(({ isReadable }) => !isReadable).map(({ name }) => name)
  const directory = behind.includes(all[0]?.name ?? "") ? [] : yield* directoryChecks
  const rest =
    behind.length === 0
      ? yield* sharedChecks(config)
      : [note("rows", `tiers, payments, documents and jobs were not looked at`, `Repair ${behind.join(", ")} first.`)]
  return [...named, ...directory, ...rest]
})

/** True if a cell takes no part yet: the checks of the directory name it. */
const isAside = (database: NamedDatabase) =>
  leftAlone(database).pipe(
    Effect.timeout(WITHIN),
    Effect.map((alone) => alone !== undefined),
    Effect.orElseSucceed(() => false)
  )

/** Checks that every database answers, its missing parts, and that its schema is up to date. */
export const databaseChecks = Effect.fnUntraced(function* (config: ParleyConfig) {
  const databases = yield* Databases
  if (databases.cells === undefined) return yield* ofOne(config)
  yield* noteCells
  const taking = yield* Effect.filter(configuredDatabases(databases), (each) => Effect.map(isAside(each), (is) => !is))
  return yield* ofCells(config, taking)
})
