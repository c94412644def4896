import { Database, pendingMigrations } from "@parley/adapters-db"
import { Effect } from "effect"
import { storageCode } from "../commands/failures.ts"
import type { ParleyConfig } from "../config/ParleyConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, ok } from "./Check.ts"

const WITHIN = "10 seconds"

const describe = ({ database, dataFolder, databaseSchema }: ParleyConfig, server: string): string =>
  database._tag === "Embedded"
    ? `embedded PGlite (Postgres ${server}) in ${dataFolder}`
    : `Postgres ${server}, schema ${databaseSchema}`

const probe = Effect.gen(function* () {
  const { statement } = yield* Database
  const [row] = yield* statement<{ readonly version: string }>("SELECT current_setting('server_version') AS version")
  return { server: row?.version ?? "of unknown version", pending: yield* pendingMigrations() }
})

/** Whether the database answers, and whether its schema is up to date. */
export const databaseChecks = (config: ParleyConfig) =>
  probe.pipe(
    Effect.timeout(WITHIN),
    Effect.map(({ pending, server }): ReadonlyArray<Check> => [
      ok("database", describe(config, server)),
      pending.length === 0
        ? ok("migrations", "all applied")
        : failed(
            "migrations",
            exitCodes.failed,
            `${pending.length} not applied: ${pending.join(", ")}`,
            'Apply them with "parley migrate".'
          )
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
