import { join } from "node:path"
import { openDatabase } from "@parley/adapters-db"
import { jobHandler, jobKind } from "@parley/core/adapter"
import { Effect, Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stateText } from "../src/commands/jobs/jobsList.ts"
import { paceOf, spokenTime } from "../src/running/ProgressOutput.ts"
import { connectToOwner, sendCommand } from "../src/dataFolder/commandClient.ts"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { serveHere, type ServerHere } from "./processes/serveHere.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""
const ANN = "ann@example.com"
const NOBODYS = "00000000-0000-4000-8000-000000000000"

interface Row {
  readonly id: string
  readonly owner: string
  readonly state: string
}
interface Page {
  readonly jobs: ReadonlyArray<Row>
  readonly next: string | null
}

it("a job that runs says its stage, and of how many chunks how many are indexed", () => {
  const text = (stage: string, done: number, of: number) =>
    stateText({ state: "running", progress: { stage, done, of } })
  expect(text("parsing", 0, 1)).toBe("running: parsing")
  expect(text("indexing", 240, 900)).toBe("running: indexing, chunk 240 of 900")
  expect(text("counting", 1, 3)).toBe("running: counting 1 of 3")
  expect(stateText({ state: "waiting", progress: undefined })).toBe("waiting")
})

it("a progress bar shows its rate and the remaining time when they are reliable", () => {
  expect(paceOf(10, 100, 1_000)).toBe("")
  expect(paceOf(0, 100, 10_000)).toBe("")
  expect(paceOf(300, 1_000, 10_000)).toBe(", 30/s, 24 s left")
  expect(paceOf(5, 100, 10_000)).toBe(", 0.5/s, 3 min 10 s left")
  expect(spokenTime(7_500)).toBe("2 h 5 min")
})

