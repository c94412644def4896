import { DatabaseOwner, openDatabase, PgDatabaseLayer } from "@parley/adapters-db"
import { createParley, ModelUnavailable } from "@parley/core"
import { ChatModels, DocumentParser, DocumentUnreadable } from "@parley/core/adapter"
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { eventually, ParleyProcess, runParley, temporaryFolder } from "./processes/ParleyProcess.ts"
import { runHere } from "./processes/runHere.ts"
import { type RunningServer, startServer, Visitor } from "./processes/RunningServer.ts"

const url = process.env["TEST_DATABASE_URL"] ?? ""
/** Neither is asked in this process. */
const models = ChatModels.of({ resolve: ({ id }) => Effect.fail(new ModelUnavailable({ model: id })) })
const parser = DocumentParser.of({ parse: () => Effect.fail(new DocumentUnreadable({ reason: "None here." })) })
const ANN = "ann@example.com"

describe("on the embedded database, which one process has", () => {
  it.each([[["work"]], [["serve", "--no-work"]]])("parley %j is refused with 3 and says what to do", async (argv) => {
    using folder = temporaryFolder()
    const { exit, stderr, stdout } = await runHere(argv, folder.path, { PORT: "0" })
    expect([exit, stdout]).toEqual([3, ""])
    expect(stderr).toMatch(/DATABASE_URL: .*one process at a time.*Postgres/)
    expect(stderr).toContain("parley serve")
  })
})

describe.skipIf(url === "")("on a Postgres server", () => {
  const schemas: Array<string> = []

  /** A database of its own, and how to run processes on it. */
  const place = () => {
    const schema = `work_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
    schemas.push(schema)
    const folder = temporaryFolder()
    const environment = { DATABASE_URL: url, PARLEY_DB_SCHEMA: schema, PARLEY_HOLD_TTL: "2" }
    return {
      [Symbol.dispose]: () => folder[Symbol.dispose](),
      serve: () => startServer(folder.path, environment, ["--no-work"]),
      work: async () => {
        const worker = new ParleyProcess(["work"], folder.path, environment)
        const working = () => worker.stdout.includes("works") || undefined
        const ended = worker.ended.then(({ stderr }) => Promise.reject(new Error(`The worker ended: ${stderr}`)))
        ended.catch(() => undefined)
        await Promise.race([eventually("the worker to work", working), ended])
        return worker
      },
      doctor: () => runParley(["doctor"], folder.path, environment),
      /** Parley in this process, which does none of the work. */
      open: async () => {
        const database = await openDatabase({ url, schema, migrate: false })
        const parley = await createParley({ ...database, models, parser, work: false })
        const close = async () => {
          await parley.close()
          await database.close()
        }
        return { parley, [Symbol.asyncDispose]: close }
      }
    }
  }

  afterEach(async () => {
    for (const schema of schemas.splice(0)) {
      const drop = DatabaseOwner.use(({ asOwner }) =>
        asOwner((sql) =>
          sql.script(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_boss CASCADE`)
        )
      )
      await Effect.runPromise(Effect.provide(drop, PgDatabaseLayer({ url, schema })))
    }
  })

  const visitorOf = async ({ url }: RunningServer) => {
    const visitor = new Visitor(url)
    await visitor.signIn(ANN)
    return visitor
  }

  const upload = async (visitor: Visitor, text: string) => {
    const answer = await visitor.upload("sky.txt", new TextEncoder().encode(text))
    return ((await answer.json()) as { readonly documentId: string }).documentId
  }

  const statusOf = async (visitor: Visitor, id: string) =>
    (await visitor.getJson<{ readonly status: string }>(`/api/documents/${id}`)).status

  const allReady = async (visitor: Visitor, ids: ReadonlyArray<string>) => {
    const statuses = await Promise.all(ids.map((id) => statusOf(visitor, id)))
    return statuses.every((status) => status === "ready") || undefined
  }

  it("serve --no-work leaves documents to parley work, which reads them and ends with 0 when it is told to", async () => {
    using on = place()
    await using server = await on.serve()
    expect(server.process.stdout).toMatch(/^ {2}work +not here.*parley work/m)
    const ann = await visitorOf(server)
    const id = await upload(ann, "The sky over Basel is blue today.")
    // A server that works would have read this long before another process has started and ended.
    expect((await on.doctor()).exit).toBe(0)
    expect(await statusOf(ann, id)).toBe("processing")
    await using worker = await on.work()
    expect(worker.stderr).toMatch(/^Parley is starting\./)
    expect(worker.stdout).toMatch(/works: jobs, requeue, files, holds, replies, callLimits, resets/)
    await eventually("the document to be ready", () => allReady(ann, [id]))
    worker.child.kill("SIGTERM")
    expect(await worker.ended).toMatchObject({ exit: 0, signal: null })
  })

  it("several workers share the documents, and go on with those of one that was killed", async () => {
    using on = place()
    await using server = await on.serve()
    const ann = await visitorOf(server)
    const [first, second] = await Promise.all([on.work(), on.work()])
    await using _first = first
    await using _second = second
    const ids = await Promise.all(Array.from({ length: 4 }, (_, number) => upload(ann, `Text ${number}.`)))
    first.child.kill("SIGKILL")
    await eventually("all documents to be ready", () => allReady(ann, ids))
  })

  it("parley work ends the hold of a reply whose server died", async () => {
    using on = place()
    await using server = await on.serve()
    const ann = await visitorOf(server)
    const message = "!offline slow 400 !offline tokens 90"
    const reply = await ann.post("/api/chat", { messages: [{ role: "user", content: message }] })
    expect(reply.status).toBe(200)
    server.process.child.kill("SIGKILL")
    await server.process.ended
    await using here = await on.open()
    const { credits } = here.parley
    expect((await credits.balance(ANN)).held).toBeGreaterThan(0)
    await using worker = await on.work()
    await eventually("the hold to be ended", async () => (await credits.balance(ANN)).held === 0 || undefined)
    expect(worker.child.exitCode).toBeNull()
  })
})
