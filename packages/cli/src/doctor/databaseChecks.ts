import { Database, pendingMigrations } from "@parley/adapters-db"
import { Effect } from "effect"
import { storageCode } from "../commands/failures.ts"
import type { ParleyConfig } from "../config/ParleyConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, note, ok } from "./Check.ts"

const WITHIN = "10 seconds"

const describe = ({ database, dataFolder, databaseSchema }: ParleyConfig, server: string): string =>
  database._tag === "Embedded"
    ? `embedded PGlite (Postgres ${server}) in ${dataFolder}`
    : `Postgres ${server}, schema ${databaseSchema}`

/** Tables that pg_dump, asked by this login, refuses to dump whole: others own them. */
const fencedText = `SELECT current_user::text AS login, current_setting('server_version') AS version,
  (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p')
    AND row_security_active(oid)) AS fenced`

interface Probed extends Record<string, unknown> {
  readonly login: string
  readonly version: string
  readonly fenced: number
}

const probe = Effect.gen(function* () {
  const { schema, statement } = yield* Database
  const [row] = yield* statement<Probed>(fencedText, [schema])
  return {
    server: row?.version ?? "of unknown version",
    fenced: row?.fenced ?? 0,
    login: row?.login ?? "",
    pending: yield* pendingMigrations()
  }
})

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

/** Whether the database answers, and whether its schema is up to date. */
export const databaseChecks = (config: ParleyConfig) =>
  probe.pipe(
    Effect.timeout(WITHIN),
    Effect.map(({ fenced, login, pending, server }): ReadonlyArray<Check> => [
      ok("database", describe(config, server)),
      pending.length === 0
        ? ok("migrations", "all applied")
        : failed(
            "migrations",
            exitCodes.failed,
            `${pending.length} not applied: ${pending.join(", ")}`,
            'Apply them with "parley migrate".'
          ),
      ...backupCheck(config, login, fenced)
    ]),
    Effect.catchTag("MigrationRefused", (refused) =>
      Effect.succeed([failed("migrations", exitCodes.failed, "history and program do not fit", refused.message)])
    ),
    Effect.catch((error) => {
      const code = storageCode(error)
      const detail = `does not answer${code === undefined ? "" : ` (${code})`}`
      return Effect.succeed([
        failed("database", exitCodes.unavailable, detail, "Check DATABASE_URL, and that the database runs.")
      ])
    })
  )
