import { assert, layer } from "@effect/vitest"
import { CreditLedger, type Difference } from "@parley/core"
import { receiptDraft, reservation } from "@parley/core/testing"
import { Effect, Layer, Result } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"

const verifyAll = Effect.gen(function* () {
  const ledger = yield* CreditLedger
  const differences: Array<Difference> = []
  let after: string | undefined
  do {
    const chunk = yield* ledger.verify({ limit: 3, after })
    differences.push(...chunk.differences)
    after = chunk.next
  } while (after !== undefined)
  return differences
})

/** An account with purchases, an open hold, a settled reply and a released one. */
const setUp = Effect.gen(function* () {
  const ledger = yield* CreditLedger
  const userId = `user-${crypto.randomUUID()}`
  yield* ledger.open({ userId, tier: "free", allowance: 100 })
  yield* ledger.grant({ userId, key: "topup:1", type: "topup", amount: 50 })
  yield* ledger.reserve(reservation(userId, "reply:1", 30))
  for (const key of ["reply:2", "reply:3"]) yield* ledger.reserve(reservation(userId, key, 20))
  yield* ledger.settle({ userId, key: "reply:1", amount: 25, draft: receiptDraft })
  yield* ledger.release({ userId, key: "reply:2" })
  return userId
})

const ROW = `INSERT INTO {{schema}}.credit_transactions
  (user_id, number, type, amount, allowance_amount, topup_amount, balance_after, reference, created_at)`

for (const { name, layer: database } of databases) {
  const ledgers = PgCreditLedgerLayer.pipe(Layer.provideMerge(database))
  layer(ledgers, { excludeTestServices: true, timeout: "60 seconds" })(`proofs of credits on ${name}`, (it) => {
    const script = Effect.fnUntraced(function* (text: string, userId: string) {
      const { schema, statement } = yield* Database
      return yield* statement(text.replaceAll("{{schema}}", schema).replaceAll("{{user}}", userId))
    })
    const refusal = (text: string, userId: string) =>
      Effect.map(Effect.result(script(text, userId)), (result) =>
        Result.isFailure(result) ? result.failure.sqlState : "accepted"
      )

    it.effect("the database refuses balances and transactions that do not belong together", () =>
      Effect.gen(function* () {
        const userId = yield* setUp
        const account = (set: string) => `UPDATE {{schema}}.credit_accounts SET ${set} WHERE user_id = '{{user}}'`
        const wrong = [
          account("topup = topup + 1000"),
          account("allowance = allowance - 5, topup = topup + 5"),
          account("entries = entries - 1"),
          // Beyond the account's last row; not its next balance; not the account's balance.
          `${ROW} VALUES ('{{user}}', 4, 'grant', 10, 0, 10, 135, 'gift', now())`,
          `WITH a AS (${account("topup = topup + 10, entries = entries + 1")})
           ${ROW} VALUES ('{{user}}', 4, 'grant', 10, 0, 10, 999, 'gift', now())`,
          `WITH a AS (${account("topup = topup + 10, entries = entries + 1")})
           ${ROW} VALUES ('{{user}}', 4, 'grant', 9, 0, 9, 134, 'gift', now())`,
          `${ROW} VALUES ('nobody', 1, 'grant', 10, 0, 10, 10, 'gift', now())`,
          `INSERT INTO {{schema}}.credit_accounts (user_id, tier, allowance, topup, debt, held_allowance, held_topup,
            anchor, period_start, next_reset_at, entries, version)
           VALUES ('nobody', 'free', 5, 0, 0, 0, 0, now(), now(), now() + interval '1 month', 1, 1)`
        ]
        for (const text of wrong) assert.strictEqual(yield* refusal(text, userId), "23000", text)
        const right = `WITH a AS (${account("topup = topup + 10, entries = entries + 1, version = version + 1")})
          ${ROW} VALUES ('{{user}}', 4, 'grant', 10, 0, 10, 135, 'gift', now())`
        assert.strictEqual(yield* refusal(right, userId), "accepted")
        assert.deepStrictEqual(
          (yield* verifyAll).map(({ fact }) => fact),
          ["transactions without their key"]
        )
      })
    )
  })

  layer(ledgers, { excludeTestServices: true, timeout: "60 seconds" })(`verification of credits on ${name}`, (it) => {
    /** Does what the guards of the database refuse. */
    const forge = Effect.fnUntraced(function* (text: string, userId: string) {
      const { schema, statement } = yield* Database
      const tables = ["credit_accounts", "credit_transactions", "credit_keys"]
      const triggers = (state: string) =>
        Effect.forEach(tables, (table) => statement(`ALTER TABLE ${schema}.${table} ${state} TRIGGER USER`))
      yield* triggers("DISABLE")
      yield* statement(text.replaceAll("{{schema}}", schema).replaceAll("{{user}}", userId))
      yield* triggers("ENABLE")
    })

    it.effect("finds nothing where everything is as the ledger left it, and each thing that is not", () =>
      Effect.gen(function* () {
        for (let count = 0; count < 7; count += 1) yield* setUp
        assert.deepStrictEqual(yield* verifyAll, [])
        const own = (set: string, table = "credit_accounts") =>
          `UPDATE {{schema}}.${table} SET ${set} WHERE user_id = '{{user}}'`
        const forgeries: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
          [own("topup = topup + 7"), ["sum of amounts", "sum of topup amounts"]],
          [own("allowance = allowance + 3, topup = topup - 3"), ["sum of allowance amounts", "sum of topup amounts"]],
          [own("entries = entries + 1"), ["number of transactions"]],
          [own("held_allowance = held_allowance + 1"), ["held allowance"]],
          [own("held_topup = held_topup + 1"), ["held topup"]],
          [
            own("balance_after = balance_after + 1", "credit_transactions") + " AND number = 2",
            ["balances after each transaction"]
          ],
          [
            `DELETE FROM {{schema}}.credit_transactions WHERE user_id = '{{user}}' AND number = 2`,
            [
              "balances after each transaction",
              "keys without their transaction",
              "number of transactions",
              "sum of amounts",
              "sum of topup amounts"
            ]
          ],
          [
            `DELETE FROM {{schema}}.credit_keys WHERE user_id = '{{user}}' AND key = 'topup:1'`,
            ["transactions without their key"]
          ],
          [
            own("number = 1", "credit_keys") + " AND key = 'topup:1'",
            ["keys without their transaction", "transactions without their key"]
          ],
          [`DELETE FROM {{schema}}.credit_holds WHERE user_id = '{{user}}'`, ["held allowance", "open holds"]],
          [own("key = 'reply:1'", "credit_holds"), ["keys that are open and ended"]],
          [`DELETE FROM {{schema}}.credit_accounts WHERE user_id = '{{user}}'`, ["rows without an account"]]
        ]
        const expected: Array<string> = []
        for (const [text, facts] of forgeries) {
          const userId = yield* setUp
          yield* forge(text, userId)
          expected.push(...facts.map((fact) => `${userId} ${fact}`))
        }
        const found = (yield* verifyAll).map(({ userId, fact }) => `${userId} ${fact}`)
        assert.deepStrictEqual(found.toSorted(), expected.toSorted())
      })
    )
  })
}
