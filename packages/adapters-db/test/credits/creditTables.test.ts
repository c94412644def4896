import { assert, layer } from "@effect/vitest"
import { testedLedger } from "@parley/core/testing"
import { receiptDraft, reservation } from "@parley/core/testing"
import { Effect, Layer, Result } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"

const TABLES = ["credit_accounts", "credit_holds", "credit_transactions", "credit_idempotency"] as const

/** Two accounts, each with an open hold, a settled reply and some transactions. */
const setUp = Effect.gen(function* () {
  const ledger = yield* testedLedger
  const users = [`user-${crypto.randomUUID()}`, `user-${crypto.randomUUID()}`] as const
  for (const userId of users) {
    yield* ledger.open({ userId, tier: "free", allowance: 100 })
    yield* ledger.grant({ userId, key: "topup:1", type: "topup", amount: 50 })
    yield* ledger.reserve(reservation(userId, "reply:1", 30))
    yield* ledger.reserve(reservation(userId, "reply:2", 20))
    yield* ledger.settle({ userId, key: "reply:1", amount: 25, draft: receiptDraft })
  }
  return users
})

for (const { name, layer: database } of databases) {
  const ledgers = PgCreditLedgerLayer.pipe(Layer.provideMerge(database))
  layer(ledgers, { excludeTestServices: true, timeout: "120 seconds" })(`credit tables on ${name}`, (it) => {
    /** The SQLSTATE with which the database, asked as the owner of its tables, refuses a statement. */
    const refusal = Effect.fnUntraced(function* (text: string, params: ReadonlyArray<unknown> = []) {
      const { schema, statement } = yield* Database
      const result = yield* Effect.result(statement(text.replaceAll("{{schema}}", schema), params))
      return Result.isFailure(result) ? result.failure.sqlState : "accepted"
    })

    it.effect("rows of the ledger and used keys can be neither changed nor deleted, also by the tables' owner", () =>
      Effect.gen(function* () {
        const [userId] = yield* setUp
        for (const table of ["credit_transactions", "credit_idempotency"]) {
          const statements = [
            `UPDATE {{schema}}.${table} SET number = 9 WHERE user_id = '${userId}'`,
            `DELETE FROM {{schema}}.${table} WHERE user_id = '${userId}'`,
            `DELETE FROM {{schema}}.${table} WHERE false`,
            `TRUNCATE {{schema}}.${table}`
          ]
          for (const text of statements) assert.strictEqual(yield* refusal(text), "23001", text)
        }
      })
    )

    it.effect("an account can hold nothing negative, nothing beyond its buckets and nothing free beside a debt", () =>
      Effect.gen(function* () {
        const [userId] = yield* setUp
        const update = (set: string) =>
          refusal(`UPDATE {{schema}}.credit_accounts SET ${set} WHERE user_id = $1`, [userId])
        const wrong = [
          "allowance = -1, held_allowance = 0",
          "topup = -1",
          "debt = -1",
          "held_allowance = -1",
          "held_allowance = allowance + 1",
          "held_topup = topup + 1",
          "topup = 9007199254740992",
          "topup = 9007199254740991",
          "debt = 1",
          "next_reset_at = period_start",
          "tier = ''",
          "tier = repeat('x', 51)"
        ]
        for (const set of wrong) assert.strictEqual(yield* update(set), "23514", set)
      })
    )

    it.effect("an account, a hold, a key and a row's number exist once", () =>
      Effect.gen(function* () {
        const [userId] = yield* setUp
        for (const table of TABLES) {
          const copy = `INSERT INTO {{schema}}.${table} SELECT * FROM {{schema}}.${table} WHERE user_id = $1 LIMIT 1`
          assert.strictEqual(yield* refusal(copy, [userId]), "23505", table)
        }
      })
    )

    it.effect("people see their own rows alone and can change none", () =>
      Effect.gen(function* () {
        const [userId, other] = yield* setUp
        const { asUser, schema } = yield* Database
        for (const table of TABLES) {
          const rows = yield* asUser(userId, (sql) =>
            sql.query<{ user_id: string }>(`SELECT user_id FROM ${schema}.${table}`)
          )
          assert.isAbove(rows.length, 0, table)
          assert.isTrue(
            rows.every((row) => row.user_id === userId),
            table
          )
          const writes = [
            `UPDATE ${schema}.${table} SET user_id = user_id`,
            `DELETE FROM ${schema}.${table}`,
            `INSERT INTO ${schema}.${table} SELECT * FROM ${schema}.${table} WHERE user_id = '${other}'`
          ]
          for (const text of writes) {
            const result = yield* Effect.result(asUser(userId, (sql) => sql.query(text)))
            assert.strictEqual(Result.isFailure(result) ? result.failure.sqlState : "accepted", "42501", text)
          }
        }
      })
    )

    it.effect("what the ledger may not do, the service cannot do either", () =>
      Effect.gen(function* () {
        const { asService, schema } = yield* Database
        const texts = [
          `DELETE FROM ${schema}.credit_accounts`,
          `UPDATE ${schema}.credit_transactions SET amount = 0`,
          `DELETE FROM ${schema}.credit_transactions`,
          `UPDATE ${schema}.credit_idempotency SET fingerprint = ''`,
          `DELETE FROM ${schema}.credit_idempotency`
        ]
        for (const text of texts) {
          const result = yield* Effect.result(asService((sql) => sql.query(text)))
          assert.strictEqual(Result.isFailure(result) ? result.failure.sqlState : "accepted", "42501", text)
        }
      })
    )

    it.effect("holds that have ended leave the table of holds", () =>
      Effect.gen(function* () {
        const [userId] = yield* setUp
        const { schema, statement } = yield* Database
        const rows = yield* statement(`SELECT key FROM ${schema}.credit_holds WHERE user_id = $1`, [userId])
        assert.deepStrictEqual(rows, [{ key: "reply:2" }])
      })
    )
  })
}
