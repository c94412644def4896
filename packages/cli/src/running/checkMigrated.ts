import { Effect } from "effect"
import { MigrationsPending } from "./commandErrors.ts"

/** Fails if the schema is older than the program. */
export const checkMigrated = Effect.gen(function* () {
  const { pendingMigrations } = yield* Effect.promise(() => import("@parley/adapters-db"))
  const migrations = yield* pendingMigrations()
  if (migrations.length > 0) return yield* new MigrationsPending({ migrations })
})
