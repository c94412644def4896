import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { freshPostgres } from "../packages/adapters-db/test/databases.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const run = promisify(execFile)
const read = (path: string) => readFileSync(`${root}examples/${path}`, "utf8")

/** The programs that say what they print. */
const programs = readdirSync(`${root}examples`).filter((name) => existsSync(`${root}examples/${name}/expected.txt`))

/** Those that keep what they do in a database, which is theirs. */
const onDatabase = new Set(["express-app", "two-servers"])

const FLAGS = ["--conditions=@parley/source", "--disable-warning=ExperimentalWarning"]

const outputOf = async (name: string, databaseUrl: string | undefined): Promise<string> => {
  const { DATABASE_URL: _others, ...env } = process.env
  const { stdout } = await run(process.execPath, [...FLAGS, `examples/${name}/src/main.ts`], {
    cwd: root,
    env: { ...env, NO_COLOR: "1", ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) }
  })
  return stdout
}

/** Lines that say something: neither empty, nor of a comment, nor only of what closes. */
const linesOfCode = (path: string): number =>
  read(path)
    .split("\n")
    .filter((line) => !/^\s*(?:$|\/\/|\/?\*|[\])}]+;?$)/.test(line)).length

describe.each(programs)("the example %s", (name) => {
  it.concurrent("prints what it says it prints, and its README shows that", async () => {
    const expected = read(`${name}/expected.txt`)
    const program = onDatabase.has(name)
      ? Effect.scoped(Effect.flatMap(freshPostgres, (url) => Effect.promise(() => outputOf(name, url))))
      : Effect.promise(() => outputOf(name, undefined))
    expect(await Effect.runPromise(program)).toBe(expected)
    expect(read(`${name}/README.md`)).toContain(`\`\`\`\n${expected}\`\`\``)
  })
})

it.each([
  ["an application's own sign-in and pool", "express-app/src/app.ts", 30],
  ["a fetch handler", "fetch-handler/src/route.ts", 10],
  ["metering alone", "metering/src/main.ts", 12],
  ["a vendor, tiers and prices of one's own", "own-vendor/src/main.ts", 25]
])("%s takes few lines: %s at most %i", (_what, path, most) => {
  expect(linesOfCode(path)).toBeLessThanOrEqual(most)
})
