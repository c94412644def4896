/** People of two cells, through a server and a worker of their own processes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { administer } from "../../../adapters-db/test/administer.ts"
import { eventually, ParleyProcess, temporaryFolder } from "../processes/ParleyProcess.ts"
import { runHere } from "../processes/runHere.ts"
import { type RunningServer, startServer, Visitor } from "../processes/RunningServer.ts"
import { CellDatabases, closeDatabase, peopleOf } from "./cellDatabases.ts"

const hasPostgres = (process.env["TEST_DATABASE_URL"] ?? "") !== ""
const [ANN = "", BOB = ""] = [...peopleOf("lower", 1), ...peopleOf("upper", 1)]

interface Readiness {
  readonly checks: ReadonlyArray<{ readonly name: string; readonly status: string; readonly detail: string }>
}
interface Documents {
  readonly documents: ReadonlyArray<{ readonly id: string; readonly status: string }>
}

const metricsPort = ({ stderr }: ParleyProcess): string | undefined =>
  /Metrics are served at \/metrics\.\s+port: (\d+)/.exec(stderr)?.[1]

describe.runIf(hasPostgres)("people of two cells", () => {
  const folder = temporaryFolder()
  let databases: CellDatabases
  let environment: Record<string, string>
  let server: RunningServer
  let worker: ParleyProcess
  let ann: Visitor
  let bob: Visitor

  const readDocument = async (person: Visitor, text: string) => {
    const answer = await person.upload("birds.txt", new TextEncoder().encode(text))
    const { documentId } = (await answer.json()) as { readonly documentId: string }
    await eventually("the document", async () => {
      const { documents } = await person.getJson<Documents>("/api/documents")
      return documents.find(({ id, status }) => id === documentId && status === "ready")
    })
    return documentId
  }
  const ask = async (person: Visitor, documentId: string) => {
    const messages = [{ role: "user", content: "When do storks fly south?" }]
    return await (await person.post("/api/chat", { messages, documentIds: [documentId] })).text()
  }
  const readiness = async () => {
    const answer = await fetch(`${server.url}/readyz`)
    const { checks } = (await answer.json()) as Readiness
    return { status: answer.status, cells: checks.find(({ name }) => name === "cells") }
  }

  beforeAll(async () => {
    databases = await CellDatabases.make(2)
    const [first = "", second = ""] = databases.urls
    environment = {
      DATABASE_URL: first,
      PARLEY_CELLS: JSON.stringify({ "eu-1": first, "eu-2": second }),
      PARLEY_METRICS_PORT: "0"
    }
    for (const command of [["migrate"], ["cells", "assign", "eu-2", "--buckets", "2048-4095"]])
      expect(await runHere(command, folder.path, environment)).toMatchObject({ exit: 0 })
    worker = new ParleyProcess(["work"], folder.path, environment)
    server = await startServer(folder.path, environment, ["--no-work"])
    ;[ann, bob] = [new Visitor(server.url), new Visitor(server.url)]
    await Promise.all([ann.signIn(ANN), bob.signIn(BOB)])
  })
  afterAll(async () => {
    await Promise.all([server[Symbol.asyncDispose](), worker[Symbol.asyncDispose]()])
    await databases[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it("one server and one worker serve both, and each person's rows are in one cell", async () => {
    for (const [person, month] of [[ann, "August"] as const, [bob, "October"] as const]) {
      const documentId = await readDocument(person, `Storks fly south in ${month}.`)
      expect(await ask(person, documentId)).toContain(month)
      expect((await person.getJson<{ readonly available: number }>("/api/billing/balance")).available).toBeLessThan(100)
    }
    const { stdout } = await runHere(["usage", "storage", "--json"], folder.path, environment)
    const usage = JSON.parse(stdout) as {
      readonly databases: ReadonlyArray<{ readonly people: ReadonlyArray<{ readonly userId: string }> }>
    }
    expect(usage.databases.map(({ people }) => people.map(({ userId }) => userId))).toEqual([[ANN], [BOB]])
    expect(await readiness()).toMatchObject({ status: 200, cells: { status: "ok" } })
  })

  it("metrics name the cells", async () => {
    const port = await eventually("the port of the metrics", () => metricsPort(server.process))
    const text = await eventually("a sample of the cells", async () => {
      const scraped = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return /parley_cell_buckets\{[^}]*eu-2/.test(scraped) ? scraped : undefined
    })
    const valueOf = (name: string, cell: string) =>
      new RegExp(`^${name}\\{[^}]*parley_cell="${cell}"[^}]*\\} (\\S+)`, "m").exec(text)?.[1]
    expect(valueOf("parley_cell_buckets", "eu-2")).toBe("2048")
    expect(valueOf("parley_cell_absent", "eu-1")).toBe("0")
    for (const cell of ["eu-1", "eu-2"]) {
      expect(Number(valueOf("db_client_connection_count", cell))).toBeGreaterThanOrEqual(0)
      expect(Number(valueOf("db_client_operation_duration_seconds_count", cell))).toBeGreaterThan(0)
    }
  })

  it("a move whose process was killed is ended by the worker, and the person writes again", async () => {
    const database = new URL(databases.urls[0] ?? "").pathname.slice(1)
    await administer(
      `INSERT INTO parley.moved_owners (person, state, cell, version, at)
       VALUES ('${ANN}', 'moving', 'eu-2', 0, now() - interval '1 hour')`,
      database
    )
    await eventually("the end of the move", async () => {
      const { stdout } = await runHere(["cells", "verify", "--json"], folder.path, environment)
      return /"state": ?"moving"/.test(stdout) ? undefined : stdout
    })
    expect(await ask(ann, await readDocument(ann, "Storks fly south in August."))).toContain("August")
  })

  it("a cell that is away concerns its people alone, and is served again when it is back", async () => {
    const open = await closeDatabase(databases.urls[1] ?? "")
    try {
      const refused = await bob.get("/api/billing/balance")
      expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([503, expect.any(Number)])
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/)
      expect(await refused.json()).toMatchObject({ code: "cell_unavailable" })
      expect((await ann.get("/api/billing/balance")).status).toBe(200)
      expect(await ask(ann, await readDocument(ann, "Storks fly south in August."))).toContain("August")
      await eventually("the readiness", async () => {
        const found = await readiness()
        expect(found.status).toBe(200)
        return found.cells?.status === "failed" && found.cells.detail.includes("eu-2") ? found : undefined
      })
      for (const command of [
        ["credits", "sweep"],
        ["credits", "reset"]
      ])
        expect(await runHere(command, folder.path, environment)).toMatchObject({ exit: 0 })
    } finally {
      await open()
    }
    await eventually("the cell", async () =>
      (await bob.get("/api/billing/balance")).status === 200 ? true : undefined
    )
    expect(await ask(bob, await readDocument(bob, "Storks fly south in October."))).toContain("October")
    expect(await runHere(["credits", "verify"], folder.path, environment)).toMatchObject({ exit: 0 })
    expect(await runHere(["cells", "verify"], folder.path, environment)).toMatchObject({ exit: 0 })
  })
})
