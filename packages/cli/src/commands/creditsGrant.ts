import { randomUUID } from "node:crypto"
import { CreditService, PositiveCredits } from "@parley/core"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { checkMigrated } from "./checkMigrated.ts"
import { dryRunFlag, jsonFlag, printResult } from "./output.ts"
import { userArgument } from "./userArgument.ts"
import { Workplace } from "./Workplace.ts"

const input = {
  user: userArgument,
  amount: Argument.Int("amount").pipe(
    Argument.withDescription("Whole credits, 1 or more"),
    Argument.withSchema(PositiveCredits)
  ),
  key: Flag.String("key").pipe(
    Flag.withDescription("The reason's own name, for example an order number: the same key gives the credits once"),
    Flag.optional
  ),
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** `parley credits grant <user> <amount>` */
export const creditsGrantCommand = Command.make(
  "grant",
  input,
  Effect.fnUntraced(function* ({ amount, dryRun, json, key: given, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const credits = yield* CreditService
      const before = yield* credits.find(user)
      const key = Option.getOrElse(given, () => `grant:${randomUUID()}`)
      if (dryRun) {
        const plan = { user, amount, key, dryRun, available: before.available }
        return yield* printResult(json, plan, [`Would give ${user} ${amount} credits under the key ${key}.`])
      }
      yield* Console.error(`Giving the credits under the key ${key}. If this command breaks off, repeat it with --key.`)
      const transaction = yield* credits.grant({ userId: user, amount, key })
      const { available } = yield* credits.find(user)
      const result = { user, amount, key, dryRun, transactionId: transaction.id, available }
      yield* printResult(json, result, [`${user} was given ${amount} credits and has ${available} available.`])
    })
    yield* Workplace.use((workplace) => workplace.run(work))
  })
).pipe(
  Command.withDescription("Give a person credits that never expire"),
  Command.withExamples([
    { command: "parley credits grant user-1 500", description: "Once for every call" },
    { command: "parley credits grant user-1 500 --key order-1234", description: "Once for this order, however often" }
  ])
)
