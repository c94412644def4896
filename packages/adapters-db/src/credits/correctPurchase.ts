import { type EarlierRefund, type Operation, type ChargedPurchase, type Refusal, refundPrefix } from "@parley/core"
import { Effect, type Result } from "effect"
import type { Database, DatabaseError, Row } from "../database/Database.ts"
import { commitOperations } from "./commitOperations.ts"

interface EarlierRow extends Row {
  readonly reference: string
  readonly amount: number
}

/**
 * Commits an operation that depends on what was taken back of its charge so far: reads that and decides under the lock
 * of the account, in one transaction. Rare, and so not coalesced.
 */
export const correctPurchase = <A, E extends Refusal>(
  database: Database["Service"],
  purchase: ChargedPurchase,
  operation: (earlier: ReadonlyArray<EarlierRefund>) => Operation<A, E>
): Effect.Effect<Result.Result<A, E>, DatabaseError> => {
  const { schema } = database
  return database.asService(({ query }) =>
    Effect.gen(function* () {
      yield* query(`SELECT FROM ${schema}.credit_accounts WHERE user_id = $1 FOR UPDATE`, [purchase.userId])
      const earlier = yield* query<EarlierRow>(
        `SELECT reference, amount FROM ${schema}.credit_transactions
         WHERE user_id = $1 AND type = 'refund' AND starts_with(reference, $2)`,
        [purchase.userId, refundPrefix(purchase)]
      )
      const [answer] = yield* commitOperations(database, [operation(earlier)])
      return answer as Result.Result<A, E>
    })
  )
}
