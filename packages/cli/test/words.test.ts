import { join } from "node:path"
import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectToOwner, sendCommand } from "../src/dataFolder/commandClient.ts"
import { exitCodes } from "../src/exitCodes.ts"
import { runParley, temporaryFolder } from "./processes/ParleyProcess.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { serveHere, type ServerHere } from "./processes/serveHere.ts"

const ANN = "ann@example.com"
const SEED = Number(process.env["PARLEY_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

/** Words that only a library, the database or a stack would use. */
const FOREIGN =
  /schema validation|expected:|invalid value|unrecognized flag|missing required|unexpected positional|unknown subcommand|schemaerror|parseerror|cause\b.*:|fiberfailure|^\s+at .+:\d+|node_modules|\.ts:\d|\[object |undefined|\bNaN\b|violates|syntax error|relation "|permission denied|invalid input|out of range|sqlstate|made a mistake/im
const documented: ReadonlyArray<number> = Object.values(exitCodes)

/** Every argument and option with an invalid value, and a word of the expected message. */
const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
  [["nonsense"], "no command"],
  [["credit"], "credits"],
  [["credits", "nonsense"], "no command"],
  [["serve", "--nonsense"], "no option"],
  [["serve", "extra"], "extra"],
  [["serve", "--work=perhaps"], "--work"],
  [["work", "extra"], "extra"],
  [["migrate", "--dry-run=perhaps"], "--dry-run"],
  [["migrate", "--json=perhaps"], "--json"],
  [["doctor", "--live=perhaps"], "--live"],
  [["doctor", "--log-level", "loud"], "--log-level"],
  [["--completions", "cmd"], "--completions"],
  [["credits", "balance"], "<user>"],
  [["credits", "balance", ""], "<user>"],
  [["credits", "balance", "x".repeat(256)], "<user>"],
  [["credits", "balance", ANN, "more"], "more"],
  [["credits", "history"], "<user>"],
  [["credits", "history", ANN, "--limit", "0"], "from 1 to 200"],
  [["credits", "history", ANN, "--limit", "201"], "from 1 to 200"],
  [["credits", "history", ANN, "--limit", "ten"], "from 1 to 200"],
  [["credits", "history", ANN, "--limit"], "from 1 to 200"],
  [["credits", "history", ANN, "--offset", "-1"], "0 or more"],
  [["credits", "history", ANN, "--offset", "1e400"], "0 or more"],
  [["credits", "history", ANN, "--type", "foo"], "usage, reset, topup, grant, refund, adjustment"],
  [["credits", "history", ANN, "--type", ""], "usage, reset, topup, grant, refund, adjustment"],
  [["credits", "grant", ANN], "<amount>"],
  [["credits", "grant", ANN, "0"], "1 or more"],
  [["credits", "grant", ANN, "-5"], "-5"],
  [["credits", "grant", ANN, "1.5"], "1 or more"],
  [["credits", "grant", ANN, "9007199254740993"], "1 or more"],
  [["credits", "grant", ANN, "five"], "1 or more"],
  [["credits", "grant", ANN, "5", "--key", ""], "--key"],
  [["credits", "grant", ANN, "5", "--key", "k".repeat(300)], "--key"],
  [["credits", "reset", "--as-of", "soon"], "ISO 8601"],
  [["credits", "reset", "--as-of", ""], "ISO 8601"],
  [["credits", "verify", "--nonsense"], "no option"],
  [["credits", "verify", "--since", "lately"], "ISO 8601"],
  [["credits", "reset", "--yes=perhaps"], "--yes"],
  [["credits", "sweep", "extra"], "extra"],
  [["jobs", "list", "--state", "lost"], "waiting, running, done, failed"],
  [["jobs", "list", "--limit", "0"], "from 1 to 200"],
  [["jobs", "list", "--kind", "a b"], "kind of job"],
  [["jobs", "list", "--after", "no page"], "page before"],
  [["jobs", "list", "--user", ""], "--user"],
  [["jobs", "retry", ANN], "<job>"],
  [["jobs", "retry", ANN, "1"], "UUID"],
  [["reindex", "extra"], "extra"],
  [["reindex", "--document", "1"], "UUID"],
  [["reindex", "--user", ""], "--user"],
  [["reindex", "--dry-run=perhaps"], "--dry-run"],
  [["reindex", "--restart=perhaps"], "--restart"],
  [["vectors", "index", "extra"], "extra"],
  [["vectors", "index", "--dry-run=perhaps"], "--dry-run"],
  [["vectors", "drop", "extra"], "extra"],
  [["vectors", "drop", "--all=perhaps"], "--all"]
]

const folder = temporaryFolder()
let server: ServerHere

/** Runs a command inside the server, as the real command line does, without a process for each. */
const run = async (argv: ReadonlyArray<string>) => {
  const connection = await connectToOwner(join(folder.path, ".parley"))
  if (connection === undefined) throw new Error("The server is gone.")
  const said = { stdout: "", stderr: "" }
  const output = {
    stdout: (text: string) => void (said.stdout += text),
    stderr: (text: string) => void (said.stderr += text)
  }
  const outcome = await sendCommand(connection, { argv }, output, new AbortController().signal)
  if (outcome._tag !== "Ran") throw new Error(`The command ${JSON.stringify(argv)} was ${outcome._tag}.`)
  return { exit: outcome.exit, ...said }
}

beforeAll(async () => {
  server = await serveHere(folder.path)
  const ann = new Visitor(server.url)
  await ann.signIn(ANN)
  await ann.getJson("/api/billing/balance")
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

describe("a command line that is not understood", () => {
  it.each(wrong)("%j ends with 2 and a sentence of Parley's own", async (argv, words) => {
    const { exit, stderr, stdout } = await run(argv)
    expect([exit, stdout]).toEqual([2, ""])
    expect(stderr).toContain(words)
    expect(stderr).toContain("--help")
    expect(stderr).not.toMatch(FOREIGN)
  })

  it("is reported in the same way by a separate process", async () => {
    const argv = ["credits", "history", ANN, "--type", "foo"]
    const own = await runParley(argv, folder.path)
    const inServer = await run(argv)
    expect([own.exit, own.stderr]).toEqual([2, inServer.stderr])
  })

  it("and any other never lets a library speak, and ends with a documented code", async () => {
    const commands = [
      ["migrate"],
      ["credits"],
      ["credits", "balance"],
      ["credits", "history"],
      ["credits", "grant"],
      ["credits", "reset", "--dry-run"],
      ["credits", "verify"],
      ["credits", "sweep"],
      ["jobs", "list"],
      ["jobs", "retry"],
      ["nonsense"],
      []
    ]
    const options = ["--limit", "--offset", "--type", "--key", "--as-of", "--dry-run", "--json", "--live", "--no-json"]
    const words = [ANN, "nobody", "usage", "1", "-1", "0", "1.5", "1e9", "=", "--", "-", "--x", "-h", "2026-13-45", "​"]
    const word = fc.oneof(
      fc.constantFrom(...options, ...words),
      fc.string({ maxLength: 20 }),
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.integer().map(String),
      fc.tuple(fc.constantFrom(...options), fc.string({ maxLength: 8 })).map(([name, value]) => `${name}=${value}`)
    )
    const lines = fc.tuple(fc.constantFrom(...commands), fc.array(word, { maxLength: 5 })).map((parts) => parts.flat())
    await fc.assert(
      fc.asyncProperty(
        lines.filter((argv) => !argv.includes("serve")),
        async (argv) => {
          const { exit, stderr, stdout } = await run(argv)
          expect(documented).toContain(exit)
          expect(stderr).not.toMatch(FOREIGN)
          if (exit === 2) expect([stdout, stderr]).toEqual(["", expect.stringContaining("--help")])
        }
      ),
      { seed: SEED, numRuns: 250 }
    )
  })
})

describe("a --key that was used", () => {
  it("says when it was done and that nothing changed, in text, as data and in a dry run", async () => {
    const argv = ["credits", "grant", ANN, "500", "--key", "order-1"]
    const first = JSON.parse((await run([...argv, "--json"])).stdout) as Record<string, unknown>
    expect(first).toMatchObject({ replayed: false, amount: 500 })
    const again = JSON.parse((await run([...argv, "--json"])).stdout) as Record<string, unknown>
    expect(again).toEqual({ ...first, replayed: true, doneAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown })
    const people = await run(argv)
    expect([people.exit, people.stderr]).toEqual([0, ""])
    expect(people.stdout).toMatch(/^Already done at \d{4}-\d\d-\d\dT[\d:.]+Z, nothing changed: .*500.*order-1/)
    expect((await run([...argv, "--dry-run"])).stdout).toMatch(/^Already done at /)
  })

  it("for something else is refused with 5, in a dry run too", async () => {
    await run(["credits", "grant", ANN, "7", "--key", "order-2"])
    for (const more of [[], ["--dry-run"]]) {
      const { exit, stderr, stdout } = await run(["credits", "grant", ANN, "8", "--key", "order-2", ...more])
      expect([exit, stdout]).toEqual([5, ""])
      expect(stderr).toContain("order-2")
    }
  })
})
