import { CreditService } from "@parley/core/effect"
import { TRANSACTION_TYPES } from "@parley/core/adapter"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { jsonFlag, printResult, table } from "../../running/output.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { userArgument } from "../flags.ts"

const input = {
  user: userArgument,
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("Maximum number, 1 to 200 (50)"),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))),
    Flag.withDefault(50)
  ),
  offset: Flag.Int("offset").pipe(
    Flag.withDescription("Number of the newest to leave out (0)"),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
    Flag.withDefault(0)
  ),
  type: Flag.Literals("type", TRANSACTION_TYPES).pipe(
    Flag.withDescription(`Only this type: ${TRANSACTION_TYPES.join(", ")}`),
    Flag.optional
  ),
  json: jsonFlag
}

/** `parley credits history <user>`: prints the same data as `GET /api/billing/credit-history`. */
export const creditsHistoryCommand = Command.make(
  "history",
  input,
  Effect.fnUntraced(function* ({ json, limit, offset, type, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const { transactionRow } = yield* Effect.promise(() => import("@parley/adapters-http"))
      const credits = yield* CreditService
      const page = yield* credits.history({ userId: user, limit, offset, type: Option.getOrUndefined(type) })
      const transactions = page.transactions.map(transactionRow)
      const lines = table(
        ["when", "type", "amount", "balance", "model", "reference"],
        transactions.map((row) => [
          row.created_at,
          row.transaction_type,
          row.amount,
          row.balance_after,
          row.model ?? "",
          row.reference
        ])
      )
      const shown = `${transactions.length} of ${page.total} transactions, newest first.`
      yield* printResult(json, { transactions, total: page.total, limit, offset }, [...lines, shown])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("List the transactions of a person's credits, newest first"),
  Command.withExamples([
    { command: "parley credits history user-1 --limit 10", description: "The last ten" },
    { command: "parley credits history user-1 --type usage --json", description: "The cost of replies, for programs" }
  ])
)
