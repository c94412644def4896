import type { Difference, VerifyChunk, VerifyInput } from "@parley/core"
import { Effect } from "effect"
import type { Database, DatabaseError, Row } from "../database/Database.ts"

/** The last user of a chunk; null where the chunk is the last one. */
const boundText = (schema: string) => `
  SELECT CASE WHEN count(*) = $2 THEN max(user_id) END AS upto
  FROM (SELECT user_id FROM ${schema}.credit_accounts WHERE user_id > $1 ORDER BY user_id LIMIT $2) c`

/**
 * Recomputes the accounts of a range of users from their rows, as `verifyAccount` of the core does, in one statement:
 * what it compares is one state of the database, also while replies are being paid. The range is named for each table,
 * so that each is read by its key.
 */
const verifyText = (schema: string, within: string) => `
  WITH chunk AS MATERIALIZED (
    SELECT * FROM ${schema}.credit_accounts WHERE ${within}
  ), rows AS MATERIALIZED (
    SELECT user_id, number, amount, allowance_amount, topup_amount, balance_after, reference
    FROM ${schema}.credit_transactions WHERE ${within}
  ), keys AS MATERIALIZED (
    SELECT user_id, key, number, hold_allowance FROM ${schema}.credit_keys WHERE ${within}
  ), holds AS MATERIALIZED (
    SELECT user_id, key, allowance, topup FROM ${schema}.credit_holds WHERE ${within}
  ), numbered AS (
    SELECT r.*, row_number() OVER account_rows AS place, sum(r.amount) OVER account_rows AS balance
    FROM rows r WINDOW account_rows AS (PARTITION BY r.user_id ORDER BY r.number)
  ), entered AS (
    SELECT n.user_id, sum(n.amount) AS amount, sum(n.allowance_amount) AS allowance, sum(n.topup_amount) AS topup,
      count(*) FILTER (WHERE n.number = n.place) AS entries, count(*) FILTER (WHERE n.balance_after <> n.balance) AS wrong,
      count(*) FILTER (WHERE n.reference !~ '^(repaid|expired):' AND k.key IS NULL) AS keyless
    FROM numbered n LEFT JOIN keys k ON k.user_id = n.user_id AND k.key = n.reference AND k.number = n.number
    GROUP BY n.user_id
  ), held AS (
    SELECT h.user_id, count(*) AS open, sum(h.allowance) AS allowance, sum(h.topup) AS topup, count(k.key) AS ended
    FROM holds h LEFT JOIN keys k ON k.user_id = h.user_id AND k.key = h.key
    GROUP BY h.user_id
  ), unanswered AS (
    SELECT k.user_id, count(*) AS keys
    FROM keys k LEFT JOIN rows r ON r.user_id = k.user_id AND r.number = k.number
    WHERE CASE WHEN k.number IS NULL THEN k.hold_allowance IS NULL ELSE r.reference IS DISTINCT FROM k.key END
    GROUP BY k.user_id
  ), nobodys AS (
    SELECT u.user_id, count(*) AS rows
    FROM (SELECT user_id FROM rows UNION ALL SELECT user_id FROM keys UNION ALL SELECT user_id FROM holds) u
    WHERE NOT EXISTS (SELECT FROM chunk c WHERE c.user_id = u.user_id)
    GROUP BY u.user_id
  ), compared AS (
    SELECT c.user_id, v.* FROM chunk c
    LEFT JOIN entered e ON e.user_id = c.user_id
    LEFT JOIN held h ON h.user_id = c.user_id
    LEFT JOIN unanswered u ON u.user_id = c.user_id
    CROSS JOIN LATERAL (VALUES
      ('sum of amounts', e.amount, c.allowance + c.topup - c.debt),
      ('sum of allowance amounts', e.allowance, c.allowance),
      ('sum of topup amounts', e.topup, c.topup),
      ('number of transactions', e.entries, c.entries),
      ('balances after each transaction', 0, e.wrong),
      ('held allowance', h.allowance, c.held_allowance),
      ('held topup', h.topup, c.held_topup),
      ('open holds', h.open, c.open_holds),
      ('free credits beside a debt', 0,
        CASE WHEN c.debt = 0 THEN 0 ELSE c.allowance - c.held_allowance + c.topup - c.held_topup END),
      ('keys without their transaction', 0, u.keys),
      ('transactions without their key', 0, e.keyless),
      ('keys that are open and ended', 0, h.ended)
    ) AS v(fact, expected, found)
    UNION ALL
    SELECT n.user_id, 'rows without an account', 0, n.rows FROM nobodys n
  )
  SELECT b.accounts, d.user_id, d.fact, coalesce(d.expected, 0)::float8 AS expected, coalesce(d.found, 0)::float8 AS found
  FROM (SELECT count(*) AS accounts FROM chunk) b
  LEFT JOIN compared d ON coalesce(d.expected, 0) <> coalesce(d.found, 0)
  ORDER BY d.user_id, d.fact`

interface ComparedRow extends Row {
  readonly accounts: number
  readonly user_id: string | null
  readonly fact: Difference["fact"]
  readonly expected: number
  readonly found: number
}

/** Verifies the next chunk of accounts, in the order of their users. */
export const verifyAccounts = Effect.fnUntraced(function* (
  { schema, statement }: Database["Service"],
  { limit, after = "" }: VerifyInput
): Effect.fn.Return<VerifyChunk, DatabaseError> {
  const [bound] = yield* statement<{ readonly upto: string | null }>(boundText(schema), [after, limit])
  const next = bound?.upto ?? undefined
  const rows = yield* next === undefined
    ? statement<ComparedRow>(verifyText(schema, "user_id > $1"), [after])
    : statement<ComparedRow>(verifyText(schema, "user_id > $1 AND user_id <= $2"), [after, next])
  const differences = rows.flatMap(({ user_id: userId, fact, expected, found }): ReadonlyArray<Difference> =>
    userId === null ? [] : [{ userId, fact, expected, found }]
  )
  return { accounts: rows[0]?.accounts ?? 0, next, differences }
})
