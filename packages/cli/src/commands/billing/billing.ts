import { Command } from "effect/cli"
import { billingCatchUpCommand } from "./billingCatchUp.ts"
import { billingListCommand } from "./billingList.ts"
import { billingReplayCommand } from "./billingReplay.ts"
import { billingShowCommand } from "./billingShow.ts"

/** `parley billing`: the payment provider's events and their outcomes. */
export const billingCommand = Command.make("billing").pipe(
  Command.withDescription("Look at the payment provider's events, and apply those that never came or wait"),
  Command.withExamples([
    { command: "parley billing list --state waiting", description: "Events whose person is not known yet" },
    { command: "parley billing catch-up --since 7d", description: "Apply the events that were missed in the last week" }
  ]),
  Command.withSubcommands([billingListCommand, billingShowCommand, billingReplayCommand, billingCatchUpCommand])
)
