import {
  type ChargedPurchase,
  decideAll,
  type EarlierRefund,
  type Operation,
  type Refusal,
  refundPrefix
} from "@parley/core"
import { Effect, type Result } from "effect"
import type { Database, DatabaseError, Row } from "../database/Database.ts"
import { commitOperations } from "./commitOperations.ts"

interface EarlierRow extends Row {
  readonly reference: string
  readonly amount: number
}

const NO_ACCOUNT = { account: undefined, holds: new Map(), facts: new Map() }

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
      const locked = yield* query(`SELECT user_id FROM ${schema}.credit_accounts WHERE user_id = $1 FOR UPDATE`, [
        purchase.userId
      ])
      // An account that is opened from here on is not locked, and may be charged back by others meanwhile.
      if (locked.length === 0) return decideAll(NO_ACCOUNT, [operation([])]).answers[0] as Result.Result<A, E>
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
