import { Command } from "effect/cli"
import { secretsRotateCommand } from "./secretsRotate.ts"

/** `parley secrets`: the encrypted secrets. */
export const secretsCommand = Command.make("secrets").pipe(
  Command.withDescription("Manage the encrypted access to the CRMs that people connected"),
  Command.withExamples([{ command: "parley secrets rotate", description: "After another key was put first" }]),
  Command.withSubcommands([secretsRotateCommand])
)
