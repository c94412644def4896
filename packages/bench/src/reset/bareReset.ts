import type pg from "pg"
import { USER_ID } from "./dueAccounts.ts"

/** Plain tables of the same accounts, each with two movements. */
export const createBareAccounts = async (admin: pg.Client, count: number): Promise<void> => {
  await admin.query(`
    CREATE TABLE bare_accounts (id text PRIMARY KEY, allowance bigint NOT NULL, topup bigint NOT NULL,
      next_reset_at timestamptz NOT NULL) WITH (fillfactor = 80);
    CREATE TABLE bare_entries (id bigint GENERATED ALWAYS AS IDENTITY, account_id text NOT NULL, amount bigint NOT NULL,
      balance_after bigint NOT NULL, reference text NOT NULL, created_at timestamptz NOT NULL, PRIMARY KEY (account_id, id));
    INSERT INTO bare_accounts SELECT ${USER_ID}, 75, 0, now() - interval '10 days' FROM generate_series(0, ${count - 1}) AS number;
    INSERT INTO bare_entries (account_id, amount, balance_after, reference, created_at)
      SELECT id, 100, 100, 'reset', now() FROM bare_accounts UNION ALL SELECT id, -25, 75, 'reply', now() FROM bare_accounts`)
  await admin.query("VACUUM (ANALYZE) bare_accounts, bare_entries")
}

/**
 * What one would write by hand: all accounts in one statement and one transaction. It locks every account until its
 * end, begins anew when it is stopped, knows neither anchors nor holds nor debt, and grants twice when run twice.
 */
export const runBareReset = async (admin: pg.Client): Promise<number> => {
  const { rowCount } = await admin.query(`
    WITH due AS MATERIALIZED (
      SELECT id, allowance, topup FROM bare_accounts WHERE next_reset_at <= now() FOR UPDATE
    ), updated AS (
      UPDATE bare_accounts a SET allowance = 100, next_reset_at = a.next_reset_at + interval '1 month'
      FROM due WHERE a.id = due.id
    )
    INSERT INTO bare_entries (account_id, amount, balance_after, reference, created_at)
    SELECT id, 100 - allowance, 100 + topup, 'reset', now() FROM due`)
  return rowCount ?? 0
}

/** Makes all accounts due again, outside what is measured. */
export const makeBareDue = async (admin: pg.Client): Promise<void> => {
  await admin.query("UPDATE bare_accounts SET next_reset_at = now() - interval '10 days', allowance = 75")
  await admin.query("VACUUM (ANALYZE) bare_accounts, bare_entries")
}
