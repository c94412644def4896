import { Effect, Schema } from "effect"
import { Database, type DatabaseError } from "./database/Database.ts"
import { pendingMigrations } from "./migrations/migrate.ts"

/** The database cannot be used at the moment; `problem` says why. */
export class DatabaseNotReady extends Schema.TaggedError<DatabaseNotReady>()("DatabaseNotReady", {
  problem: Schema.Literals(["unreachable", "slow", "migrations", "full"]),
  explanation: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  readonly code = "database_not_ready"
  override get message() {
    return this.explanation
  }
}

const notReady = (problem: DatabaseNotReady["problem"], explanation: string, cause?: unknown) =>
  Effect.fail(new DatabaseNotReady({ problem, explanation, ...(cause === undefined ? {} : { cause }) }))

/** The SQLSTATEs of a full disk (`disk_full`) and of a failing one (`io_error`); PostgreSQL 17, appendix A. */
const DISK_FAILURES = ["53100", "58030"]

const failed = (error: DatabaseError) =>
  error.sqlState !== undefined && DISK_FAILURES.includes(error.sqlState)
    ? notReady("full", "The database's disk is full, or cannot be written to. Make room on it.", error)
    : notReady("unreachable", "The database does not answer. Is DATABASE_URL right, and the server up?", error)

/**
 * Writes some kilobytes to the database's disk, and leaves nothing there: rows that exceed the memory of this statement
 * go to a temporary file. A write to a table would not prove free space, because the row may fit into an existing page.
 */
const writeToDisk = Effect.flatMap(Database, ({ asService }) =>
  asService((sql) =>
    Effect.andThen(
      sql.query("SELECT pg_catalog.set_config('work_mem', '64kB', true)"),
      sql.query("SELECT pg_catalog.count(*) AS rows FROM pg_catalog.generate_series(1, 5000)")
    )
  )
)

/**
 * Succeeds if the database answers within `limitMs` milliseconds (2,000 by default), its schema is up to date, and its
 * disk accepts writes.
 */
export const checkReadiness = (limitMs = 2000): Effect.Effect<void, DatabaseNotReady, Database> =>
  Effect.andThen(writeToDisk, pendingMigrations()).pipe(
    Effect.timeout(limitMs),
    Effect.catchTags({
      DatabaseError: failed,
      MigrationRefused: (refused) => notReady("migrations", refused.message),
      TimeoutError: () => notReady("slow", `The database did not answer within ${limitMs} ms.`)
    }),
    Effect.flatMap((pending) =>
      pending.length === 0
        ? Effect.void
        : notReady("migrations", `The schema lacks ${pending.join(", ")}. Run "parley migrate".`)
    )
  )
