/** Servers and commands beside a copy of a cell, which PARLEY_CELLS names before the directory has it. */
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bucketOf } from "../../../adapters-db/src/cells/directory/bucketOf.ts"
import { copyOf, divide, rowsIn } from "../../../adapters-db/test/cells/copiedCells.ts"
import { eventually, ParleyProcess, temporaryFolder } from "../processes/ParleyProcess.ts"
import { runHere } from "../processes/runHere.ts"
import { Visitor } from "../processes/RunningServer.ts"
import { type ServerHere, serveHere } from "../processes/serveHere.ts"
import { CellDatabases, peopleOf } from "./cellDatabases.ts"

const hasPostgres = (process.env["TEST_DATABASE_URL"] ?? "") !== ""
const [ANN = "", EVE = "", BOB = ""] = [...peopleOf("lower", 2), ...peopleOf("upper", 1)]
const COPY = /cell eu-2 takes no part yet: its database is a copy of eu-1 that has not been split yet/

interface Documents {
  readonly documents: ReadonlyArray<{ readonly id: string; readonly status: string }>
}

describe.runIf(hasPostgres)("beside a copy of a cell", { timeout: 180_000 }, () => {
  const folder = temporaryFolder()
  const scope = Effect.runSync(Scope.make())
  let databases: CellDatabases
  let urls: { readonly first: string; readonly copy: string }
  let environment: Record<string, string>

  const parley = (...argv: ReadonlyArray<string>) => runHere(argv, folder.path, environment)
  const json = async (...argv: ReadonlyArray<string>) => {
    const { exit, stderr, stdout } = await parley(...argv, "--json")
    expect([exit, stderr]).toEqual([0, ""])
    return JSON.parse(stdout) as unknown
  }
  const visit = async ({ url }: Pick<ServerHere, "url">, email: string) => {
    const person = new Visitor(url)
    await person.signIn(email)
    expect((await person.get("/api/billing/balance")).status).toBe(200)
    return person
  }
  const readiness = async ({ url }: ServerHere) => {
    const answer = await fetch(`${url}/readyz`)
    const { checks } = (await answer.json()) as { readonly checks: ReadonlyArray<{ name: string; detail: string }> }
    return [answer.status, checks.find(({ name }) => name === "cells")?.detail]
  }
  const upload = async (person: Visitor) => {
    const answer = await person.upload("birds.txt", new TextEncoder().encode("Storks fly south."))
    return ((await answer.json()) as { readonly documentId: string }).documentId
  }
  const statusOf = async (person: Visitor, documentId: string) => {
    const { documents } = await person.getJson<Documents>("/api/documents")
    return documents.find(({ id }) => id === documentId)?.status
  }

  beforeAll(async () => {
    databases = await CellDatabases.make(2)
    const [first = ""] = databases.urls
    environment = { DATABASE_URL: first, PARLEY_CELLS: JSON.stringify({ "eu-1": first }) }
    await using server = await serveHere(folder.path, environment, ["--no-work"])
    const [ann] = [await visit(server, ANN), await visit(server, BOB)]
    await upload(ann)
    await server.stop()
    urls = { first, copy: await Effect.runPromise(Effect.provideService(copyOf(first), Scope.Scope, scope)) }
    environment = { ...environment, PARLEY_CELLS: JSON.stringify({ "eu-1": first, "eu-2": urls.copy }) }
  })
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await databases[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it("commands work on the cells of the directory, name the copy, and do not add it", async () => {
    const migrated = await parley("migrate", "--json")
    expect(migrated).toMatchObject({ exit: 0, stderr: expect.stringMatching(COPY) })
    expect(JSON.parse(migrated.stdout)).toMatchObject({ databases: [{ database: "eu-1" }] })
    expect(await parley("migrate", "--check")).toMatchObject({ exit: 0, stderr: expect.stringMatching(COPY) })
    expect(await json("cells", "list")).toMatchObject({
      cells: [
        { name: "eu-1", state: "open", database: "ready" },
        { name: "eu-2", state: "unknown", database: "copy" }
      ]
    })
    expect(await parley("cells", "add", "eu-2")).toMatchObject({
      exit: 5,
      stderr: expect.stringMatching(/names the database of the cell eu-1/)
    })
    expect(await json("users", "list")).toMatchObject({ users: [{ user: ANN }, { user: BOB }] })
    expect(await json("usage", "storage")).toMatchObject({ databases: [{ database: "eu-1" }] })
    expect(await parley("credits", "verify")).toMatchObject({ exit: 0 })
    expect(await json("cells", "verify")).toMatchObject({ ok: true, owners: 2 })
    const { stdout } = await parley("doctor")
    expect(stdout).toMatch(/eu-2 takes no part: its database is a copy/)
    expect(stdout).not.toMatch(/database eu-2/)
    expect(await rowsIn(urls.copy, "SELECT name FROM parley.this_cell")).toEqual([{ name: "eu-1" }])
  })

  it("servers and workers start, and serve the people of the copy there as soon as it is a cell", async () => {
    await using server = await serveHere(folder.path, { ...environment, PARLEY_METRICS_PORT: "0" }, ["--no-work"])
    await using worker = new ParleyProcess(["work"], folder.path, environment)
    expect(server.said.stderr.match(new RegExp(COPY, "g"))).toHaveLength(1)
    expect(server.said.stderr).not.toMatch(/is not in the directory/)
    expect(await readiness(server)).toEqual([200, "all of 1 answer"])
    const [ann, bob] = [await visit(server, ANN), await visit(server, BOB)]
    const done = await upload(ann)
    await eventually("the document", async () => ((await statusOf(ann, done)) === "ready" ? true : undefined))
    expect(worker.stderr).toMatch(COPY)
    // The copy has the job of Ann's first document.
    expect(await rowsIn(urls.copy, "SELECT state::text FROM parley_boss.job")).toEqual([{ state: "created" }])
    const port = /Metrics are served at \/metrics\.\s+port: (\d+)/.exec(server.said.stderr)?.[1]
    const scrape = async (cell: string) => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      return new RegExp(`^parley_cell_absent\\{[^}]*parley_cell="${cell}"[^}]*\\} (\\S+)`, "m").exec(text)?.[1]
    }
    await eventually("a sample of the cells", () => scrape("eu-1"))
    expect(await scrape("eu-2")).toBeUndefined()

    await divide({ ...urls, names: ["eu-1", "eu-2"], people: [ANN, BOB] })
    await eventually("readiness", async () => ((await readiness(server))[1] === "all of 2 answer" ? true : undefined))
    const later = await upload(bob)
    await eventually("the document", async () => ((await statusOf(bob, later)) === "ready" ? true : undefined))
    const written = `SELECT user_id FROM parley.documents WHERE id = '${later}'`
    expect(await rowsIn(urls.copy, written)).toEqual([{ user_id: BOB }])
    expect(await rowsIn(urls.first, written)).toEqual([])
    await eventually("a sample of the cell", () => scrape("eu-2"))
    expect(`${server.said.stderr}${worker.stderr}`).not.toMatch(/ERROR|could not|did not take part|does not answer/)
    expect(await json("users", "list")).toMatchObject({ users: [{ user: ANN }, { user: BOB }] })
    expect(await parley("credits", "verify")).toMatchObject({ exit: 0 })
    expect(await json("cells", "verify")).toMatchObject({ ok: true, owners: 2 })
  })

  it("a running server uses an empty cell as soon as it was added", async () => {
    const [first = "", third = ""] = databases.urls
    environment = { ...environment, PARLEY_CELLS: JSON.stringify({ "eu-1": first, "eu-2": urls.copy, "eu-3": third }) }
    await using server = await serveHere(folder.path, environment)
    expect(server.said.stderr).toMatch(/A cell of PARLEY_CELLS is not in the directory\.[^]*cell: eu-3/)
    expect(await readiness(server)).toEqual([200, "all of 2 answer"])
    expect(await json("cells", "add", "eu-3")).toMatchObject({ changed: true })
    expect(await json("cells", "assign", "eu-3", "--buckets", String(bucketOf(EVE)))).toMatchObject({ buckets: 1 })
    await eventually("readiness", async () => ((await readiness(server))[1] === "all of 3 answer" ? true : undefined))
    const eve = await visit(server, EVE)
    const documentId = await upload(eve)
    await eventually("the document", async () => ((await statusOf(eve, documentId)) === "ready" ? true : undefined))
    expect(await rowsIn(third, "SELECT user_id FROM parley.documents")).toEqual([{ user_id: EVE }])
    expect(await json("cells", "verify")).toMatchObject({ ok: true, owners: 3 })
  })

  it("a cell of the directory is refused if its connection string names another one", async () => {
    const [first = ""] = databases.urls
    const cells = { "eu-1": first, "eu-2": `${first}?application_name=x`, "eu-3": databases.urls[1] }
    environment = { ...environment, PARLEY_CELLS: JSON.stringify(cells) }
    const refusal = expect.stringMatching(/eu-2 names the database of the cell eu-1/)
    for (const command of [["credits", "balance", ANN], ["migrate"], ["work"]])
      expect(await parley(...command), command.join(" ")).toMatchObject({ exit: 5, stderr: refusal })
    expect(await parley("doctor")).toMatchObject({ exit: 69, stdout: refusal })
  })
})
