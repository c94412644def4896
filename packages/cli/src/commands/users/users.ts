import { Command } from "effect/cli"
import { usersBlockCommand, usersSignOutCommand, usersUnblockCommand } from "./usersAccess.ts"
import { usersDeleteCommand } from "./usersDelete.ts"
import { usersExportCommand } from "./usersExport.ts"
import { usersImportCommand } from "./usersImport.ts"
import { usersFindCommand, usersListCommand } from "./usersList.ts"
import { usersTierCommand } from "./usersTier.ts"

/** `parley users`: operations on people as a whole. */
export const usersCommand = Command.make("users").pipe(
  Command.withDescription(
    "List people, change their tier, end their access, import and export their data, and erase them"
  ),
  Command.withExamples([{ command: "parley users delete user-1", description: "Erase a person" }]),
  Command.withSubcommands([
    usersListCommand,
    usersFindCommand,
    usersTierCommand,
    usersBlockCommand,
    usersUnblockCommand,
    usersSignOutCommand,
    usersExportCommand,
    usersImportCommand,
    usersDeleteCommand
  ])
)
