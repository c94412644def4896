import type { StorageUsage } from "@parley/adapters-db"
import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { asJson, asLines, eachDatabase } from "../../databases/eachDatabase.ts"
import { jsonFlag, printResult, table } from "../../running/output.ts"

const UNITS = ["bytes", "kB", "MB", "GB", "TB"]

/** A size in the unit that suits it, with powers of 1,024. */
export const sizeText = (bytes: number): string => {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)))
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}

const linesOf = ({ databaseBytes, people, tables }: StorageUsage): ReadonlyArray<string> => {
  const rows = tables.map((each) => [
    each.table,
    sizeText(each.bytes),
    sizeText(each.indexBytes),
    String(Math.round(each.rows))
  ])
  const persons = people.map(({ files, texts, userId }) => [userId, sizeText(files), sizeText(texts)])
  return [
    `The database has ${sizeText(databaseBytes)}.`,
    "",
    ...table(["table", "size", "of it indexes", "rows, estimated"], rows),
    ...(persons.length === 0 ? [] : ["", ...table(["person", "files", "texts of conversations"], persons)])
  ]
}

const input = {
  people: Flag.Int("people").pipe(
    Flag.withDescription("Number of people to show, those who store most, 0 to 1000 (20)"),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))),
    Flag.withDefault(20)
  ),
  json: jsonFlag
}

/** `parley usage storage` */
export const usageStorageCommand = Command.make(
  "storage",
  input,
  Effect.fnUntraced(function* ({ json, people }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const { storageUsage } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const found = yield* eachDatabase(storageUsage({ people }))
      const lines = found.map(({ database, result }) => ({ database, result: linesOf(result) }))
      yield* printResult(json, asJson(found), asLines(lines))
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Show the size of each table, and of what people store"),
  Command.withExamples([
    { command: "parley usage storage", description: "All tables, and the 20 people who store most" },
    { command: "parley usage storage --people 0 --json", description: "The tables, as JSON in bytes" }
  ])
)
