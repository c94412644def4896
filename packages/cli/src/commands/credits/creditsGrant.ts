import { randomUUID } from "node:crypto"
import { ChosenKey, CreditService, OperatorActions, PositiveCredits } from "@parley/core/effect"
import { KeyConflict } from "@parley/core/adapter"
import type { Transaction } from "@parley/core"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { byFlag, reasonFlag, userArgument } from "../flags.ts"

/** The form of a grant's key: one line, short enough for an index of the database. */
const KEY = /^[^\p{Cc}\p{Cs}]{1,255}$/u

const input = {
  user: userArgument,
  amount: Argument.Int("amount").pipe(
    Argument.withDescription("Whole credits, 1 or more"),
    Argument.withSchema(PositiveCredits)
  ),
  key: Flag.String("key").pipe(
    Flag.withDescription("An idempotency key, for example an order number: the same key grants the credits once"),
    Flag.withSchema(ChosenKey.check(Schema.isPattern(KEY))),
    Flag.optional
  ),
  reason: Flag.optional(reasonFlag),
  by: byFlag,
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** The message for a grant whose key was used before. */
const already = (user: string, amount: number, key: string, { createdAt }: Transaction): string =>
  `Already done at ${new Date(createdAt).toISOString()}, nothing changed: ${user} was given ${amount} credits under the key ${key}.`

/** `parley credits grant <user> <amount>` */
export const creditsGrantCommand = Command.make(
  "grant",
  input,
  Effect.fnUntraced(function* ({ amount, by, dryRun, json, key: given, reason, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const credits = yield* CreditService
      const before = yield* credits.find(user)
      const key = Option.getOrElse(given, () => randomUUID())
      const done = Option.isSome(given) ? yield* credits.done(user, key) : undefined
      if (done !== undefined && (done.type !== "grant" || done.amount !== amount))
        return yield* new KeyConflict({ key })
      const reported = { user, amount, key, dryRun, replayed: done !== undefined }
      const doneAt = done === undefined ? undefined : new Date(done.createdAt).toISOString()
      if (dryRun) {
        const line =
          done === undefined
            ? `Would give ${user} ${amount} credits under the key ${key}.`
            : already(user, amount, key, done)
        return yield* printResult(json, { ...reported, doneAt, available: before.available }, [line])
      }
      if (done === undefined) {
        yield* Console.error(
          `Giving the credits under the key ${key}. If this command breaks off, repeat it with --key.`
        )
      }
      const asked = { by, reason: Option.getOrUndefined(reason) }
      const transaction = yield* OperatorActions.use((actions) => actions.grant({ userId: user, asked, amount, key }))
      const { available } = yield* credits.find(user)
      const line =
        done === undefined
          ? `${user} was given ${amount} credits and has ${available} available.`
          : `${already(user, amount, key, done)} ${available} are available.`
      yield* printResult(json, { ...reported, doneAt, transactionId: transaction.id, available }, [line])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Grant a person credits that never expire"),
  Command.withExamples([
    { command: "parley credits grant user-1 500", description: "Grant again with every call" },
    {
      command: "parley credits grant user-1 500 --key order-1234",
      description: "Grant once for this order, even if repeated"
    }
  ])
)
