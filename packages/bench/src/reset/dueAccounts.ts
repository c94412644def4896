import { createHash } from "node:crypto"
import type pg from "pg"

/**
 * The user id of an account number, as an SQL expression and as a function. The ids are in random order, as identity
 * providers assign them.
 */
export const USER_ID = "'user-' || md5(number::text)"
export const userOf = (account: number): string => `user-${createHash("md5").update(String(account)).digest("hex")}`

/**
 * Creates `count` accounts whose first month is over, each with the history of that month: its allowance, one reply,
 * and the keys of both. They signed up one after another within a day. The rows are written without the ledger's
 * triggers, because opening a million accounts one by one would take longer than the whole measurement.
 */
export const createDueAccounts = async (admin: pg.Client, count: number): Promise<void> => {
  await admin.query(`
    BEGIN;
    SET LOCAL session_replication_role = replica;
    CREATE TEMPORARY TABLE made ON COMMIT DROP AS
      SELECT ${USER_ID} AS user_id,
        date_trunc('second', now()) - interval '40 days' + number * 86400.0 / ${count} * interval '1 second' AS anchor
      FROM generate_series(0, ${count - 1}) AS number;
    INSERT INTO parley.credit_accounts (user_id, tier, allowance, topup, debt, held_allowance, held_topup, anchor,
      period_start, next_reset_at, transaction_count, version, by_type, terms_transaction)
      SELECT user_id, 'free', 75, 0, 0, 0, 0, anchor, anchor, anchor + interval '1 month', 2, 3,
        '{1,2,1,1,0,0,0,0,0,0,0,0}', 1 FROM made;
    INSERT INTO parley.credit_transactions (user_id, number, type, amount, allowance_amount, topup_amount,
      balance_after, source, reference, created_at, allowance_after, topup_after, type_number, previous, digest)
      SELECT user_id, 1, 'reset', 100, 100, 0, 100, NULL, 'period:' || user_id, anchor, 100, 0, 1, 0, sha256('1') FROM made
      UNION ALL SELECT user_id, 2, 'usage', -25, -25, 0, 75, 'chat', 'reply:' || user_id, anchor, 75, 0, 1, 0, sha256('2') FROM made;
    INSERT INTO parley.credit_idempotency (user_id, key, fingerprint, used_at, number)
      SELECT user_id, 'period:' || user_id, 'period', anchor, 1 FROM made
      UNION ALL SELECT user_id, 'reply:' || user_id, 'reserve 40 40 model-a-mini', anchor, 2 FROM made;
    COMMIT`)
  await admin.query("VACUUM (ANALYZE) parley.credit_accounts, parley.credit_transactions, parley.credit_idempotency")
}
