import type { NamedDatabase } from "@parley/adapters-db"
import { Console, Effect, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../exitCodes.ts"
import { Unhealthy } from "../running/commandErrors.ts"
import { asJson, asLines, type OfDatabase, onDatabase } from "../databases/eachDatabase.ts"
import { endingOfFailure } from "../running/failures.ts"
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

interface Migrated {
  readonly applied: ReadonlyArray<string>
  readonly pending: ReadonlyArray<string>
}

const linesOf = ({ applied, pending }: Migrated): ReadonlyArray<string> => {
  const lines = [...pending.map((id) => `Would apply ${id}.`), ...applied.map((id) => `Applied ${id}.`)]
  return lines.length === 0 ? ["Nothing to apply."] : lines
}

/** Migrates one database, or lists what it lacks. */
const migrateOne = Effect.fnUntraced(function* (writes: boolean) {
  const { installJobQueue, migrate, pendingMigrations } = yield* Effect.promise(() => import("@parley/adapters-db"))
  if (!writes) return { applied: [], pending: yield* pendingMigrations() } satisfies Migrated
  const applied = yield* migrate()
  yield* installJobQueue
  return { applied, pending: [] } satisfies Migrated
})

/** The cause of a failed cell as a sentence; the cells after it are migrated all the same. */
const failureOf = (cell: string, error: unknown): string => {
  const { message } = endingOfFailure(error)
  return message?.includes(cell) === true ? message : `The cell ${cell}: ${message ?? "it failed."}`
}

const isPending = ({ result }: OfDatabase<Migrated>): boolean => result.pending.length > 0

/** Migrates the global database, then each cell; a cell that fails is named, and the next run continues with it. */
const migrateCells = Effect.fnUntraced(function* (writes: boolean) {
  const adapter = yield* Effect.promise(() => import("@parley/adapters-db"))
  const { beginDirectory, checkCell, checkConfigured, configuredDatabases, fenceCell, leftAlone, nameCell } = adapter
  const databases = yield* adapter.Databases
  const { global } = databases
  const results: Array<OfDatabase<Migrated>> = []
  const failures: Array<unknown> = []
  const migrateCell = Effect.fnUntraced(function* (database: NamedDatabase) {
    const alone = yield* leftAlone(database)
    if (alone !== undefined) return yield* Effect.as(Console.error(alone.message), undefined)
    // A directory that is not migrated yet knows no names.
    if (database !== global && (writes || !results.some(isPending))) yield* checkCell(database)
    const migrated = yield* migrateOne(writes)
    if (!writes && database === global) yield* adapter.noteCells
    if (!writes) return migrated
    if (database === global) yield* Effect.andThen(beginDirectory, checkConfigured)
    yield* Effect.andThen(nameCell(database), fenceCell(database))
    return migrated
  })
  for (const database of configuredDatabases(databases)) {
    const migrated = yield* Effect.result(onDatabase(database, migrateCell(database)))
    if (Result.isSuccess(migrated)) {
      if (migrated.success !== undefined) results.push({ database: database.name, result: migrated.success })
    } else if (database === global) return yield* Effect.fail(migrated.failure)
    else {
      failures.push(migrated.failure)
      yield* Console.error(failureOf(database.name, migrated.failure))
    }
  }
  if (writes) {
    const { mendDirectory } = yield* Effect.promise(() => import("../databases/mendDirectory.ts"))
    yield* mendDirectory
  }
  return { results, exit: failures.length === 0 ? undefined : endingOfFailure(failures[0]).exit }
})

const migrateAll = Effect.fnUntraced(function* (writes: boolean, json: boolean) {
  const { Databases } = yield* Effect.promise(() => import("@parley/adapters-db"))
  const isOne = (yield* Databases).cells === undefined
  const { exit, results } = isOne
    ? { results: [{ database: undefined, result: yield* migrateOne(writes) }], exit: undefined }
    : yield* migrateCells(writes)
  const reported = asJson(results) as object
  const lines = asLines(results.map(({ database, result }) => ({ database, result: linesOf(result) })))
  yield* printResult(json, { dryRun: !writes, ...reported }, lines)
  if (exit !== undefined) return yield* new Unhealthy({ exit })
  return results.some(isPending)
})

/** `parley migrate` */
export const migrateCommand = Command.make(
  "migrate",
  { check: checkFlag, dryRun: dryRunFlag, print: printFlag, after: afterFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ after, check, dryRun, json, print }) {
    if (print) return yield* printScript(Option.getOrUndefined(after))
    const writes = !check && !dryRun
    const work = Effect.gen(function* () {
      const isBehind = yield* migrateAll(writes, json)
      if (check && isBehind) return yield* new Unhealthy({ exit: exitCodes.failed })
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
