import { Command } from "effect/cli"
import { keysCreateCommand } from "./keysCreate.ts"
import { keysListCommand } from "./keysList.ts"
import { keysRevokeCommand } from "./keysRevoke.ts"
import { keysRotateCommand } from "./keysRotate.ts"

/** `parley keys`: the keys with which back ends call the HTTP interface. */
export const keysCommand = Command.make("keys").pipe(
  Command.withDescription("Service keys, with which your back ends call Parley over HTTP"),
  Command.withExamples([
    { command: "parley keys create --name invoices --scope credits:read", description: "Create a key" },
    { command: "parley keys list", description: "All keys, with their last use" }
  ]),
  Command.withSubcommands([keysCreateCommand, keysListCommand, keysRotateCommand, keysRevokeCommand])
)
