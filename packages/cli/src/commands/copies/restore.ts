import { resolve } from "node:path"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Surroundings } from "../../Surroundings.ts"
import { cellFlag, chooseDatabase } from "../../databases/chooseDatabase.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { jsonFlag, printResult } from "../../running/output.ts"
import { readParts } from "./copyFile.ts"
import { loadAndVerify } from "./loadAndVerify.ts"

/** `parley restore <file>` */
export const restoreCommand = Command.make(
  "restore",
  {
    file: Argument.String("file").pipe(Argument.withDescription('A file of "parley backup"')),
    cell: cellFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ file, json, ...flags }) {
    const cell = yield* chooseDatabase(flags.cell, "A backup goes into one database.")
    const work = Effect.gen(function* () {
      const path = resolve((yield* Surroundings).folder, file)
      const { accounts, rows } = yield* loadAndVerify(readParts(path))
      yield* printResult(json, { file: path, rows, accounts }, [
        `${rows} rows were restored; each is as it was, and every balance of ${accounts} accounts follows from its rows.`,
        ...(cell === undefined
          ? []
          : [
              `Then "parley cells add ${cell}" adds to the directory what it lacks, and "parley cells verify" compares them.`
            ])
      ])
    })
    yield* CommandContext.use((context) => context.run(work, { alone: true, createDatabase: true, direct: true, cell }))
  })
).pipe(
  Command.withDescription("Restore a backup into an empty database or data folder, and migrate it"),
  Command.withExamples([
    {
      command: "DATABASE_URL=postgres://... parley restore parley.backup",
      description: "Refused with 5 if the database contains data"
    },
    { command: "PARLEY_DATA_DIR=restored parley restore parley.backup", description: "Into a new data folder" }
  ])
)
