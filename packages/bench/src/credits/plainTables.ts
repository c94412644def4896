import type pg from "pg"
import { ACCOUNTS, FUNDS } from "./Contender.ts"

/**
 * Creates a table with the balance of each account, `prefix_accounts`, and an append-only table of movements,
 * `prefix_entries`.
 */
export const createPlainTables = (client: pg.Client, prefix: string) =>
  client.query(`
    CREATE TABLE ${prefix}_accounts (id bigint PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0))
      WITH (fillfactor = 80);
    CREATE TABLE ${prefix}_entries (
      id bigint GENERATED ALWAYS AS IDENTITY,
      account_id bigint NOT NULL,
      amount bigint NOT NULL,
      reference text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (account_id, id)
    );
    INSERT INTO ${prefix}_accounts SELECT number, ${FUNDS} FROM generate_series(0, ${ACCOUNTS - 1}) AS number;
    ANALYZE ${prefix}_accounts`)

/** Rejects if a balance differs from the sum of its movements. */
export const checkPlainTables = async (client: pg.Client, prefix: string): Promise<void> => {
  const { rows } = await client.query<{ wrong: number }>(`
    SELECT count(*)::int AS wrong FROM ${prefix}_accounts a
    LEFT JOIN (SELECT account_id, sum(amount) AS total FROM ${prefix}_entries GROUP BY account_id) e
      ON e.account_id = a.id
    WHERE a.balance <> ${FUNDS} + coalesce(e.total, 0)`)
  if (rows[0]?.wrong !== 0) throw new Error(`${prefix}: ${rows[0]?.wrong} balances disagree with their movements.`)
}
