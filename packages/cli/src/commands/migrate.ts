import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../exitCodes.ts"
import { Unhealthy } from "../running/commandErrors.ts"
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

const checkFlag = Flag.Boolean("check").pipe(
  Flag.withDescription("Write nothing; exit code 0 if the schema is up to date, 1 if a migration is pending"),
  Flag.withDefault(false)
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
  { check: checkFlag, dryRun: dryRunFlag, print: printFlag, after: afterFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ after, check, dryRun, json, print }) {
    if (print) return yield* printScript(Option.getOrUndefined(after))
    const writes = !check && !dryRun
    const work = Effect.gen(function* () {
      const { installJobQueue, migrate, pendingMigrations } = yield* Effect.promise(() => import("@parley/adapters-db"))
      if (!writes) {
        const pending = yield* pendingMigrations()
        const lines = pending.length === 0 ? ["Nothing to apply."] : pending.map((id) => `Would apply ${id}.`)
        yield* printResult(json, { dryRun: true, applied: [], pending }, lines)
        return check && pending.length > 0 ? yield* new Unhealthy({ exit: exitCodes.failed }) : undefined
      }
      const applied = yield* migrate()
      yield* installJobQueue
      const lines = applied.length === 0 ? ["Nothing to apply."] : applied.map((id) => `Applied ${id}.`)
      yield* printResult(json, { dryRun: false, applied, pending: [] }, lines)
    })
    const run = CommandContext.use((context) => context.run(work, { createDatabase: writes, direct: true }))
    if (!check) return yield* run
    yield* Effect.catchTag(run, "NoDatabaseYet", ({ message }) =>
      Effect.andThen(Console.error(message), new Unhealthy({ exit: exitCodes.failed }))
    )
  })
).pipe(
  Command.withDescription("Migrate the database's schema; safe to repeat, and beside running servers"),
  Command.withExamples([
    { command: "parley migrate --dry-run", description: "List the pending migrations" },
    { command: "parley migrate --check", description: "In a pipeline: exit code 1 if a migration is pending" },
    {
      command: "parley migrate --print > parley.sql",
      description: "Print the SQL, to review it or to apply it by other means"
    },
    { command: "DATABASE_URL=postgres://... parley migrate", description: "On your own Postgres server" }
  ])
)
