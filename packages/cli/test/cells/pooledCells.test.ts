/** Servers whose schemas are changed at other addresses than those that serve people. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { administer } from "../../../adapters-db/test/administer.ts"
import { migratedPostgres } from "../../../adapters-db/test/databases.ts"
import { temporaryFolder } from "../processes/ParleyProcess.ts"
import { Visitor } from "../processes/RunningServer.ts"
import { serveHere } from "../processes/serveHere.ts"
import { CellDatabases } from "./cellDatabases.ts"

const hasPostgres = (process.env["TEST_DATABASE_URL"] ?? "") !== ""
const nameOf = (url: string) => new URL(url).pathname.slice(1)
const cutOff = (url: string) =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameOf(url)}'`

describe.runIf(hasPostgres)("a server over cells behind a pooler", () => {
  const folder = temporaryFolder()
  let databases: CellDatabases
  beforeAll(async () => {
    databases = await CellDatabases.make(3, migratedPostgres)
  })
  afterAll(async () => {
    await databases[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it("does not start if the pooler names another database than the direct address, and notices an exchange later", async () => {
    const [first = "", second = "", other = ""] = databases.urls
    const environment = (pooled: string) => ({
      DATABASE_URL: first,
      PARLEY_CELLS: JSON.stringify({ "eu-1": { url: pooled, directUrl: second } })
    })
    await using server = await serveHere(folder.path, environment(second))
    await expect(serveHere(folder.path, environment(other))).rejects.toThrow(/eu-1 is not the one that had this name/)
    const ann = new Visitor(server.url)
    await ann.signIn("ann@example.com")
    expect((await ann.get("/api/billing/balance")).status).toBe(200)
    await administer([
      cutOff(second),
      cutOff(other),
      `ALTER DATABASE ${nameOf(second)} RENAME TO ${nameOf(second)}_away`,
      `ALTER DATABASE ${nameOf(other)} RENAME TO ${nameOf(second)}`
    ])
    try {
      expect((await ann.get("/api/billing/balance")).status).toBe(503)
    } finally {
      await administer([
        cutOff(second),
        `ALTER DATABASE ${nameOf(second)} RENAME TO ${nameOf(other)}`,
        `ALTER DATABASE ${nameOf(second)}_away RENAME TO ${nameOf(second)}`
      ])
    }
  })
})
