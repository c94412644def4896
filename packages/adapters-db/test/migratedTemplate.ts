import { Effect } from "effect"
import pg from "pg"
import { PgDatabaseLayer } from "../src/database/server/PgDatabase.ts"
import { migrate } from "../src/migrations/migrate.ts"
import { templateName } from "./templateName.ts"

/** Marks that every migration is in it: a process that died while making it left no mark. */
const WHOLE = "whole"

const make = async (client: pg.Client, serverUrl: string, name: string): Promise<void> => {
  const said = `SELECT shobj_description(oid, 'pg_database') AS said FROM pg_database WHERE datname = $1`
  const { rows } = await client.query<{ said: string | null }>(said, [name])
  if (rows[0]?.said === WHOLE) return
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await client.query(`CREATE DATABASE ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  await Effect.runPromise(
    Effect.scoped(Effect.provide(migrate(), PgDatabaseLayer({ url: url.href, maxConnections: 1 })))
  )
  // Only a database without connections can be copied.
  const open = "SELECT FROM pg_stat_activity WHERE datname = $1"
  while ((await client.query(open, [name])).rowCount !== 0) continue
  await client.query(`COMMENT ON DATABASE ${name} IS '${WHOLE}'`)
}

const makeOnce = async (serverUrl: string): Promise<string> => {
  const name = templateName()
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: 60_000 })
  client.on("error", () => undefined)
  await client.connect()
  try {
    await client.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [name])
    await make(client, serverUrl, name)
    return name
  } finally {
    await client.end()
  }
}

let made: Promise<string> | undefined

/**
 * The name of a database of the server under test that has every migration, for `CREATE DATABASE ... TEMPLATE`: a copy takes a
 * fraction of the migrations' time. The first that asks in a run of the tests makes it; it goes with the run.
 */
export const migratedTemplate = (serverUrl: string): Promise<string> => (made ??= makeOnce(serverUrl))
