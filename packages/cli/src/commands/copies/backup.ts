import { resolve } from "node:path"
import { copyDatabase, type CopyPart } from "@parley/adapters-db"
import { Effect, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { Surroundings } from "../../Surroundings.ts"
import { cellFlag, chooseDatabase } from "../../databases/chooseDatabase.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { jsonFlag, printResult } from "../../running/output.ts"
import { writeFile } from "../../running/writeFile.ts"
import { toBytes } from "./copyFile.ts"
import { rowsOf } from "./loadAndVerify.ts"

/** `parley backup` */
export const backupCommand = Command.make(
  "backup",
  {
    output: Flag.String("output").pipe(
      Flag.withDescription("Write the backup to this file, and replace an existing one")
    ),
    cell: cellFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, output, ...flags }) {
    const cell = yield* chooseDatabase(flags.cell, "A backup has the data of one database: make one of each.")
    const work = Effect.gen(function* () {
      const path = resolve((yield* Surroundings).folder, output)
      let rows = 0
      const count = (part: CopyPart) =>
        Effect.sync(() => {
          if (part._tag === "end") rows = rowsOf(part.tables)
        })
      yield* writeFile(path, toBytes(Stream.tap(copyDatabase, count)))
      yield* printResult(json, { output: path, rows }, [`${rows} rows were written to ${path}.`])
    })
    yield* CommandContext.use((context) => context.run(work, { direct: true, cell }))
  })
).pipe(
  Command.withDescription("Write all data of the database to a file, beside all other work"),
  Command.withExamples([
    { command: "parley backup --output parley.backup", description: "Everything but files in an object store" },
    { command: "parley backup --cell eu-1 --output eu-1.backup", description: "One of several cells (PARLEY_CELLS)" },
    { command: "parley restore parley.backup", description: "Into an empty database" }
  ])
)
