import { CreditService } from "@parley/core/effect"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { jsonFlag, printResult, table } from "../../running/output.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { userArgument } from "../flags.ts"

/** `parley credits balance <user>` */
export const creditsBalanceCommand = Command.make(
  "balance",
  { user: userArgument, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const found = yield* CreditService.use((credits) => credits.find(user))
      const balance = { ...found, nextResetAt: new Date(found.nextResetAt).toISOString() }
      const lines = table(
        ["allowance", "topup", "held", "debt", "available", "next reset"],
        [[balance.allowance, balance.topup, balance.held, balance.debt, balance.available, balance.nextResetAt]]
      )
      yield* printResult(json, balance, lines)
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Show a person's credits: allowance, top-up, held, debt, available"),
  Command.withExamples([
    { command: "parley credits balance user-1", description: "For people" },
    { command: "parley credits balance user-1 --json", description: "For programs" }
  ])
)
