import pg from "pg"
import { administer } from "./administer.ts"
import { databasePrefix, templateName } from "./templateName.ts"

/** To drop a database takes a checkpoint of the whole server; one serves all that are dropped at the same time. */
const AT_ONCE = 20

const retired: Array<string> = []

/**
 * Drops databases that no suite needs any more: not at once, but several together. The rest of a run is dropped at its
 * end, by its name.
 */
export const retire = async (name: string): Promise<void> => {
  retired.push(name)
  if (retired.length >= AT_ONCE) await dropAll(retired.splice(0))
}

const dropAll = async (names: ReadonlyArray<string>): Promise<void> => {
  await Promise.all(names.map((name) => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)))
}

const databasesOfRun = async (): Promise<ReadonlyArray<string>> => {
  const client = new pg.Client({
    connectionString: process.env["TEST_DATABASE_URL"] ?? "",
    connectionTimeoutMillis: 60_000
  })
  await client.connect()
  try {
    const named = "SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1)"
    const { rows } = await client.query<{ name: string }>(named, [databasePrefix()])
    return rows.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** Drops all databases of this run, even those with connections. */
export const dropRun = async (): Promise<void> => dropAll([...(await databasesOfRun()), templateName()])
