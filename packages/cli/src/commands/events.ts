import { Command } from "effect/cli"
import { eventsListCommand } from "./eventsList.ts"
import { eventsRetryCommand } from "./eventsRetry.ts"

/** `parley events`: what hooks and webhooks are told. */
export const eventsCommand = Command.make("events").pipe(
  Command.withDescription("Look at what hooks and webhooks are told, and have what they did not take tried again"),
  Command.withExamples([
    { command: "parley events list --state dead", description: "What was tried for three days in vain" },
    { command: "parley events retry --destination hook:onCharge", description: "Try all of one destination again" }
  ]),
  Command.withSubcommands([eventsListCommand, eventsRetryCommand])
)
