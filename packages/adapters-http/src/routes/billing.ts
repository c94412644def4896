import { type AccountNotFound, CreditService, type HistoryPage, type StorageFailed } from "@parley/core"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../access/sessionAccess.ts"
import { json } from "../answers/Answer.ts"
import { pageParameters, textParameter } from "./parameters.ts"
import { defineRoute } from "./Route.ts"
import { transactionRow, TransactionRow } from "./transactionRow.ts"

const BalanceBody = Schema.Struct({
  allowance: Schema.Int,
  topup: Schema.Int,
  held: Schema.Int,
  debt: Schema.Int,
  available: Schema.Int,
  nextResetAt: Schema.String
})

const HistoryBody = Schema.Struct({
  transactions: Schema.Array(TransactionRow),
  total: Schema.Int,
  limit: Schema.Int,
  offset: Schema.Int
})

/** What a person has. */
export const getBalance = defineRoute({
  method: "GET",
  path: "/api/billing/balance",
  summary: "Gives your credits",
  access: sessionAccess,
  responses: { 200: { description: "The balance, in whole credits.", schema: BalanceBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller }) {
    const credits = yield* CreditService
    const balance: typeof BalanceBody.Type = yield* credits.balance(caller.userId)
    return json(200, balance)
  })
})

/** What moved a person's balance. */
export const getCreditHistory = defineRoute({
  method: "GET",
  path: "/api/billing/credit-history",
  summary: "Lists your credit transactions, newest first",
  access: sessionAccess,
  queryParameters: {
    ...pageParameters,
    type: textParameter("Only transactions of this type; an unknown type gives an empty list.")
  },
  responses: { 200: { description: "The transactions.", schema: HistoryBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, query }) {
    const credits = yield* CreditService
    const { userId } = caller
    const { limit, offset } = query
    const history: Effect.Effect<HistoryPage, AccountNotFound | StorageFailed> = credits.history({ userId, ...query })
    // The first sight of a person opens the account, whichever route sees them first.
    const openAndRead = Effect.andThen(credits.balance(userId), history)
    const page = yield* history.pipe(
      Effect.catchTag("AccountNotFound", () => openAndRead),
      Effect.catchTag("AccountNotFound", Effect.die)
    )
    const body: typeof HistoryBody.Type = {
      transactions: page.transactions.map(transactionRow),
      total: page.total,
      limit,
      offset
    }
    return json(200, body)
  })
})
