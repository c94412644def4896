import { Command } from "effect/cli"
import { jobsListCommand } from "./jobsList.ts"
import { jobsRetryCommand } from "./jobsRetry.ts"

/** `parley jobs`: work outside requests. */
export const jobsCommand = Command.make("jobs").pipe(
  Command.withDescription("List queued jobs, and retry failed ones"),
  Command.withExamples([
    { command: "parley jobs list --state failed", description: "Failed jobs" },
    { command: "parley jobs retry user-1 0b5f9a52-6c1d-4f0e-9d6b-2f8a4c3e7d10", description: "Try one of them again" }
  ]),
  Command.withSubcommands([jobsListCommand, jobsRetryCommand])
)
