import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { dryRunFlag, jsonFlag, printResult } from "../running/output.ts"
import { CommandContext } from "../running/CommandContext.ts"

const printFlag = Flag.Boolean("print").pipe(
  Flag.withDescription("Print the SQL on stdout, without a connection"),
  Flag.withDefault(false)
)

const afterFlag = Flag.String("after").pipe(
  Flag.withDescription("With --print: only the migrations after this one, for example 0029_crm"),
  Flag.optional
)

/** Prints the SQL of the schema, for operators who apply it by other means. */
const printScript = Effect.fnUntraced(function* (after: string | undefined) {
  const { migrationScript, MigrationUnknown } = yield* Effect.promise(() => import("@parley/adapters-db"))
  const { config } = yield* CommandContext.use(({ settings }) => settings)
  const script = yield* Effect.flatten(
    Effect.promise(() =>
      migrationScript(config.databaseSchema, after).then(Effect.succeed, (error: unknown) =>
        error instanceof MigrationUnknown ? Effect.fail(error) : Effect.die(error)
      )
    )
  )
  yield* Console.log(script.trimEnd())
})

/** `parley migrate` */
export const migrateCommand = Command.make(
  "migrate",
  { dryRun: dryRunFlag, print: printFlag, after: afterFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ after, dryRun, json, print }) {
    if (print) return yield* printScript(Option.getOrUndefined(after))
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
  Command.withDescription("Migrate the database's schema; safe to repeat, and beside running servers"),
  Command.withExamples([
    { command: "parley migrate --dry-run", description: "List the pending migrations" },
    {
      command: "parley migrate --print > parley.sql",
      description: "Print the SQL, to review it or to apply it by other means"
    },
    { command: "DATABASE_URL=postgres://... parley migrate", description: "On your own Postgres server" }
  ])
)
