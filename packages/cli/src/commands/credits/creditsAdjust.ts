import { randomUUID } from "node:crypto"
import { ChosenKey, CreditService, OperatorActions } from "@parley/core/effect"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag, userArgument } from "../flags.ts"

const input = {
  user: userArgument,
  amount: Argument.Int("amount").pipe(
    Argument.withDescription("Whole credits: positive ones are added, negative ones (after --) are taken back"),
    Argument.withSchema(
      Schema.Int.check(Schema.isBetween({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }))
    )
  ),
  reason: reasonFlag,
  key: Flag.String("key").pipe(
    Flag.withDescription("An idempotency key: the same key corrects the balance once"),
    Flag.withSchema(ChosenKey.check(Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,255}$/u))),
    Flag.optional
  ),
  by: byFlag,
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** `parley credits adjust <user> <amount>` */
export const creditsAdjustCommand = Command.make(
  "adjust",
  input,
  Effect.fnUntraced(function* ({ amount, by, dryRun, json, key: given, reason, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const credits = yield* CreditService
      const before = yield* credits.find(user)
      const key = Option.getOrElse(given, () => randomUUID())
      const told = { user, amount, reason, key, dryRun }
      if (dryRun) {
        const line = `Would change the credits of ${user} by ${amount}: ${reason}.`
        return yield* printResult(json, { ...told, available: before.available, debt: before.debt }, [line])
      }
      yield* Console.error(`Correcting under the key ${key}. If this command breaks off, repeat it with --key.`)
      const made = yield* OperatorActions.use((actions) =>
        actions.adjust({ userId: user, asked: { by, reason }, key, amount, reason })
      )
      const { available, debt } = yield* credits.find(user)
      const line = `The credits of ${user} changed by ${made.amount}: ${available} available, ${debt} owed.`
      yield* printResult(json, { ...told, transactionId: made.id, available, debt }, [line])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Correct a balance by hand, with a reason; a correction beyond the balance becomes debt"),
  Command.withExamples([
    { command: 'parley credits adjust user-1 200 --reason "outage of 3 May"', description: "Give" },
    { command: 'parley credits adjust user-1 --reason "granted twice" -- -200', description: "Take" }
  ])
)
