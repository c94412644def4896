import { expect, it } from "vitest"
import { hasPostgres } from "../packages/adapters-db/test/databases.ts"
import { expectOutput, runOnPostgres } from "./support/examples.ts"

it("two servers and a worker share one database: what one is given, another reads and a third answers from", async () => {
  expect(hasPostgres, "TEST_DATABASE_URL names a Postgres").toBe(true)
  expectOutput("two-servers", await runOnPostgres("two-servers"))
})
