import { CreditService, OperatorActions } from "@parley/core/effect"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag, userArgument } from "../flags.ts"

const input = {
  user: userArgument,
  payment: Argument.String("payment").pipe(
    Argument.withDescription("The payment or the checkout session of the purchase, for example pi_1AbC"),
    Argument.withSchema(Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,255}$/)))
  ),
  refunded: Flag.Int("refunded").pipe(
    Flag.withDescription(
      "The total amount refunded outside the provider, in the smallest unit of its currency; default: all of it"
    ),
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
    Flag.optional
  ),
  reason: reasonFlag,
  by: byFlag,
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** `parley credits refund <user> <payment>` */
export const creditsRefundCommand = Command.make(
  "refund",
  input,
  Effect.fnUntraced(function* ({ by, dryRun, json, payment, reason, refunded, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const actions = yield* OperatorActions
      const { charge, granted, paid } = yield* actions.purchase(user, payment)
      const part = Option.getOrElse(refunded, () => paid)
      const reported = { user, payment: charge, granted, paid, refunded: part, reason, dryRun }
      if (dryRun) {
        const line = `Would take back what ${part} of the ${paid} paid had bought of ${granted} credits: ${reason}.`
        return yield* printResult(json, reported, [line])
      }
      const made = yield* actions.refund({ userId: user, asked: { by, reason }, payment, refunded: part })
      const { available, debt } = yield* CreditService.use((credits) => credits.find(user))
      const line = `The credits of ${user} changed by ${made.amount}: ${available} available, ${debt} owed. No money was moved.`
      yield* printResult(json, { ...reported, transactionId: made.id, amount: made.amount, available, debt }, [line])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription(
    "Take back the credits of a purchase that was refunded outside the payment provider; moves no money. The provider's own refunds count by themselves"
  ),
  Command.withExamples([
    { command: 'parley credits refund user-1 pi_1AbC --reason "refunded by bank transfer"', description: "All of it" },
    { command: 'parley credits refund user-1 pi_1AbC --refunded 300 --reason "half of it"', description: "3.00 of it" }
  ])
)
