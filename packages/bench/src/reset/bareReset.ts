import type pg from "pg"

/**
 * Creates a copy of the ledger's accounts and transactions, with their checks and indexes, but without triggers and
 * policies.
 */
export const createBareAccounts = async (admin: pg.Client): Promise<void> => {
  await admin.query(`
    CREATE TABLE bare_accounts (LIKE parley.credit_accounts INCLUDING ALL);
    CREATE TABLE bare_transactions (LIKE parley.credit_transactions INCLUDING ALL);
    INSERT INTO bare_accounts SELECT * FROM parley.credit_accounts;
    INSERT INTO bare_transactions SELECT * FROM parley.credit_transactions`)
  await admin.query("VACUUM (ANALYZE) bare_accounts, bare_transactions")
}

/**
 * A hand-written reset: it changes all accounts in one statement and one transaction. It locks every account until its
 * end, has to begin again if it is stopped, knows no anchors, holds, debts or keys, and proves nothing.
 */
export const runBareReset = async (admin: pg.Client): Promise<number> => {
  const { rowCount } = await admin.query(`
    WITH due AS MATERIALIZED (
      SELECT user_id, allowance, topup, transaction_count FROM bare_accounts WHERE next_reset_at <= now() FOR UPDATE
    ), updated AS (
      UPDATE bare_accounts a SET allowance = 100, period_start = a.next_reset_at,
        next_reset_at = a.next_reset_at + interval '1 month', transaction_count = a.transaction_count + 1, version = a.version + 1
      FROM due WHERE a.user_id = due.user_id
    )
    INSERT INTO bare_transactions (user_id, number, type, amount, allowance_amount, topup_amount, balance_after,
      reference, created_at, allowance_after, topup_after, type_number, previous, digest)
    SELECT user_id, transaction_count + 1, 'reset', 100 - allowance, 100 - allowance, 0, 100 + topup, 'monthly', now(), 100, topup,
      1, 0, '' FROM due`)
  return rowCount ?? 0
}

/** Makes the reset of all accounts due again, outside the measured time. */
export const makeBareDue = async (admin: pg.Client): Promise<void> => {
  await admin.query(`UPDATE bare_accounts
    SET period_start = period_start - interval '1 month', next_reset_at = next_reset_at - interval '1 month'`)
  await admin.query("VACUUM (ANALYZE) bare_accounts, bare_transactions")
}
