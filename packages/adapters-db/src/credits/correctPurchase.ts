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
import type { LedgerTime } from "./LedgerClock.ts"

interface EarlierRow extends Row {
  readonly reference: string
  readonly amount: number
}

const NO_ACCOUNT = { account: undefined, holds: new Map(), facts: new Map() }

/** The first text, by its bytes, after all that begin with `prefix`; takes one that ends in an ASCII character. */
const afterPrefix = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)

/**
 * Commits an operation that depends on what was taken back of its charge so far: reads that and decides under the lock
 * of the account, in one transaction: a look-up of the charge's own keys, however long the account's history. Rare, and
 * so not coalesced.
 */
export const correctPurchase = <A, E extends Refusal>(
  database: Database["Service"],
  time: LedgerTime,
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
      if (locked.length === 0) return decideAll(NO_ACCOUNT, [operation([])], 0).answers[0] as Result.Result<A, E>
      const earlier = yield* query<EarlierRow>(
        `SELECT t.reference, t.amount FROM ${schema}.credit_keys k
         JOIN ${schema}.credit_transactions t ON t.user_id = k.user_id AND t.number = k.number
         WHERE k.user_id = $1 AND k.key >= $2 AND k.key < $3 AND t.type = 'refund'`,
        [purchase.userId, refundPrefix(purchase), afterPrefix(refundPrefix(purchase))]
      )
      const [answer] = yield* commitOperations(database, time, [operation(earlier)])
      return answer as Result.Result<A, E>
    })
  )
}
