import { Command } from "effect/cli"
import { usageStorageCommand } from "./usageStorage.ts"

/** `parley usage`: the storage that the service uses. */
export const usageCommand = Command.make("usage").pipe(
  Command.withDescription("Show what the service uses"),
  Command.withExamples([{ command: "parley usage storage", description: "The size of tables, and of people's data" }]),
  Command.withSubcommands([usageStorageCommand])
)
