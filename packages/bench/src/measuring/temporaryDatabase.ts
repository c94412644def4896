import pg from "pg"

/** A temporary database on the server of `TEST_DATABASE_URL`. */
export interface TemporaryDatabase {
  readonly url: string
  drop(): Promise<void>
}

const administer = async (serverUrl: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/**
 * Creates an empty database on the server of `serverUrl`, by default `TEST_DATABASE_URL`; the login needs the right to
 * do so. Rejects with a clear error if no URL is given or the server does not answer.
 */
export const createTemporaryDatabase = async (
  serverUrl: string | undefined = process.env["TEST_DATABASE_URL"]
): Promise<TemporaryDatabase> => {
  if (serverUrl === undefined || serverUrl === "") {
    throw new Error("Set TEST_DATABASE_URL to a Postgres 17 with pgvector on which databases may be created.")
  }
  const name = `parley_bench_${crypto.randomUUID().replaceAll("-", "")}`
  await administer(serverUrl, `CREATE DATABASE ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => administer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}
