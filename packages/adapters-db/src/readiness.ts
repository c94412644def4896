import { Effect, Schema } from "effect"
import type { Database } from "./database/Database.ts"
import { pendingMigrations } from "./migrations/migrate.ts"

/** The database cannot be used at the moment, and why. */
export class DatabaseNotReady extends Schema.TaggedError<DatabaseNotReady>()("DatabaseNotReady", {
  problem: Schema.Literals(["unreachable", "slow", "migrations"]),
  explanation: Schema.String
}) {
  readonly code = "database_not_ready"
  override get message() {
    return this.explanation
  }
}

const notReady = (problem: DatabaseNotReady["problem"], explanation: string) =>
  Effect.fail(new DatabaseNotReady({ problem, explanation }))

/** Succeeds where the database answers within the limit (milliseconds; 2,000 unless given) and its schema is up to date. */
export const checkReadiness = (limitMs = 2000): Effect.Effect<void, DatabaseNotReady, Database> =>
  pendingMigrations().pipe(
    Effect.timeout(limitMs),
    Effect.catchTags({
      DatabaseError: () =>
        notReady("unreachable", "The database does not answer. Is DATABASE_URL right, and the server up?"),
      MigrationRefused: (refused) => notReady("migrations", refused.message),
      TimeoutError: () => notReady("slow", `The database did not answer within ${limitMs} ms.`)
    }),
    Effect.flatMap((pending) =>
      pending.length === 0
        ? Effect.void
        : notReady("migrations", `The schema lacks ${pending.join(", ")}. Run "parley migrate".`)
    )
  )
