import { format } from "node:util"
import { afterEach, expect, it, vi } from "vitest"
import { hasPostgres } from "../packages/adapters-db/test/databases.ts"
import { expectOutput, inMemory, readExample, runOnPostgres } from "./support/examples.ts"

afterEach(() => vi.restoreAllMocks())

it.each(inMemory)("the example %s prints what it says it prints, and its README shows that", async (name) => {
  const printed: Array<string> = []
  vi.spyOn(console, "log").mockImplementation((...values) => void printed.push(`${format(...values)}\n`))
  await import(`../examples/${name}/src/main.ts`)
  expectOutput(name, printed.join(""))
})

it.each(hasPostgres ? ["express-app"] : [])("so does %s, on a database", async (name) => {
  expectOutput(name, await runOnPostgres(name))
})

/** Lines of code: not empty, not a comment, and not only closing brackets. */
const linesOfCode = (path: string): number =>
  readExample(path)
    .split("\n")
    .filter((line) => !/^\s*(?:$|\/\/|\/?\*|[\])}]+;?$)/.test(line)).length

it.each([
  ["an application's own sign-in and pool", "express-app/src/app.ts", 30],
  ["a fetch handler", "fetch-handler/src/route.ts", 10],
  ["metering alone", "metering/src/main.ts", 12],
  ["a vendor, tiers and prices of one's own", "own-vendor/src/main.ts", 25]
])("%s takes few lines: %s at most %i", (_what, path, most) => {
  expect(linesOfCode(path)).toBeLessThanOrEqual(most)
})
