import { DatabaseOwner, openDatabase, PgDatabaseLayer } from "@parley/adapters-db"
import { createParley } from "@parley/core"
import { ModelUnavailable } from "@parley/core/adapter"
import { ChatModels, DocumentParser, DocumentUnreadable } from "@parley/core/adapter"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually, ParleyProcess, runParley, temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { type RunningServer, startServer, Visitor } from "./processes/RunningServer.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""
/** Neither is asked in this process. */
const models = ChatModels.of({ resolve: ({ id }) => Effect.fail(new ModelUnavailable({ model: id })) })
const parser = DocumentParser.of({ parse: () => Effect.fail(new DocumentUnreadable({ reason: "None here." })) })
const ANN = "ann@example.com"

/** The checks of a server that is ready: statuses by name. */
const checksOf = async (server: string): Promise<Record<string, string>> => {
  const response = await fetch(`${server}/readyz`)
  expect(response.status).toBe(200)
  const { checks } = (await response.json()) as { checks: ReadonlyArray<{ name: string; status: string }> }
  return Object.fromEntries(checks.map(({ name, status }) => [name, status]))
}

describe("on the embedded database, which one process has", () => {
  it.each([[["work"]], [["serve", "--no-work"]]])("parley %j is refused with 3 and says what to do", async (argv) => {
    using folder = temporaryFolder()
    const { exit, stderr, stdout } = await runHere(argv, folder.path, { PORT: "0" })
    expect([exit, stdout]).toEqual([3, ""])
    expect(stderr).toMatch(/DATABASE_URL: .*one process at a time.*Postgres/)
    expect(stderr).toContain("parley serve")
  })
})

/**
 * A server that leaves the work to workers, and two workers; each test begins with the state that the previous one
 * left.
 */
describe.skipIf(url === "")("on a Postgres server", () => {
  const schema = `work_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const folder = temporaryFolder()
  const environment = { DATABASE_URL: url, PARLEY_DB_SCHEMA: schema, PARLEY_HOLD_TTL: "2" }
  let server: RunningServer
  let ann: Visitor
  let workers: ReadonlyArray<ParleyProcess> = []
  beforeAll(async () => {
    server = await startServer(folder.path, environment, ["--no-work"])
    ann = new Visitor(server.url)
    await ann.signIn(ANN)
  })
  afterAll(async () => {
    await Promise.all([server, ...workers].map((each) => each[Symbol.asyncDispose]()))
    folder[Symbol.dispose]()
    const drop = DatabaseOwner.use(({ asOwner }) =>
      asOwner((sql) =>
        sql.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`)
      )
    )
    await Effect.runPromise(Effect.provide(drop, PgDatabaseLayer({ url, schema })))
  })

  const startWorkers = (count: number) => {
    workers = Array.from(
      { length: count },
      () => new ParleyProcess(["work"], folder.path, { ...environment, PARLEY_METRICS_PORT: "0" })
    )
    return Promise.all(
      workers.map(async (worker) => {
        const working = () => worker.stdout.includes("works") || undefined
        const ended = worker.ended.then(({ stderr }) => Promise.reject(new Error(`The worker ended: ${stderr}`)))
        ended.catch(() => undefined)
        await Promise.race([eventually("the worker to work", working), ended])
        return worker
      })
    )
  }

  const upload = async (text: string) => {
    const answer = await ann.upload("sky.txt", new TextEncoder().encode(text))
    return ((await answer.json()) as { readonly documentId: string }).documentId
  }

  const statusOf = async (id: string) => (await ann.getJson<{ readonly status: string }>(`/api/documents/${id}`)).status

  const allReady = async (ids: ReadonlyArray<string>) => {
    const statuses = await Promise.all(ids.map(statusOf))
    return statuses.every((status) => status === "ready") || undefined
  }

  /** Credits as this process sees them, which does none of the work. */
  const lookAtCredits = async () => {
    const database = await openDatabase({ url, schema, migrate: false })
    const { close, credits } = await createParley({ ...database, models, parser, work: false })
    const dispose = async () => {
      await close()
      await database.close()
    }
    return { credits, [Symbol.asyncDispose]: dispose }
  }

  it("serve --no-work leaves documents to parley work, which reads them", async () => {
    expect(server.process.stdout).toMatch(/^ {2}work +not here.*parley work/m)
    const id = await upload("The sky over Basel is blue today.")
    // A server that works would have read this long before another process has started and ended.
    const { exit, stdout } = await runParley(["doctor"], folder.path, environment)
    expect([exit, stdout]).toEqual([1, expect.stringMatching(/^FAILED +workers +no process/m)])
    expect(await checksOf(server.url)).toMatchObject({ workers: "failed", jobs: "ok" })
    expect(await statusOf(id)).toBe("processing")
    const [worker] = await startWorkers(2)
    await eventually(
      "the workers to be seen",
      async () => (await checksOf(server.url))["workers"] === "ok" || undefined
    )
    const port = /GET \/healthz on port (\d+)/.exec(worker?.stdout ?? "")?.[1]
    expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).json()).toEqual({ status: "ok" })
    expect(worker?.stderr).toMatch(/^Parley is starting\./)
    expect(worker?.stdout).toMatch(
      /works: jobs, requeue, files, holds, callLimits, paymentEvents, verification, events, resets/
    )
    await eventually("the document to be ready", () => allReady([id]))
  })

  it("several workers share the documents, and go on with those of one that was killed", async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, (_, number) => upload(`Text ${number}.`)))
    workers[0]?.child.kill("SIGKILL")
    await eventually("all documents to be ready", () => allReady(ids))
  })

  it("parley work ends the hold of a reply whose server died, and exits with 0 when it is stopped", async () => {
    const message = "!offline slow 400 !offline tokens 90"
    const reply = await ann.post("/api/chat", { messages: [{ role: "user", content: message }] })
    expect(reply.status).toBe(200)
    await using here = await lookAtCredits()
    expect((await here.credits.balance(ANN)).held).toBeGreaterThan(0)
    server.process.child.kill("SIGKILL")
    await server.process.ended
    await eventually("the hold to be ended", async () => (await here.credits.balance(ANN)).held === 0 || undefined)
    const [, worker] = workers
    worker?.child.kill("SIGTERM")
    expect(await worker?.ended).toMatchObject({ exit: 0, signal: null })
  })
})
