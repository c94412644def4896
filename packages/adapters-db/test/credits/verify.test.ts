import { assert, layer } from "@effect/vitest"
import type { Cursor } from "@parley/core/adapter"
import { testedLedger } from "@parley/core/testing"
import type { Difference } from "@parley/core/adapter"
import { receiptDraft, reservation } from "@parley/core/testing"
import { Clock, Effect, Layer, Result } from "effect"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { Database } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"

const verifySince = Effect.fnUntraced(function* (since: number | undefined) {
  const ledger = yield* testedLedger
  const differences: Array<Difference> = []
  let after: Cursor | undefined
  do {
    const chunk = yield* ledger.verify({ limit: 3, after, since })
    differences.push(...chunk.differences)
    after = chunk.next
  } while (after !== undefined)
  return differences
})

const verifyAll = verifySince(undefined)

/** An account with purchases, an open hold, a settled reply and a released one. */
const setUp = Effect.gen(function* () {
  const ledger = yield* testedLedger
  const userId = `user-${crypto.randomUUID()}`
  yield* ledger.open({ userId, tier: "free", allowance: 100 })
  const payment = { charge: "ch:1", paid: 100 }
  yield* ledger.grant({ userId, key: "topup:1", type: "topup", amount: 50, payment })
  yield* ledger.reserve(reservation(userId, "reply:1", 30))
  for (const key of ["reply:2", "reply:3"]) yield* ledger.reserve(reservation(userId, key, 20))
  yield* ledger.settle({ userId, key: "reply:1", amount: 25, draft: receiptDraft })
  yield* ledger.release({ userId, key: "reply:2" })
  return userId
})

/** A row as a hand would write it that knows the table: after the account's third, with a digest of nothing. */
const ROW = `INSERT INTO {{schema}}.credit_transactions
  (user_id, number, type, amount, allowance_amount, topup_amount, balance_after, reference, created_at,
    allowance_after, topup_after, type_number, previous, digest)`
const REST = "now(), 75, 60, 1, 0, ''"

const script = Effect.fnUntraced(function* (text: string, userId: string) {
  const { schema, statement } = yield* Database
  return yield* statement(text.replaceAll("{{schema}}", schema).replaceAll("{{user}}", userId))
})