describe("jobs beside a running server", () => {
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
  const parley = async (...argv: ReadonlyArray<string>) => {
    const { exit, stdout, stderr } = await runHere(["jobs", ...argv], folder.path)
    return { exit, stdout, stderr }
  }
  const page = async (...argv: ReadonlyArray<string>) => {
    const { exit, stdout } = await parley("list", ...argv, "--json")
    expect(exit).toBe(0)
    return JSON.parse(stdout) as Page
  }

  it("lists what was uploaded as a job of its owner, until it is done, and in pages", async () => {
    expect(await page()).toEqual({ jobs: [], next: null })
    const documents: Array<string> = []
    for (const name of ["one.txt", "two.txt"]) {
      const answer = await ann.upload(name, new TextEncoder().encode(`Storks nest on chimneys: ${name}`))
      documents.push(((await answer.json()) as { documentId: string }).documentId)
    }
    let done = await page("--user", ANN, "--state", "done")
    while (done.jobs.length < documents.length) done = await page("--user", ANN, "--state", "done")
    expect(done.jobs).toEqual(
      documents.toReversed().map((documentId) =>
        expect.objectContaining({
          kind: "ProcessDocument",
          owner: ANN,
          payload: { documentId },
          state: "done",
          tries: 1,
          triesMax: 3,
          progress: null,
          dueAt: null,
          endedAt: expect.stringMatching(/^\d{4}-/)
        })
      )
    )
    const first = await page("--limit", "1")
    const second = await page("--limit", "1", "--after", first.next ?? "")
    expect([...first.jobs, ...second.jobs]).toEqual(done.jobs)
    expect(second.next).toBe(null)
    expect(await page("--kind", "Nothing")).toEqual({ jobs: [], next: null })
    expect(await page("--user", "bob@example.com")).toEqual({ jobs: [], next: null })
    const people = await parley("list", "--limit", "1")
    expect(people.stdout).toMatch(/id\s+kind\s+owner\s+state/)
    expect(people.stdout).toContain(`There are more: --after ${first.next}`)
  })

  it("are re-indexed by a command that the server runs, with what is searched in place, and with a bar for who looks at it", async () => {
    const { documents } = await ann.getJson<{ documents: ReadonlyArray<unknown> }>("/api/documents")
    const done = await runHere(["reindex", "--user", ANN, "--json"], folder.path)
    expect([done.exit, JSON.parse(done.stdout)]).toMatchObject([0, { done: 2, passages: 2, left: 0, undone: [] }])
    expect(await ann.getJson("/api/documents")).toEqual({ documents })
    const connection = await connectToOwner(join(folder.path, ".parley"))
    if (connection === undefined) throw new Error("The server is gone.")
    let drawn = ""
    const output = { stdout: () => undefined, stderr: (text: string) => void (drawn += text) }
    const command = { argv: ["reindex"], onTerminal: true }
    expect(await sendCommand(connection, command, output, new AbortController().signal)).toEqual({
      _tag: "Ran",
      exit: 0
    })
    expect(drawn).toMatch(/100 % \(2 of 2 passages/)
  })

  it("retries no completed, foreign or unknown job, and exits with 5 and 4", async () => {
    const [job] = (await page("--user", ANN)).jobs
    for (const flags of [[], ["--dry-run"]]) {
      const done = await parley("retry", ANN, job!.id, ...flags)
      expect([done.exit, done.stdout]).toEqual([5, ""])
      expect(done.stderr).toContain("it is done")
      const foreign = await parley("retry", "bob@example.com", job!.id, ...flags)
      expect([foreign.exit, foreign.stdout]).toEqual([4, ""])
      const unknown = await parley("retry", ANN, NOBODYS, ...flags)
      expect([unknown.exit, unknown.stderr]).toMatchObject([4, expect.stringContaining(NOBODYS)])
    }
  })
})

describe.skipIf(url === "")("jobs that failed, on a Postgres server", () => {
  const Hopeless = jobKind("Hopeless", {
    payload: Schema.Struct({ name: Schema.String }),
    tries: 2,
    retryDelayMs: { first: 0, longest: 0 },
    timeLimitMs: 60_000,
    twinKey: ({ name }) => name
  })
  const schema = `jobs_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const folder = temporaryFolder()
  const environment = { DATABASE_URL: url, PARLEY_DB_SCHEMA: schema }
  let database: Awaited<ReturnType<typeof openDatabase>>
  beforeAll(async () => {
    database = await openDatabase({ url, schema, jobs: { pollingIntervalSeconds: 0.5 } })
  })
  afterAll(async () => {
    await database.close()
    folder[Symbol.dispose]()
    const { DatabaseOwner, PgDatabaseLayer } = await import("@parley/adapters-db")
    await Effect.runPromise(
      Effect.provide(
        DatabaseOwner.use((owner) =>
          owner.asOwner((sql) =>
            sql.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`)
          )
        ),
        PgDatabaseLayer({ url, schema })
      )
    )
  })

  it("are retried by a command, once, and tried as often as new ones", async () => {
    const parley = (...argv: ReadonlyArray<string>) => runHere(["jobs", ...argv, "--json"], folder.path, environment)
    const { jobs } = database
    const tried: Array<readonly [number, boolean]> = []
    const work = Effect.gen(function* () {
      yield* jobs.work([
        jobHandler(Hopeless, ({ number, retried }) =>
          Effect.andThen(
            Effect.sync(() => tried.push([number, retried])),
            Effect.fail(new Error("no"))
          )
        )
      ])
      yield* jobs.enqueue("ann", Hopeless, { name: "a" })
      while ((yield* jobs.list("ann", { state: "failed", limit: 1 })).jobs.length === 0)
        yield* Effect.sleep("20 millis")
    })
    await Effect.runPromise(Effect.scoped(work))
    const [failed] = (JSON.parse((await parley("list", "--state", "failed")).stdout) as Page).jobs
    expect(failed).toMatchObject({ kind: "Hopeless", owner: "ann", state: "failed", tries: 2, triesMax: 2 })
    const dry = await parley("retry", "ann", failed!.id, "--dry-run")
    expect([dry.exit, JSON.parse(dry.stdout)]).toMatchObject([0, { dryRun: true, job: { state: "failed" } }])
    const retried = await parley("retry", "ann", failed!.id)
    expect([retried.exit, JSON.parse(retried.stdout)]).toMatchObject([
      0,
      { dryRun: false, job: { id: failed!.id, state: "waiting", tries: 0, triesMax: 2 } }
    ])
    expect((await parley("retry", "ann", failed!.id)).exit).toBe(5)
    const again = Effect.gen(function* () {
      yield* jobs.work([
        jobHandler(Hopeless, ({ number, retried }) => Effect.sync(() => void tried.push([number, retried])))
      ])
      while ((yield* jobs.find("ann", failed!.id))?.state !== "done") yield* Effect.sleep("20 millis")
    })
    await Effect.runPromise(Effect.scoped(again))
    expect(tried).toEqual([
      [1, false],
      [2, false],
      [1, true]
    ])
  })
})
