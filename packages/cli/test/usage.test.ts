import { DatabaseOwner, openDatabase, PgDatabaseLayer } from "@parley/adapters-db"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { sizeText } from "../src/commands/usage/usageStorage.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { serveHere } from "./processes/serveHere.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""

interface Usage {
  readonly databaseBytes: number
  readonly tables: ReadonlyArray<{ readonly table: string; readonly bytes: number; readonly indexBytes: number }>
  readonly people: ReadonlyArray<{ readonly userId: string; readonly files: number; readonly texts: number }>
}

it("a size is printed in the unit that suits it", () => {
  expect([0, 1023, 1024, 1536, 5 * 1024 ** 3, 200 * 1024 ** 2].map(sizeText)).toEqual([
    "0 bytes",
    "1023 bytes",
    "1.0 kB",
    "1.5 kB",
    "5.0 GB",
    "200 MB"
  ])
})

it("parley usage storage shows each table, and the files and texts of the people who store most", async () => {
  using folder = temporaryFolder()
  const server = await serveHere(folder.path)
  for (const [name, bytes] of [
    ["ann", 70_000],
    ["bob", 3_000]
  ] as const) {
    const person = new Visitor(server.url)
    await person.signIn(`${name}@example.com`)
    expect((await person.upload("notes.txt", Buffer.alloc(bytes, "word "))).status).toBe(200)
    const answer = await person.post("/api/chat", { messages: [{ role: "user", content: "Hello" }] })
    await answer.text()
  }
  await server.stop()
  const { exit, stdout } = await runHere(["usage", "storage", "--json"], folder.path)
  const { databaseBytes, people, tables } = JSON.parse(stdout) as Usage
  expect(exit).toBe(0)
  expect(people).toMatchObject([
    { userId: "ann@example.com", files: 70_000, texts: expect.any(Number) },
    { userId: "bob@example.com", files: 3_000, texts: expect.any(Number) }
  ])
  expect(people.every(({ texts }) => texts > "Hello".length)).toBe(true)
  const names = tables.map(({ table }) => table)
  expect(names).toEqual(expect.arrayContaining(["messages", "credit_transactions", "file_parts"]))
  expect(names).toContainEqual(expect.stringMatching(/^parley_boss\./))
  const sum = tables.reduce((total, { bytes }) => total + bytes, 0)
  expect(sum).toBeGreaterThan(70_000)
  expect(sum).toBeLessThan(databaseBytes)
  const text = (await runHere(["usage", "storage", "--people", "1"], folder.path)).stdout
  expect(text).toMatch(/^ann@example\.com +68\.4 kB/m)
  expect(text).not.toContain("bob@example.com")
})

it.skipIf(url === "")("the sizes of a Postgres server are those of this schema alone", async () => {
  using folder = temporaryFolder()
  const schema = `usage_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const database = await openDatabase({ url, schema })
  await database.close()
  const environment = { DATABASE_URL: url, PARLEY_DB_SCHEMA: schema }
  const { exit, stdout } = await runHere(["usage", "storage", "--json"], folder.path, environment)
  const { tables } = JSON.parse(stdout) as Usage
  expect([exit, tables.filter(({ table }) => table === "credit_accounts").length]).toEqual([0, 1])
  const others = tables.filter(({ table }) => table.includes(".") && !table.startsWith(`${schema}_boss.`))
  expect(others).toEqual([])
  const drop = DatabaseOwner.use(({ asOwner }) =>
    asOwner((sql) => sql.script(`DROP SCHEMA ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`))
  )
  await Effect.runPromise(Effect.provide(drop, PgDatabaseLayer({ url, schema })))
})
