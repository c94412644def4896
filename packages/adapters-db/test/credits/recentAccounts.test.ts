import { assert, layer } from "@effect/vitest"
import { ledgerIn } from "@parley/core/testing"
import { receiptDraft, reservation } from "@parley/core/testing"
import { Effect, Layer, Result } from "effect"
import { Database } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"
import { countedLedger } from "./countedLedger.ts"

/** The ledger of one process, which counts the statements it sends on its own. */
const process = Effect.gen(function* () {
  const { layer: ledger, sent } = yield* countedLedger
  const context = yield* Layer.build(ledger)
  return {
    ledger: ledgerIn(context),
    statementsOf: <A, E>(work: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        const before = sent()
        return Effect.map(work, () => sent() - before)
      })
  }
})

/** Two processes on one account, which the first has just opened and used; `execute` goes past both. */
const setUp = Effect.gen(function* () {
  const { statement, schema } = yield* Database
  const [first, second] = [yield* process, yield* process]
  const userId = `user-${crypto.randomUUID()}`
  yield* first.ledger.open({ userId, tier: "free", allowance: 100 })
  yield* first.ledger.reserve(reservation(userId, "reply:1", 30))
  const reserve = (key: string, amount: number) => first.ledger.reserve(reservation(userId, key, amount))
  const settle = (key: string, amount: number) => first.ledger.settle({ userId, key, amount, draft: receiptDraft })
  const execute = (text: string) => statement(text.replaceAll("{{schema}}", schema), [userId])
  return { first, second, userId, reserve, settle, execute }
})

for (const { name, layer: database } of databases) {
  layer(database, { excludeTestServices: true, timeout: "120 seconds" })(`remembered accounts on ${name}`, (it) => {
    it.effect("an account with a single writer is not read again", () =>
      Effect.gen(function* () {
        const { first, reserve, settle } = yield* setUp
        assert.strictEqual(yield* first.statementsOf(settle("reply:1", 10)), 1)
        assert.strictEqual(yield* first.statementsOf(reserve("reply:2", 20)), 1)
        assert.strictEqual(yield* first.statementsOf(settle("reply:2", 20)), 1)
      }).pipe(Effect.scoped)
    )

    it.effect("an account changed by hand keeps the change, although its version did not change", () =>
      Effect.gen(function* () {
        const { first, userId, reserve, execute } = yield* setUp
        yield* execute("UPDATE {{schema}}.credit_accounts SET tier = 'pro' WHERE user_id = $1")
        yield* reserve("reply:2", 1)
        assert.strictEqual((yield* first.ledger.account(userId)).tier, "pro")
      }).pipe(Effect.scoped)
    )

    it.effect("an account that others write is read before each write, until they have stopped", () =>
      Effect.gen(function* () {
        const { first, second, userId, reserve } = yield* setUp
        yield* second.ledger.grant({ userId, key: "topup:1", type: "topup", amount: 50 })
        yield* reserve("reply:2", 1)
        const counts = yield* Effect.forEach([3, 4, 5], (number) => first.statementsOf(reserve(`reply:${number}`, 1)))
        assert.deepStrictEqual(counts, [2, 2, 1])
      }).pipe(Effect.scoped)
    )

    it.effect("what is answered without a write is read, not remembered", () =>
      Effect.gen(function* () {
        const { second, userId, reserve, settle } = yield* setUp
        yield* second.ledger.grant({ userId, key: "topup:1", type: "topup", amount: 50 })
        assert.strictEqual((yield* reserve("reply:2", 110))._tag, "Held")
        yield* second.ledger.settle({ userId, key: "reply:1", amount: 12, draft: receiptDraft })
        const end = yield* settle("reply:1", 30)
        assert.strictEqual(end._tag === "Settled" ? end.receipt.charged : undefined, 12)
      }).pipe(Effect.scoped)
    )

    it.effect("a key that was used behind its back is not used again", () =>
      Effect.gen(function* () {
        const { reserve, execute } = yield* setUp
        yield* execute(`INSERT INTO {{schema}}.credit_idempotency (user_id, key, fingerprint, used_at, hold_allowance, hold_topup,
          hold_period_start, hold_expires_at, hold_number)
          VALUES ($1, 'reply:2', 'something else', now(), 1, 0, now(), now(), 1)`)
        const again = yield* Effect.result(reserve("reply:2", 20))
        assert.strictEqual(Result.isFailure(again) ? again.failure._tag : undefined, "KeyConflict")
        assert.deepStrictEqual(yield* execute("SELECT key FROM {{schema}}.credit_holds WHERE user_id = $1"), [
          { key: "reply:1" }
        ])
      }).pipe(Effect.scoped)
    )

    it.effect("a hold that vanished behind its back is not charged", () =>
      Effect.gen(function* () {
        const { first, userId, settle, execute } = yield* setUp
        yield* execute("DELETE FROM {{schema}}.credit_holds WHERE user_id = $1")
        const end = yield* Effect.result(settle("reply:1", 10))
        assert.strictEqual(Result.isFailure(end) ? end.failure._tag : undefined, "HoldNotFound")
        assert.strictEqual((yield* first.ledger.account(userId)).allowance, 100)
      }).pipe(Effect.scoped)
    )

    it.effect("a balance that was restored under the same version is not overwritten", () =>
      Effect.gen(function* () {
        const { first, userId, reserve, execute } = yield* setUp
        yield* execute(`WITH entered AS (
            INSERT INTO {{schema}}.credit_transactions (user_id, number, type, amount, allowance_amount, topup_amount,
              balance_after, reference, created_at, allowance_after, topup_after, type_number, previous, digest)
            VALUES ($1, 2, 'grant', 7, 0, 7, 107, 'gift', now(), 100, 7, 1, 0, '')
          ) UPDATE {{schema}}.credit_accounts SET topup = 7, transaction_count = 2, version = version + 1 WHERE user_id = $1`)
        yield* execute("UPDATE {{schema}}.credit_accounts SET version = version - 1 WHERE user_id = $1")
        yield* reserve("reply:2", 20)
        const { topup, heldAllowance } = yield* first.ledger.account(userId)
        assert.deepStrictEqual({ topup, heldAllowance }, { topup: 7, heldAllowance: 50 })
      }).pipe(Effect.scoped)
    )
  })
}
