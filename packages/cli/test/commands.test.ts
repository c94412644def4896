import { execFile } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import manifest from "../package.json" with { type: "json" }
import { runParley, temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { serveHere, type ServerHere } from "./processes/serveHere.ts"

const ANN = "ann@example.com"
const json = (text: string): unknown => JSON.parse(text)

describe("commands beside a running server", () => {
  const folder = temporaryFolder()
  let server: ServerHere
  let ann: Visitor
  beforeAll(async () => {
    server = await serveHere(folder.path)
    ann = new Visitor(server.url)
    await ann.signIn(ANN)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it("run inside it: the balance equals the route's", async () => {
    const { exit, stdout } = await runParley(["credits", "balance", ANN, "--json"], folder.path)
    expect([exit, json(stdout)]).toEqual([0, await ann.getJson("/api/billing/balance")])
  })

  it("grant credits once for a key, and refuse the key for another amount with 5", async () => {
    const grant = (amount: string) =>
      runHere(["credits", "grant", ANN, amount, "--key", "order-1", "--json"], folder.path)
    expect(json((await grant("500")).stdout)).toMatchObject({ user: ANN, amount: 500, key: "order-1", available: 600 })
    expect(json((await grant("500")).stdout)).toMatchObject({ available: 600 })
    const other = await grant("501")
    expect([other.exit, other.stdout]).toEqual([5, ""])
    expect(other.stderr).toContain("order-1")
  })

  it("print the history exactly as the route returns it", async () => {
    const { exit, stdout } = await runHere(["credits", "history", ANN, "--json", "--limit", "1"], folder.path)
    expect(exit).toBe(0)
    const route = await ann.getJson<{ total: number }>("/api/billing/credit-history?limit=1")
    expect(json(stdout)).toEqual(route)
    expect(route).toMatchObject({ limit: 1, offset: 0, total: 2, transactions: [{ transaction_type: "grant" }] })
  })

  it("do nothing in a dry run", async () => {
    const { stdout } = await runHere(["credits", "grant", ANN, "7", "--dry-run", "--json"], folder.path)
    expect(json(stdout)).toMatchObject({ dryRun: true, amount: 7, available: 600 })
    expect(await ann.getJson("/api/billing/balance")).toMatchObject({ available: 600 })
  })

  it("say that an account does not exist, and end with 4", async () => {
    for (const argv of [
      ["balance", "nobody"],
      ["history", "nobody"],
      ["grant", "nobody", "5"]
    ]) {
      const { exit, stderr, stdout } = await runHere(["credits", ...argv], folder.path)
      expect([exit, stdout]).toEqual([4, ""])
      expect(stderr).toContain("nobody")
    }
  })

  it("erase a person, whose rows of the ledger stay under a pseudonym; preview with --dry-run", async () => {
    const bob = "bob@example.com"
    const visitor = new Visitor(server.url)
    await visitor.signIn(bob)
    await visitor.getJson("/api/billing/balance")
    const users = (...argv: ReadonlyArray<string>) => runHere(["users", "delete", bob, "--json", ...argv], folder.path)
    expect(json((await users("--dry-run")).stdout)).toEqual({
      ...{ user: bob, dryRun: true, chats: 0, documents: 0, transactions: 1 }
    })
    const erased = json((await users()).stdout) as { pseudonym: string }
    expect(erased).toMatchObject({ dryRun: false, transactions: 2 })
    const { stdout } = await runHere(["credits", "history", erased.pseudonym, "--json"], folder.path)
    expect([json(stdout), stdout.includes(bob)]).toMatchObject([{ total: 2 }, false])
    expect((await users()).exit).toBe(4)
    expect((await runHere(["credits", "verify"], folder.path)).exit).toBe(0)
  })

  it("find nothing left to migrate", async () => {
    const { exit, stdout } = await runHere(["migrate", "--json"], folder.path)
    expect([exit, json(stdout)]).toEqual([0, { dryRun: false, applied: [], pending: [] }])
  })

  it("find the server well, and say what stands in", async () => {
    const { exit, stdout } = await runHere(["doctor", "--json"], folder.path)
    const report = json(stdout) as { ok: boolean; checks: ReadonlyArray<{ name: string; status: string }> }
    expect([exit, report.ok]).toEqual([0, true])
    const statuses = Object.fromEntries(report.checks.map(({ name, status }) => [name, status]))
    expect(statuses).toMatchObject({ database: "ok", migrations: "ok", sessions: "note", "model model-a-mini": "note" })
  })

  it("run side by side", async () => {
    const all = await Promise.all(
      Array.from({ length: 3 }, (_, index) =>
        runHere(["credits", "grant", ANN, "1", "--key", `side-${index}`], folder.path)
      )
    )
    expect(all.map(({ exit }) => exit)).toEqual([0, 0, 0])
    expect(await ann.getJson("/api/billing/balance")).toMatchObject({ available: 603 })
  })
})

describe("commands without a server", () => {
  it("work on the embedded database themselves, one after another", async () => {
    using folder = temporaryFolder()
    const made = await runHere(["migrate", "--json"], folder.path)
    expect(made.exit).toBe(0)
    // A new folder begins as the image that was prepared, with the schema in it.
    expect(json(made.stdout)).toMatchObject({ applied: [], pending: [] })
    // Two processes at once: one waits until the other is done with the folder.
    const found = await Promise.all([runHere, runParley].map((run) => run(["credits", "balance", ANN], folder.path)))
    for (const { exit, stderr } of found) {
      expect(stderr).toContain("no account")
      expect(exit).toBe(4)
    }
  })

  it("make no database only to find nothing in it", async () => {
    using folder = temporaryFolder()
    for (const argv of [
      ["credits", "balance", ANN],
      ["migrate", "--dry-run"]
    ]) {
      const { exit, stderr } = await runHere(argv, folder.path)
      expect(exit).toBe(4)
      expect(stderr).toContain("parley serve")
    }
    expect((await runHere(["migrate", "--check"], folder.path)).exit).toBe(1)
    const doctor = await runHere(["doctor"], folder.path)
    expect(doctor.exit).toBe(0)
    expect(doctor.stdout).toContain("none yet")
  })

  it("and servers find each other in a folder whose path is too long for a socket", async () => {
    using folder = temporaryFolder()
    const deep = join(folder.path, "d".repeat(100), "e".repeat(100))
    mkdirSync(deep, { recursive: true })
    await using server = await serveHere(deep)
    await new Visitor(server.url).signIn(ANN)
    expect((await runParley(["credits", "balance", ANN], deep)).exit).toBe(0)
    expect(await server.stop()).toBe(0)
    expect((await runHere(["credits", "balance", ANN], deep)).exit).toBe(0)
  })

  it("read .env under the environment", async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, ".env"), "PORT=nonsense\nLOG_LEVEL=nonsense\n")
    const { exit, stderr } = await runParley(["credits", "balance", ANN], folder.path, { LOG_LEVEL: "info" })
    expect(exit).toBe(3)
    expect(stderr).toContain("PORT")
    expect(stderr).not.toContain("LOG_LEVEL")
  })

  it("say that the database does not answer, and end with 69", async () => {
    using folder = temporaryFolder()
    const environment = { DATABASE_URL: "postgres://hunter2:hunter2@127.0.0.1:9/none" }
    for (const argv of [["credits", "balance", ANN], ["migrate"], ["doctor"], ["serve"]]) {
      const { exit, stderr, stdout } = await runHere(argv, folder.path, environment)
      expect([argv, exit]).toEqual([argv, 69])
      expect(stdout + stderr).toContain("DATABASE_URL")
      expect(stdout + stderr).not.toContain("hunter2")
    }
  })

  it("list every problem of the configuration in doctor, as data, and exit with 3", async () => {
    using folder = temporaryFolder()
    const { exit, stdout } = await runHere(["doctor", "--json"], folder.path, { PORT: "x", LOG_LEVEL: "y" })
    expect(exit).toBe(3)
    const { checks, ok } = json(stdout) as { ok: boolean; checks: ReadonlyArray<{ status: string; detail: string }> }
    expect(ok).toBe(false)
    const failed = checks.filter(({ status }) => status === "failed").map(({ detail }) => detail.split(":")[0])
    expect(failed).toEqual(["PORT", "LOG_LEVEL"])
  })
})

