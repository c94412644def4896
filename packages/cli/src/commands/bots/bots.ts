import { Command } from "effect/cli"
import { botsCreateCommand } from "./botsCreate.ts"
import { botsListCommand } from "./botsList.ts"
import { botsUpdateCommand } from "./botsUpdate.ts"

/** `parley bots`: assistants that answer the visitors of sites. */
export const botsCommand = Command.make("bots").pipe(
  Command.withDescription("Bots that answer the visitors of sites"),
  Command.withExamples([
    { command: 'parley bots create --owner user-1 --name "Help desk"', description: "Make one" },
    { command: "parley bots list --owner user-1", description: "The bots of a person" }
  ]),
  Command.withSubcommands([botsCreateCommand, botsListCommand, botsUpdateCommand])
)
