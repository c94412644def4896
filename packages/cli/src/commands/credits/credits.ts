import { Command } from "effect/cli"
import { creditsAdjustCommand } from "./creditsAdjust.ts"
import { creditsBalanceCommand } from "./creditsBalance.ts"
import { creditsGrantCommand } from "./creditsGrant.ts"
import { creditsHistoryCommand } from "./creditsHistory.ts"
import { creditsRefundCommand } from "./creditsRefund.ts"
import { creditsResetCommand } from "./creditsReset.ts"
import { creditsSweepCommand } from "./creditsSweep.ts"
import { creditsVerifyCommand } from "./creditsVerify.ts"

/** `parley credits`: the balances, histories and grants of people. */
export const creditsCommand = Command.make("credits").pipe(
  Command.withDescription("Show and change people's credits"),
  Command.withExamples([
    { command: "parley credits balance user-1", description: "A person's credits" },
    { command: "parley credits grant user-1 500", description: "Give a person 500 credits that never expire" }
  ]),
  Command.withSubcommands([
    creditsBalanceCommand,
    creditsHistoryCommand,
    creditsGrantCommand,
    creditsAdjustCommand,
    creditsRefundCommand,
    creditsResetCommand,
    creditsVerifyCommand,
    creditsSweepCommand
  ])
)
