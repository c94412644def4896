import { join } from "node:path"
import { randomBytes } from "node:crypto"
import pg from "pg"
import { expect, it } from "vitest"
import { openDatabase } from "../../src/openDatabase.ts"
import { CrashedServer } from "./CrashedServer.ts"
import { SmallDisk } from "./SmallDisk.ts"

/** The root folder of the servers of these tests. */
const ROOT = process.env["PARLEY_CI_POSTGRES_DIR"] ?? "/var/lib/parley-postgres"

it.runIf(SmallDisk.canBeMade)(
  "a server whose disk is full is not ready, until there is room again",
  async () => {
    const name = `small_${randomBytes(6).toString("hex")}`
    await using server = await CrashedServer.start()
    using disk = new SmallDisk(join(ROOT, "tmp", name), 64, join(ROOT, "var/lib/postgresql"))
    const admin = new pg.Client({ connectionString: server.url })
    await admin.connect()
    try {
      await admin.query(`CREATE TABLESPACE ${name} LOCATION '/tmp/${name}'`)
      await admin.query(`CREATE DATABASE ${name} TABLESPACE ${name}`)
    } finally {
      await admin.end()
    }
    const url = new URL(server.url)
    url.pathname = `/${name}`
    const database = await openDatabase({ url: url.href })
    try {
      await database.checkReadiness()
      disk.fill()
      await expect(database.checkReadiness()).rejects.toMatchObject({ problem: "full" })
      disk.clear()
      await database.checkReadiness()
    } finally {
      await database.close()
    }
  },
  300_000
)
