/** Commands over cells whose schema has no names yet, and over a global database without its cells. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { administer } from "../../../adapters-db/test/administer.ts"
import { migratedPostgres } from "../../../adapters-db/test/databases.ts"
import { temporaryFolder } from "../processes/ParleyProcess.ts"
import { runHere } from "../processes/runHere.ts"
import { CellDatabases } from "./cellDatabases.ts"

const hasPostgres = (process.env["TEST_DATABASE_URL"] ?? "") !== ""
const UNNAMED = [
  "DROP TABLE parley.directory, parley.this_cell",
  "ALTER TABLE parley.cells DROP COLUMN database_id",
  "DROP TRIGGER version_seen ON parley.moved_owners",
  "DROP FUNCTION parley.note_seen",
  "DELETE FROM parley.migrations WHERE id = '0064_cell_names'"
]

describe.runIf(hasPostgres)("cells that get names later", () => {
  const folder = temporaryFolder()
  let databases: CellDatabases
  const parley = (argv: ReadonlyArray<string>, environment: Record<string, string>) =>
    runHere([...argv, "--json"], folder.path, environment)
  beforeAll(async () => {
    databases = await CellDatabases.make(4, migratedPostgres)
  })
  afterAll(async () => {
    await databases[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it("their pending migrations are listed before, and applied", async () => {
    const [first = "", second = ""] = databases.urls
    const environment = { DATABASE_URL: first, PARLEY_CELLS: JSON.stringify({ "eu-1": first, "eu-2": second }) }
    expect(await parley(["migrate"], environment)).toMatchObject({ exit: 0 })
    expect(await parley(["cells", "assign", "eu-2", "--buckets", "7"], environment)).toMatchObject({ exit: 0 })
    for (const url of [first, second]) await administer(UNNAMED, new URL(url).pathname.slice(1))
    const checked = await parley(["migrate", "--check"], environment)
    expect(checked).toMatchObject({ exit: 1 })
    expect(JSON.parse(checked.stdout)).toMatchObject({
      databases: [
        { database: "eu-1", pending: ["0064_cell_names"] },
        { database: "eu-2", pending: ["0064_cell_names"] }
      ]
    })
    expect(await parley(["migrate"], environment)).toMatchObject({ exit: 0 })
    expect(await parley(["cells", "verify"], environment)).toMatchObject({ exit: 0 })
  })

  it("a global database that is no cell is not used alone", async () => {
    const [, , global = "", only = ""] = databases.urls
    const environment = { DATABASE_URL: global, PARLEY_CELLS: JSON.stringify({ "eu-1": only }) }
    expect(await parley(["migrate"], environment)).toMatchObject({ exit: 0 })
    expect(await parley(["credits", "verify"], environment)).toMatchObject({ exit: 0 })
    expect(await parley(["credits", "verify"], { DATABASE_URL: global })).toMatchObject({
      exit: 3,
      stderr: expect.stringMatching(/another database, a cell \(eu-1\), and PARLEY_CELLS is not set/)
    })
  })
})
