import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandContext } from "./CommandContext.ts"

const printFlag = Flag.Boolean("print").pipe(Flag.withDescription("Print the SQL on stdout, and connect to nothing"))

/** `parley uninstall` */
export const uninstallCommand = Command.make(
  "uninstall",
  { print: printFlag },
  Effect.fnUntraced(function* () {
    const { uninstallScript } = yield* Effect.promise(() => import("@parley/adapters-db"))
    const { config } = yield* CommandContext.use(({ settings }) => settings)
    yield* Console.log(uninstallScript(config.databaseSchema).trimEnd())
  })
).pipe(
  Command.withDescription("Print the SQL that takes away all that Parley keeps on a server; it runs nothing by itself"),
  Command.withExamples([{ command: "parley uninstall --print", description: "What to run, once there is a backup" }])
)
