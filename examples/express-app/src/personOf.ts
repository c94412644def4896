import type { IncomingMessage } from "node:http"
import type pg from "pg"

/** The application's own sign-in: a cookie, and a table of sessions. */
export const personOf = async (
  pool: pg.Pool,
  { headers }: IncomingMessage
): Promise<{ readonly userId: string } | undefined> => {
  const token = /(?:^|; )session=([^;]+)/.exec(headers.cookie ?? "")?.[1]
  const { rows } = await pool.query<{ person: string }>("SELECT person FROM sessions WHERE token = $1", [token])
  return rows[0] && { userId: rows[0].person }
}
