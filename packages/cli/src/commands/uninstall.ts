import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandContext } from "../running/CommandContext.ts"

const printFlag = Flag.Boolean("print").pipe(Flag.withDescription("Print the SQL on stdout, without a connection"))

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
  Command.withDescription(
    "Print the SQL that removes all of Parley's data and roles from a server; the command itself changes nothing"
  ),
  Command.withExamples([{ command: "parley uninstall --print", description: "Print the SQL; run it after a backup" }])
)
