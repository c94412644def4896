import pg from "pg"

/** Runs scripts as the administrator of the server under test, one after another, in the database named. */
export const administer = async (scripts: string | ReadonlyArray<string>, database?: string): Promise<void> => {
  const url = new URL(process.env["TEST_DATABASE_URL"] ?? "")
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
