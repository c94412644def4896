import pg from "pg"

/** Runs scripts as the administrator of a server, one after another, in the database named; on that under test unless given. */
export const administer = async (
  scripts: string | ReadonlyArray<string>,
  database?: string,
  server = process.env["TEST_DATABASE_URL"] ?? ""
): Promise<void> => {
  const url = new URL(server)
  if (database !== undefined) url.pathname = `/${database}`
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 10_000 })
  client.on("error", () => undefined)
  await client.connect()
  try {
    for (const script of [scripts].flat()) await client.query(script)
  } finally {
    await client.end()
  }
}
