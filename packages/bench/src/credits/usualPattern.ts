import pg from "pg"
import { CHARGED, type Contender, IDLE_MS, RESERVED } from "./Contender.ts"
import { checkPlainTables, createPlainTables } from "./plainTables.ts"

/**
 * The usual pattern of products. In a transaction it locks and reads the account's row, writes the new balance, and
 * adds a movement. The first step takes the upper limit of the cost, the second one returns the unused part.
 */
export const makeUsualPattern = async (
  name: string,
  url: string,
  admin: pg.Client,
  connections: number
): Promise<Contender> => {
  const prefix = "usual"
  await createPlainTables(admin, prefix)
  const pool = new pg.Pool({ connectionString: url, max: connections, idleTimeoutMillis: IDLE_MS })
  const move = async (account: number, amount: number, reference: string): Promise<void> => {
    const client = await pool.connect()
    try {
      await client.query("BEGIN")
      const { rows } = await client.query<{ balance: string }>(
        `SELECT balance FROM ${prefix}_accounts WHERE id = $1 FOR UPDATE`,
        [account]
      )
      const balance = Number(rows[0]?.balance) + amount
      if (!(balance >= 0)) throw new Error("The account has too little.")
      await client.query(`UPDATE ${prefix}_accounts SET balance = $2 WHERE id = $1`, [account, balance])
      await client.query(`INSERT INTO ${prefix}_entries (account_id, amount, reference) VALUES ($1, $2, $3)`, [
        account,
        amount,
        reference
      ])
      await client.query("COMMIT")
    } catch (error) {
      await client.query("ROLLBACK")
      throw error
    } finally {
      client.release()
    }
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