for (const { name, layer: database } of databases) {
  const ledgers = PgCreditLedgerLayer.pipe(Layer.provideMerge(database))
  layer(ledgers, { excludeTestServices: true, timeout: "120 seconds" })(`proofs of credits on ${name}`, (it) => {
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
          account("transaction_count = transaction_count - 1"),
          // A hold that never was.
          account(
            "held_allowance = 0, held_topup = 0, usage_by_kind[2] = 0, open_holds = 0, holds_opened = holds_opened - 1"
          ),
          account("holds_ended = holds_ended - 1"),
          // Beyond the account's last row; not its next balance; not the account's balance.
          `${ROW} VALUES ('{{user}}', 4, 'grant', 10, 0, 10, 135, 'gift', ${REST})`,
          `WITH a AS (${account("topup = topup + 10, transaction_count = transaction_count + 1")})
           ${ROW} VALUES ('{{user}}', 4, 'grant', 10, 0, 10, 999, 'gift', ${REST})`,
          `WITH a AS (${account("topup = topup + 10, transaction_count = transaction_count + 1")})
           ${ROW} VALUES ('{{user}}', 4, 'grant', 9, 0, 9, 134, 'gift', ${REST})`,
          `${ROW} VALUES ('nobody', 1, 'grant', 10, 0, 10, 10, 'gift', ${REST})`,
          `INSERT INTO {{schema}}.credit_accounts (user_id, tier, allowance, topup, debt, held_allowance, held_topup,
            anchor, period_start, next_reset_at, transaction_count, version, by_type, terms_transaction)
           VALUES ('nobody', 'free', 5, 0, 0, 0, 0, now(), now(), now() + interval '1 month', 1, 1,
            '{0,0,1,1,0,0,0,0,0,0,0,0}', 1)`
        ]
        for (const text of wrong) assert.strictEqual(yield* refusal(text, userId), "23000", text)
        const right = `WITH a AS (${account("topup = topup + 10, transaction_count = transaction_count + 1, version = version + 1")})
          ${ROW} VALUES ('{{user}}', 4, 'grant', 10, 0, 10, 135, 'gift', ${REST})`
        assert.strictEqual(yield* refusal(right, userId), "accepted")
        assert.sameMembers(
          (yield* verifyAll).map(({ invariant }) => invariant),
          ["transactions not as they were written", "transactions of each type", "transactions without their key"]
        )
      })
    )
  })

  layer(ledgers, { excludeTestServices: true, timeout: "120 seconds" })(`verification of credits on ${name}`, (it) => {
    /** Changes rows that the guards of the database protect. */
    const forge = Effect.fnUntraced(function* (text: string, userId: string) {
      const { schema, statement } = yield* Database
      const tables = ["credit_accounts", "credit_transactions", "credit_idempotency", "credit_purchases"]
      const triggers = (state: string) =>
        Effect.forEach(tables, (table) => statement(`ALTER TABLE ${schema}.${table} ${state} TRIGGER USER`))
      yield* triggers("DISABLE")
      for (const one of text.split(/;\s/)) yield* script(one, userId)
      yield* triggers("ENABLE")
    })

    /**
     * Plants one change in a separate account for each case, and compares the found differences with the expected ones.
     */
    const expectFound = Effect.fnUntraced(function* (
      plantings: ReadonlyArray<readonly [text: string, broken: ReadonlyArray<string>]>,
      plant: (text: string, userId: string) => Effect.Effect<unknown, unknown, Database>
    ) {
      const before = yield* verifyAll
      const expected = before.map(({ userId, invariant }) => `${userId} ${invariant}`)
      for (const [text, broken] of plantings) {
        const userId = yield* setUp
        yield* plant(text, userId)
        expected.push(...broken.map((invariant) => `${userId} ${invariant}`))
      }
      const found = (yield* verifyAll).map(({ userId, invariant }) => `${userId} ${invariant}`)
      assert.deepStrictEqual(found.toSorted(), expected.toSorted())
    })
    const own = (set: string, table = "credit_accounts") =>
      `UPDATE {{schema}}.${table} SET ${set} WHERE user_id = '{{user}}'`
    const dropHold = `DELETE FROM {{schema}}.credit_holds WHERE user_id = '{{user}}'`
    const PURCHASE = "purchases that contradict their transactions"
    const BY_KIND = "held by each kind of source"
    const LAST_DAY = "charged to each kind of source on the last day"
    const CHANGED = "transactions not as they were written"

    it.effect("finds nothing where everything is as the ledger left it", () =>
      Effect.gen(function* () {
        for (let count = 0; count < 7; count += 1) yield* setUp
        assert.deepStrictEqual(yield* verifyAll, [])
      })
    )

    it.effect("finds what a hand can do that disables nothing", () =>
      expectFound(
        [
          [dropHold, ["held allowance", BY_KIND, "number of open holds", "open holds"]],
          [
            `${dropHold}; ${own("held_allowance = 0, held_topup = 0, usage_by_kind[2] = 0, open_holds = 0")}`,
            ["number of open holds"]
          ],
          [
            `${own("allowance = 1", "credit_holds")}; ${own("held_allowance = 1, usage_by_kind[2] = 1")}`,
            ["holds not as they were written"]
          ],
          [own("source = 'bot:1'", "credit_holds"), [BY_KIND, "holds not as they were written"]],
          [own("usage_by_kind[4] = usage_by_kind[2], usage_by_kind[2] = 0"), [BY_KIND]],
          [own("usage_by_kind[1] = 0"), [LAST_DAY]],
          [own("paid = 1000", "credit_purchases"), [PURCHASE]],
          [own("clawed_back = 10", "credit_purchases"), [PURCHASE]],
          [
            own(
              `clawed_back = 10, reports = '[{"source": "refund", "part": 20, "isWon": false, "reportedAt": 1}]',
               seal = {{schema}}.purchase_seal(jsonb_populate_record(credit_purchases, '{"clawed_back": 10,
                 "reports": [{"source": "refund", "part": 20, "isWon": false, "reportedAt": 1}]}'))`,
              "credit_purchases"
            ),
            [PURCHASE]
          ],
          [own("charge = 'ch:2'", "credit_purchases"), [PURCHASE, "transactions without their purchase"]],
          [own("usage_day = usage_day + 1"), [LAST_DAY]],
          [
            `INSERT INTO {{schema}}.credit_usage (user_id, upto, day, source, model, replies, credits, input_tokens,
               output_tokens)
             SELECT '{{user}}', 3, day, source, model, replies, credits - 1, input_tokens, output_tokens
             FROM {{schema}}.sum_usage('{{user}}', 0, 3)`,
            [LAST_DAY, "sums of usage"]
          ],
          [
            own(
              `draft = jsonb_set(draft, '{price}',
              '{"creditsPer1kInput": 0, "creditsPer1kCachedInput": 0, "creditsPer1kOutput": 0, "minimumCredits": 0}')`,
              "credit_holds"
            ),
            ["holds not as they were written"]
          ],
          [own("expires_at = '9999-01-01'", "credit_holds"), ["holds not as they were written"]],
          [own("output_tokens = 100000", "credit_holds"), ["holds not as they were written"]],
          [
            own("held_allowance = held_allowance + 1, usage_by_kind[2] = usage_by_kind[2] + 1"),
            ["held allowance", BY_KIND]
          ],
          [own("held_topup = held_topup + 1, usage_by_kind[2] = usage_by_kind[2] + 1"), ["held topup", BY_KIND]],
          [own("tier = 'business'"), ["tier, dates and renewal"]],
          [own("pending_tier = 'pro'"), ["tier, dates and renewal"]],
          [own("renewed_by = 'invoice'"), ["tier, dates and renewal"]],
          [own("anchor = anchor - interval '3 days'"), ["tier, dates and renewal"]],
          [own("next_reset_at = next_reset_at - interval '3 days'"), ["tier, dates and renewal"]],
          [own("period_start = period_start + interval '3 days'"), ["tier, dates and renewal"]],
          [own("key = 'reply:1'", "credit_holds"), ["holds not as they were written", "keys that are open and ended"]],
          [
            `WITH a AS (${own("topup = topup - 5, allowance = allowance + 5, transaction_count = transaction_count + 1")})
             ${ROW} VALUES ('{{user}}', 4, 'adjustment', 0, 5, -5, 125, 'repaid:reply:9', now(), 80, 45, 1, 0, '')`,
            [CHANGED, "transactions of each type", "transactions without their key"]
          ],
          [
            `INSERT INTO {{schema}}.credit_idempotency (user_id, key, fingerprint, used_at, hold_allowance, hold_topup,
               hold_period_start, hold_expires_at, hold_number)
             SELECT user_id, 'period:' || user_id || ':' || to_char(next_reset_at AT TIME ZONE 'UTC',
               'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'period', now(), 1, 0, now(), now(), 2
             FROM {{schema}}.credit_accounts WHERE user_id = '{{user}}'`,
            ["keys without their transaction", "number of ended holds"]
          ],
          // A purchase that is to be swallowed, as a hold that ended later than any has.
          [
            `INSERT INTO {{schema}}.credit_idempotency (user_id, key, fingerprint, used_at, hold_allowance, hold_topup,
               hold_period_start, hold_expires_at, hold_number)
             VALUES ('{{user}}', 'topup:2', 'topup 50', now(), 1, 0, now(), now(), 1000000)`,
            ["keys that contradict their transaction"]
          ]
        ],
        (text, userId) => Effect.forEach(text.split("; "), (one) => script(one, userId))
      )
    )

    it.effect("finds what a hand can do that disables the triggers", () =>
      expectFound(
        [
          [own("topup = topup + 7"), ["sum of amounts", "sum of topup amounts"]],
          [own("allowance = allowance + 3, topup = topup - 3"), ["sum of allowance amounts", "sum of topup amounts"]],
          [
            own("transaction_count = transaction_count + 1"),
            [
              "number of transactions",
              "sum of allowance amounts",
              "sum of amounts",
              "sum of topup amounts",
              "transactions of each type"
            ]
          ],
          [
            own("balance_after = balance_after + 1", "credit_transactions") + " AND number = 2",
            ["balances after each transaction", CHANGED]
          ],
          [
            `DELETE FROM {{schema}}.credit_transactions WHERE user_id = '{{user}}' AND number = 2`,
            [
              "balances after each transaction",
              "keys without their transaction",
              "number of transactions",
              "transactions of each type",
              CHANGED,
              PURCHASE
            ]
          ],
          // The newest rows deleted, with all traces except the account's own counts of types and ended holds.
          [
            `DELETE FROM {{schema}}.credit_transactions WHERE user_id = '{{user}}' AND number = 3;
             DELETE FROM {{schema}}.credit_idempotency WHERE user_id = '{{user}}' AND key = 'reply:1';
             ${own("allowance = 100, transaction_count = 2")}`,
            ["number of ended holds", "transactions of each type", LAST_DAY]
          ],
          [
            own("source = 'bot:1'", "credit_transactions") + " AND number = 3",
            [CHANGED, "receipts that contradict their transaction", LAST_DAY]
          ],
          [
            own("receipt = jsonb_set(receipt, '{charged}', '1')", "credit_transactions") + " AND number = 3",
            [CHANGED, "receipts that contradict their transaction"]
          ],
          [
            own(`receipt = jsonb_set(receipt, '{held}', '"many"')`, "credit_transactions") + " AND number = 3",
            [CHANGED, "keys that contradict their transaction"]
          ],
          [
            own("receipt = jsonb_set(receipt, '{price,creditsPer1kInput}', '9')", "credit_transactions") +
              " AND number = 3",
            [CHANGED]
          ],
          [own("type = 'grant'", "credit_transactions") + " AND number = 2", [CHANGED, "transactions of each type"]],
          [
            own("created_at = created_at - interval '1 month'", "credit_transactions") + " AND number = 2",
            [CHANGED, "keys that contradict their transaction"]
          ],
          [own("tier = 'pro'", "credit_transactions") + " AND number = 1", [CHANGED, "tier, dates and renewal"]],
          [
            own("reference = 'topup:2'", "credit_transactions") + " AND number = 2",
            [CHANGED, "keys without their transaction", "transactions without their key"]
          ],
          [
            `DELETE FROM {{schema}}.credit_idempotency WHERE user_id = '{{user}}' AND key = 'topup:1'`,
            ["transactions without their key"]
          ],
          [
            `DELETE FROM {{schema}}.credit_idempotency WHERE user_id = '{{user}}' AND key = 'reply:2'`,
            ["number of ended holds"]
          ],
          [
            own("number = 1", "credit_idempotency") + " AND key = 'topup:1'",
            [
              "keys that contradict their transaction",
              "keys without their transaction",
              "transactions without their key"
            ]
          ],
          [
            own("hold_allowance = 1", "credit_idempotency") + " AND key = 'reply:1'",
            ["keys that contradict their transaction"]
          ]
        ],
        forge
      )
    )

    it.effect("finds that an account is gone, also with all of its rows", () =>
      Effect.gen(function* () {
        const before = yield* verifyAll
        const userId = yield* setUp
        yield* forge(`DELETE FROM {{schema}}.credit_accounts WHERE user_id = '{{user}}'`, userId)
        const owned = yield* verifyAll
        assert.deepStrictEqual(
          owned.filter((one) => one.userId === userId || one.userId === "*").map((one) => one.invariant),
          ["rows without an account", "number of accounts"]
        )
        for (const table of ["credit_transactions", "credit_idempotency", "credit_purchases", "credit_holds"]) {
          yield* forge(`DELETE FROM {{schema}}.${table} WHERE user_id = '{{user}}'`, userId)
        }
        const gone = yield* verifyAll
        assert.strictEqual(gone.length, before.length + 1)
        assert.deepInclude(gone.at(-1), { userId: "*", invariant: "number of accounts" })
      })
    )

    it.effect("trusts older rows if requested, and compares every account with its newest rows", () =>
      Effect.gen(function* () {
        const ledger = yield* testedLedger
        const known = (yield* verifyAll).length
        const userId = yield* setUp
        yield* forge(own("receipt = NULL", "credit_transactions") + " AND number = 3", userId)
        const since = (yield* Clock.currentTimeMillis) + 1
        while ((yield* Clock.currentTimeMillis) <= since) yield* Effect.yieldNow
        yield* ledger.grant({ userId, key: "topup:2", type: "topup", amount: 5 })
        yield* ledger.grant({ userId, key: "topup:3", type: "topup", amount: 5 })
        const of = (found: ReadonlyArray<Difference>) => found.filter((one) => one.userId === userId)
        assert.deepStrictEqual(of(yield* verifySince(since)), [])
        assert.isAbove((yield* verifyAll).length, known)
        yield* forge(own("reference = 'topup:9'", "credit_transactions") + " AND number = 4", userId)
        yield* script(own("tier = 'pro'"), userId)
        assert.deepStrictEqual(
          of(yield* verifySince(since)).map(({ invariant }) => invariant),
          ["tier, dates and renewal", CHANGED, "transactions without their key"]
        )
      })
    )
  })
}
