import { Command } from "effect/cli"
import { eventsListCommand } from "./eventsList.ts"
import { eventsRetryCommand } from "./eventsRetry.ts"

/** `parley events`: the events for hooks and webhooks. */
export const eventsCommand = Command.make("events").pipe(
  Command.withDescription("List the events for hooks and webhooks, and retry failed deliveries"),
  Command.withExamples([
    { command: "parley events list --state dead", description: "Events whose tries failed for three days" },
    { command: "parley events retry --destination hook:onCharge", description: "Try all of one destination again" }
  ]),
  Command.withSubcommands([eventsListCommand, eventsRetryCommand])
)
