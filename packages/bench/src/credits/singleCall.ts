import pg from "pg"
import { CHARGED, type Contender, IDLE_MS, RESERVED } from "./Contender.ts"
import { checkPlainTables, createPlainTables } from "./plainTables.ts"

/** A statement that changes the balance if it suffices, and stores the movement. It commits by itself. */
const statementText = (prefix: string) => `
  WITH moved AS (
    UPDATE ${prefix}_accounts SET balance = balance + $2::bigint
    WHERE id = $1::bigint AND balance + $2::bigint >= 0 RETURNING id
  )
  INSERT INTO ${prefix}_entries (account_id, amount, reference) SELECT id, $2::bigint, $3::text FROM moved
  RETURNING account_id`

/** The same work as a function, whose statements the server plans only once for each connection. */
const functionText = (prefix: string) => `
  CREATE FUNCTION ${prefix}_move(account bigint, change bigint, fact text) RETURNS bigint LANGUAGE plpgsql AS $function$
  BEGIN
    UPDATE ${prefix}_accounts SET balance = balance + change WHERE id = account AND balance + change >= 0;
    IF NOT FOUND THEN RETURN NULL; END IF;
    INSERT INTO ${prefix}_entries (account_id, amount, reference) VALUES (account, change, fact);
    RETURN account;
  END
  $function$`

/**
 * The least SQL that moves credits: one statement for each step. It lacks most guarantees: no key is stored, so a
 * repeated call charges twice; there are no holds to find after a crash, no receipts, and no periods.
 */
export const makeSingleCall = async (
  name: string,
  url: string,
  admin: pg.Client,
  form: "statement" | "function",
  connections: number
): Promise<Contender> => {
  const prefix = `single_${form}`
  await createPlainTables(admin, prefix)
  if (form === "function") await admin.query(functionText(prefix))
  const text = form === "function" ? `SELECT ${prefix}_move($1, $2, $3) AS account_id` : statementText(prefix)
  const pool = new pg.Pool({ connectionString: url, max: connections, idleTimeoutMillis: IDLE_MS })
  const move = async (account: number, amount: number, reference: string): Promise<void> => {
    const { rows } = await pool.query<{ account_id: string | null }>(text, [account, amount, reference])
    if (rows[0]?.account_id == null) throw new Error("The account has too little.")
  }
  return {
    name,
    pair: async (account) => {
      const reference = `reply:${crypto.randomUUID()}`
      await move(account, -RESERVED, reference)
      await move(account, RESERVED - CHARGED, reference)
    },
    check: () => checkPlainTables(admin, prefix),
    close: () => pool.end()
  }
}
