import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseOwner, PgDatabaseLayer } from "@parley/adapters-db"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freshPostgres } from "../../adapters-db/test/databases.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { type RunningServer, startServer, Visitor } from "./processes/RunningServer.ts"
import { serveHere, type ServerHere } from "./processes/serveHere.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""

describe.skipIf(url === "")("on a Postgres server", () => {
  const schema = `cli_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const folder = temporaryFolder()
  const environment = { DATABASE_URL: url, PARLEY_DB_SCHEMA: schema }
  const parley = async (argv: ReadonlyArray<string>) => {
    const { exit, stdout } = await runHere([...argv, "--json"], folder.path, environment)
    return { exit, data: stdout === "" ? undefined : (JSON.parse(stdout) as Record<string, unknown>) }
  }

  afterAll(async () => {
    folder[Symbol.dispose]()
    const drop = DatabaseOwner.use(({ asOwner }) =>
      asOwner((sql) =>
        sql.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`)
      )
    )
    await Effect.runPromise(Effect.provide(drop, PgDatabaseLayer({ url, schema })))
  })

  it("the first start has a line before the tables are made, and one after", async () => {
    const started = Effect.gen(function* () {
      const fresh = yield* freshPostgres
      const server = yield* Effect.promise(() => serveHere(folder.path, { DATABASE_URL: fresh }, ["--no-work"]))
      yield* Effect.promise(() => server.stop())
      return server.said.stderr
    })
    const said = await Effect.runPromise(Effect.scoped(started))
    expect(said).toMatch(/Bringing the database up to date: \d+ migrations\.[^]*Brought the database up to date: 0001_/)
  })

  it("commands say what is missing, then bring the schema up to date, once", async () => {
    const dry = await parley(["migrate", "--dry-run"])
    expect(dry).toMatchObject({ exit: 0, data: { applied: [] } })
    expect(await parley(["credits", "balance", "ann"])).toEqual({ exit: 1, data: undefined })
    expect((await parley(["doctor"])).exit).toBe(1)
    expect(await parley(["migrate", "--check"])).toMatchObject({ exit: 1, data: { pending: dry.data?.["pending"] } })
    expect(await parley(["migrate"])).toMatchObject({ exit: 0, data: { applied: dry.data?.["pending"], pending: [] } })
    expect(await parley(["migrate"])).toMatchObject({ exit: 0, data: { applied: [] } })
    expect(await parley(["migrate", "--check"])).toMatchObject({ exit: 0, data: { pending: [] } })
    expect((await parley(["doctor"])).exit).toBe(0)
  })

  describe("two servers", () => {
    let first: RunningServer
    let second: ServerHere
    beforeAll(async () => {
      ;[first, second] = await Promise.all([
        startServer(folder.path, environment, ["--no-work"]),
        serveHere(folder.path, environment, ["--no-work"])
      ])
    })
    afterAll(async () => {
      await Promise.all([first[Symbol.asyncDispose](), second[Symbol.asyncDispose]()])
    })

    it("and a command work side by side", async () => {
      expect(first.process.stdout).toContain(`schema ${schema}`)
      const ann = new Visitor(first.url)
      await ann.signIn("ann@example.com")
      expect(await parley(["credits", "grant", "ann@example.com", "5"])).toMatchObject({
        exit: 0,
        data: { available: 105 }
      })
      const elsewhere = new Visitor(second.url)
      await elsewhere.signIn("ann@example.com")
      expect(await elsewhere.getJson("/api/billing/balance")).toMatchObject({ available: 105 })
    })

    it("cannot exceed a tier's quota of documents together, by uploads at once", async () => {
      const visitors = [new Visitor(first.url), new Visitor(second.url)]
      for (const visitor of visitors) await visitor.signIn("eve@example.com")
      const uploads = Array.from({ length: 24 }, (_, index) =>
        visitors[index % 2]!.upload(`${index}.txt`, new TextEncoder().encode("Words."))
      )
      const answers = await Promise.all(uploads)
      const refused = answers.filter(({ status }) => status === 403)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
      expect(refused).toHaveLength(4)
      expect(await refused[0]!.json()).toMatchObject({ code: "document_quota" })
      const { documents } = await visitors[0]!.getJson<{ documents: ReadonlyArray<unknown> }>("/api/documents")
      expect(documents).toHaveLength(20)
    })

    it("exit with 0 when they are stopped", async () => {
      first.process.child.kill("SIGTERM")
      expect(await first.process.ended).toMatchObject({ exit: 0 })
      expect(await second.stop()).toBe(0)
    })
  })

  it("doctor and a reset name the tiers that accounts are on and the catalog has not, and end with 3", async () => {
    const config = join(folder.path, "tiers.json")
    const basic = { monthlyCredits: 50, models: ["model-a-mini"] }
    writeFileSync(config, JSON.stringify({ tiers: { basic }, tierOrder: ["basic"] }))
    const other = { ...environment, PARLEY_CONFIG: config }
    const sentence = 'The catalog has no more the tiers of some accounts: 2 accounts on "free"; it has basic.'
    const doctor = await runHere(["doctor", "--json"], folder.path, other)
    const { checks } = JSON.parse(doctor.stdout) as {
      checks: ReadonlyArray<Record<"name" | "status" | "detail", string>>
    }
    // No worker runs, which is another finding.
    const found = checks.filter(({ name, status }) => status === "failed" && name !== "workers")
    expect([doctor.exit, found]).toMatchObject([3, [{ name: "tiers", detail: expect.stringContaining(sentence) }]])
    const reset = await runHere(["credits", "reset", "--as-of", "2126-01-01T00:00:00Z", "--yes"], folder.path, other)
    expect([reset.exit, reset.stderr]).toEqual([3, expect.stringContaining(sentence)])
    expect(reset.stdout).toContain("2 accounts are still due: they are on tiers that the catalog has not")
    const well = await parley(["doctor"])
    expect([well.exit, JSON.stringify(well.data)]).toEqual([1, expect.stringContaining("free, pro, business")])
    expect(JSON.stringify(well.data)).toContain("no process has done background work yet")
  })
})
