import { Effect } from "effect"
import { Database } from "../../src/database/Database.ts"
import { forPurpose } from "../../src/database/limits.ts"

/**
 * Writes an account with `rows` transactions past the ledger's triggers, as the ledger would have: an allowance, then
 * replies, with a purchase after every 99 of them. Each leads to the one before it, and has its key.
 */
export const writeLongHistory = Effect.fnUntraced(function* (userId: string, rows: number) {
  const { schema, statement } = yield* Database
  const texts = [
    `ALTER TABLE ${schema}.credit_accounts DISABLE TRIGGER USER`,
    `ALTER TABLE ${schema}.credit_transactions DISABLE TRIGGER USER`,
    `INSERT INTO ${schema}.credit_transactions
     SELECT s.* FROM (
       SELECT t AS entry, ${schema}.chain_digests(NULL, ${schema}.transaction_text(t)) OVER (ORDER BY t.number) AS digest
     FROM (
       SELECT '${userId}'::text AS user_id, s.number, s.type, s.amount, s.allowance_amount, s.topup_amount,
         s.allowance_after + s.topup_after AS balance_after, CASE s.type WHEN 'usage' THEN 'model-a-mini' END AS model,
         CASE s.type WHEN 'usage' THEN 'chat' END AS source,
         CASE s.type WHEN 'usage' THEN 'reply:' WHEN 'topup' THEN 'topup:' ELSE 'period:' END || s.number AS reference,
         '2026-01-01Z'::timestamptz + s.number * interval '1 second' AS created_at,
         CASE s.type WHEN 'usage' THEN '{"model":"model-a-mini","source":"chat","usage":{"freshInput":1,"cacheRead":0,"cacheWrite":0,"output":1},"charged":1,"held":1,"paidFrom":{"allowance":0,"topup":1}}'::jsonb
           END AS receipt, s.allowance_after, s.topup_after, s.type_number, coalesce(s.previous, 0) AS previous,
         CASE s.number WHEN 1 THEN 'free' END AS tier, CASE s.number WHEN 1 THEN 'schedule' END AS renewed_by,
         CASE s.number WHEN 1 THEN '2026-01-01Z'::timestamptz END AS anchor,
         CASE s.number WHEN 1 THEN '2026-01-01Z'::timestamptz END AS period_start,
         CASE s.number WHEN 1 THEN '2036-01-01Z'::timestamptz END AS next_reset_at,
         CASE s.number WHEN 1 THEN 10::bigint END AS period_credits
       FROM (
         SELECT g.*, (sum(g.allowance_amount) OVER w)::bigint AS allowance_after, (sum(g.topup_amount) OVER w)::bigint AS topup_after,
           row_number() OVER t AS type_number, lag(g.number) OVER t AS previous
         FROM (
           SELECT number, CASE WHEN number = 1 THEN 'reset' WHEN number % 100 = 2 THEN 'topup' ELSE 'usage' END AS type,
             CASE WHEN number = 1 THEN 10 WHEN number % 100 = 2 THEN 200 ELSE -1 END::bigint AS amount,
             CASE WHEN number = 1 THEN 10 ELSE 0 END::bigint AS allowance_amount,
             CASE WHEN number = 1 THEN 0 WHEN number % 100 = 2 THEN 200 ELSE -1 END::bigint AS topup_amount
           FROM generate_series(1, ${rows}::bigint) AS number
         ) g WINDOW w AS (ORDER BY g.number), t AS (PARTITION BY g.type ORDER BY g.number)
       ) s
     ) n CROSS JOIN LATERAL jsonb_populate_record(NULL::${schema}.credit_transactions, to_jsonb(n)) t
     ) c CROSS JOIN LATERAL ${schema}.with_digest(c.entry, c.digest) s`,
    `INSERT INTO ${schema}.credit_idempotency (user_id, key, fingerprint, used_at, number, hold_allowance, hold_topup,
       hold_period_start, hold_expires_at, hold_number)
     SELECT user_id, reference, 'made', created_at, number, CASE type WHEN 'usage' THEN 0 END,
       CASE type WHEN 'usage' THEN 1 END, CASE type WHEN 'usage' THEN created_at END,
       CASE type WHEN 'usage' THEN created_at END, CASE type WHEN 'usage' THEN type_number END
     FROM ${schema}.credit_transactions WHERE user_id = '${userId}'`,
    `INSERT INTO ${schema}.credit_accounts (user_id, tier, allowance, topup, debt, held_allowance, held_topup, anchor,
       period_start, next_reset_at, period_credits, transaction_count, version, by_type, terms_transaction, holds_opened, holds_ended)
     SELECT n.user_id, 'free', n.allowance_after, n.topup_after, 0, 0, 0, '2026-01-01Z', '2026-01-01Z', '2036-01-01Z', 10,
       n.number, n.number, ARRAY[u.count, u.newest, 1, 1, t.count, t.newest, 0, 0, 0, 0, 0, 0], 1, u.count, u.count
     FROM ${schema}.credit_transactions n,
       (SELECT count(*), max(number) AS newest FROM ${schema}.credit_transactions
        WHERE user_id = '${userId}' AND type = 'usage') u,
       (SELECT count(*), max(number) AS newest FROM ${schema}.credit_transactions
        WHERE user_id = '${userId}' AND type = 'topup') t
     WHERE n.user_id = '${userId}' AND n.number = ${rows}`,
    `INSERT INTO ${schema}.credit_usage (user_id, upto, day, source, model, replies, credits, input_tokens, output_tokens)
     SELECT '${userId}', b.upto, u.* FROM generate_series(256, ${rows}::bigint, 256) AS b(upto)
     CROSS JOIN LATERAL ${schema}.sum_usage('${userId}', b.upto - 256, b.upto) u`,
    `INSERT INTO ${schema}.credit_openings VALUES (63, 1) ON CONFLICT (part) DO UPDATE SET accounts = credit_openings.accounts + 1`,
    `ALTER TABLE ${schema}.credit_accounts ENABLE TRIGGER USER`,
    `ALTER TABLE ${schema}.credit_transactions ENABLE TRIGGER USER`
  ]
  for (const text of texts) yield* forPurpose("schema")(statement(text))
})
