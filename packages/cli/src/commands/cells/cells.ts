import { Command } from "effect/cli"
import { cellsAddCommand } from "./cellsAdd.ts"
import { cellsAssignCommand } from "./cellsAssign.ts"
import { cellsDrainCommand } from "./cellsDrain.ts"
import { cellsListCommand } from "./cellsList.ts"
import { cellsMoveCommand } from "./cellsMove.ts"
import { cellsSplitCommand } from "./cellsSplit.ts"
import { cellsVerifyCommand } from "./cellsVerify.ts"

/** `parley cells`: the databases of people, if there are several. */
export const cellsCommand = Command.make("cells").pipe(
  Command.withDescription("Manage the cells: several databases as one (PARLEY_CELLS, docs/deploy/cells.md)"),
  Command.withExamples([{ command: "parley cells list", description: "The cells, and whether they answer" }]),
  Command.withSubcommands([
    cellsListCommand,
    cellsAddCommand,
    cellsAssignCommand,
    cellsMoveCommand,
    cellsSplitCommand,
    cellsDrainCommand,
    cellsVerifyCommand
  ])
)
