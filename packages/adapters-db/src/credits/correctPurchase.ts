import {
  type ChargedPurchase,
  decideAll,
  type Operation,
  type Refusal,
  type PurchaseRecord,
  purchaseKey,
  refundPrefix
} from "@parley/core"
import { Effect, type Result } from "effect"
import type { Database, DatabaseError, Row } from "../database/Database.ts"
import { commitOperations } from "./commitOperations.ts"
import type { LedgerTime } from "./LedgerClock.ts"

type RecordRow = PurchaseRecord & Row

const NO_ACCOUNT = { account: undefined, holds: new Map(), records: new Map() }

/** The first text, by its bytes, after all that begin with `prefix`; takes one that ends in an ASCII character. */
const afterPrefix = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)

/**
 * Commits an operation that depends on a purchase and what was taken back of it so far: reads that and decides under the lock
 * of the account, in one transaction: a look-up of the charge's own keys, however long the account's history. Rare, and
 * so not coalesced.
 */
export const correctPurchase = <A, E extends Refusal>(
  database: Database["Service"],
  time: LedgerTime,
  purchase: ChargedPurchase,
  operation: (records: ReadonlyArray<PurchaseRecord>) => Operation<A, E>
): Effect.Effect<Result.Result<A, E>, DatabaseError> => {
  const { schema } = database
  return database.asService(({ query }) =>
    Effect.gen(function* () {
      const locked = yield* query(`SELECT user_id FROM ${schema}.credit_accounts WHERE user_id = $1 FOR UPDATE`, [
        purchase.userId
      ])
      // An account that is opened from here on is not locked, and may be charged back by others meanwhile.
      if (locked.length === 0) return decideAll(NO_ACCOUNT, [operation([])], 0).answers[0] as Result.Result<A, E>
      const records = yield* query<RecordRow>(
        `SELECT k.key, k.fingerprint, t.amount FROM ${schema}.credit_idempotency k
         JOIN ${schema}.credit_transactions t ON t.user_id = k.user_id AND t.number = k.number
         WHERE k.user_id = $1 AND (k.key = $2 OR k.key >= $3 AND k.key < $4)`,
        [purchase.userId, purchaseKey(purchase), refundPrefix(purchase), afterPrefix(refundPrefix(purchase))]
      )
      const [answer] = yield* commitOperations(database, time, [operation(records)])
      return answer as Result.Result<A, E>
    })
  )
}