describe("the command line", () => {
  it("ends with 2 and a sentence on stderr where it is not understood", async () => {
    using folder = temporaryFolder()
    const wrong = [
      ["nonsense"],
      ["credits", "balance"],
      ["credits", "balance", ""],
      ["credits", "grant", ANN, "0"],
      ["credits", "grant", ANN, "1.5"],
      ["credits", "history", ANN, "--limit", "201"],
      ["serve", "--nonsense"]
    ]
    const all = await Promise.all(wrong.map((argv) => runHere(argv, folder.path)))
    expect(all.map(({ exit }) => exit)).toEqual(wrong.map(() => 2))
    expect(all.map(({ stdout }) => stdout).join("")).toBe("")
    for (const { stderr } of all) expect(stderr).toContain("--help")
  })

  it("runs from a checkout under its own name, without a build", async () => {
    using folder = temporaryFolder()
    const bin = fileURLToPath(new URL("../bin/parley.js", import.meta.url))
    const run = (...argv: ReadonlyArray<string>) =>
      promisify(execFile)(process.execPath, [bin, ...argv], { cwd: folder.path }).catch((error: object) => error)
    expect(await run("--version")).toMatchObject({ stdout: `parley v${manifest.version}\n`, stderr: "" })
    expect(await run("nonsense")).toMatchObject({ code: 2, stdout: "" })
  })

  it("has help with examples for every command, and prints its version", async () => {
    using folder = temporaryFolder()
    const commands = [
      [],
      ["serve"],
      ["work"],
      ["migrate"],
      ["doctor"],
      ["credits"],
      ["credits", "balance"],
      ["credits", "history"],
      ["credits", "grant"],
      ["users"],
      ["users", "delete"],
      ["users", "export"]
    ]
    const all = await Promise.all(commands.map((command) => runHere([...command, "--help"], folder.path)))
    for (const { exit, stderr, stdout } of all) {
      expect([exit, stderr]).toEqual([0, ""])
      expect(stdout).toContain("EXAMPLES")
    }
    expect(await runHere(["--version"], folder.path)).toMatchObject({
      exit: 0,
      stdout: `parley v${manifest.version}\n`
    })
  })
})

describe("the SQL of the schema", () => {
  it("is printed for applying it by other means, and for removing it, on a machine without a database", async () => {
    using folder = temporaryFolder()
    const all = await runHere(["migrate", "--print"], folder.path)
    expect([all.exit, all.stderr]).toEqual([0, ""])
    expect(all.stdout).toMatch(/^CREATE SCHEMA "parley";[^]*CREATE TABLE "parley"\.credit_accounts[^]*"parley_boss"/)
    const later = await runHere(["migrate", "--print", "--after", "0001_roles"], folder.path)
    expect(later.stdout).toMatch(/^-- 0002_/)
    const unknown = await runHere(["migrate", "--print", "--after", "0000_none"], folder.path)
    expect([unknown.exit, unknown.stdout]).toEqual([1, ""])
    expect(unknown.stderr).toContain("There is no migration")
    const gone = await runHere(["uninstall", "--print"], folder.path)
    expect(gone.exit).toBe(0)
    expect(gone.stdout).toContain('DROP SCHEMA IF EXISTS "parley" CASCADE')
  })
})
