import { Command } from "effect/cli"
import { vectorsDropCommand } from "./vectorsDrop.ts"
import { vectorsIndexCommand } from "./vectorsIndex.ts"

/** `parley vectors`: the indexes over embeddings. */
export const vectorsCommand = Command.make("vectors").pipe(
  Command.withDescription("The index by which large libraries are searched for meaning"),
  Command.withExamples([
    { command: "parley vectors index", description: "Once a library has more passages than are compared one by one" }
  ]),
  Command.withSubcommands([vectorsIndexCommand, vectorsDropCommand])
)
