import { Command } from "effect/cli"
import { auditListCommand } from "./auditList.ts"

/** `parley audit`: the actions of operators. */
export const auditCommand = Command.make("audit").pipe(
  Command.withDescription("List the actions of operators, with names and reasons"),
  Command.withExamples([{ command: "parley audit list --since 2026-12-01", description: "Since a day" }]),
  Command.withSubcommands([auditListCommand])
)
