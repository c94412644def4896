import { Effect } from "effect"
import { Command } from "effect/cli"
import { dryRunFlag, jsonFlag, printResult } from "./output.ts"
import { CommandContext } from "./CommandContext.ts"

/** `parley migrate` */
export const migrateCommand = Command.make(
  "migrate",
  { dryRun: dryRunFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ dryRun, json }) {
    const work = Effect.gen(function* () {
      const { installJobQueue, migrate, pendingMigrations } = yield* Effect.promise(() => import("@parley/adapters-db"))
      if (dryRun) {
        const pending = yield* pendingMigrations()
        const lines = pending.length === 0 ? ["Nothing to apply."] : pending.map((id) => `Would apply ${id}.`)
        return yield* printResult(json, { dryRun, applied: [], pending }, lines)
      }
      const applied = yield* migrate()
      yield* installJobQueue
      const lines = applied.length === 0 ? ["Nothing to apply."] : applied.map((id) => `Applied ${id}.`)
      yield* printResult(json, { dryRun, applied, pending: [] }, lines)
    })
    yield* CommandContext.use((context) => context.run(work, { createDatabase: !dryRun, direct: true }))
  })
).pipe(
  Command.withDescription("Bring the database's schema up to date; safe to repeat, and beside running servers"),
  Command.withExamples([
    { command: "parley migrate --dry-run", description: "What would be applied" },
    { command: "DATABASE_URL=postgres://... parley migrate", description: "On a server of yours" }
  ])
)
