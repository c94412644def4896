import { utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"

it("people are imported once, in a dry run not at all, and refused lines are named with their reasons", async () => {
  using folder = temporaryFolder()
  const parley = (...argv: ReadonlyArray<string>) => runHere(argv, folder.path)
  const path = join(folder.path, "people.jsonl")
  const good = [
    { user: "ann", tier: "pro", allowance: 300, topup: 50, anchor: "2026-01-15T09:00:00Z", stripeCustomer: "cus_1" },
    { user: "ben", topup: 4 }
  ]
  writeFileSync(path, `${good.map((line) => JSON.stringify(line)).join("\r\n")}\n\n{"user":"cleo","tier":"gold"}\n{\n`)
  const written = new Date("2026-02-01T10:00:00Z")
  utimesSync(path, written, written)
  expect((await parley("migrate")).exit).toBe(0)

  const dry = await parley("users", "import", "people.jsonl", "--dry-run", "--json")
  const refused = [
    { line: 4, user: "cleo", reason: expect.stringContaining('the catalog has no tier "gold"') },
    { line: 5, reason: "it is not JSON" }
  ]
  expect(dry.exit).toBe(5)
  expect(JSON.parse(dry.stdout)).toEqual({
    ...{ dryRun: true, asOf: "2026-02-01T10:00:00.000Z", lines: 4 },
    ...{ created: 2, updated: 0, unchanged: 0, refused }
  })
  expect((await parley("credits", "balance", "ann")).exit).toBe(4)

  const told = await parley("users", "import", "people.jsonl", "--by", "olga", "--reason", "the move")
  expect([told.exit, told.stderr]).toEqual([5, expect.stringContaining("2 lines were refused.")])
  expect(told.stdout).toContain(
    "Imported 2 people (2 created, 0 updated), with their balances of 2026-02-01T10:00:00.000Z"
  )
  expect(told.stdout).toContain("line 5: it is not JSON")
  const { stdout } = await parley("credits", "balance", "ann", "--json")
  expect(JSON.parse(stdout)).toMatchObject({ allowance: 300, topup: 50, held: 0, debt: 0 })

  writeFileSync(path, good.map((line) => JSON.stringify(line)).join("\n"))
  const again = await parley("users", "import", "people.jsonl", "--json", "--as-of", "2026-02-01T10:00:00Z")
  expect([again.exit, JSON.parse(again.stdout)]).toEqual([0, expect.objectContaining({ created: 0, unchanged: 2 })])
  expect((await parley("credits", "verify")).exit).toBe(0)
  expect(JSON.parse((await parley("audit", "list", "--json")).stdout)).toMatchObject({
    entries: [{ action: "users import", by: "olga", reason: "the move" }]
  })
  expect((await parley("users", "find", "cus_1")).stdout).toContain("ann")
  const missing = await parley("users", "import", "nowhere.jsonl")
  expect([missing.exit, missing.stderr]).toEqual([2, expect.stringContaining("nowhere.jsonl cannot be read (ENOENT)")])
})
