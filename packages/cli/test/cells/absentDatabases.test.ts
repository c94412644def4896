/** Servers over databases that refuse connections for a while. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually, temporaryFolder } from "../processes/ParleyProcess.ts"
import { runHere } from "../processes/runHere.ts"
import { Visitor } from "../processes/RunningServer.ts"
import { serveHere } from "../processes/serveHere.ts"
import { CellDatabases, closeDatabase, peopleOf } from "./cellDatabases.ts"

const hasPostgres = (process.env["TEST_DATABASE_URL"] ?? "") !== ""
const [ANN = "", EVE = ""] = peopleOf("lower", 2)

const question = { messages: [{ role: "user", content: "Hello?" }] }

describe.runIf(hasPostgres)("a server over cells", () => {
  const folder = temporaryFolder()
  let databases: CellDatabases
  beforeAll(async () => {
    databases = await CellDatabases.make(4)
  })
  afterAll(async () => {
    await databases[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it("starts while a cell is away, and brings it up to date when it answers", async () => {
    const [first = "", , third = ""] = databases.urls
    const environment = { DATABASE_URL: first, PARLEY_CELLS: JSON.stringify({ "eu-1": first, "eu-3": third }) }
    const open = await closeDatabase(third)
    await using server = await serveHere(folder.path, environment)
    const detail = async () => {
      const answer = await fetch(`${server.url}/readyz`)
      const { checks } = (await answer.json()) as { readonly checks: ReadonlyArray<{ name: string; detail: string }> }
      return checks.find(({ name }) => name === "cells")?.detail
    }
    expect(server.said.stderr).toMatch(/A cell does not answer\.[^]*cell: eu-3/)
    expect(await detail()).toBe("not ready: eu-3")
    const ann = new Visitor(server.url)
    await ann.signIn(ANN)
    expect((await ann.post("/api/chat", question)).status).toBe(200)
    await open()
    await eventually("the cell", async () => ((await detail())?.startsWith("all") === true ? true : undefined))
    expect(await runHere(["migrate", "--check"], folder.path, environment)).toMatchObject({ exit: 0 })
  })

  it("serves people whose cell it knows while the global database is away", async () => {
    const [, global = "", , fourth = ""] = databases.urls
    const environment = { DATABASE_URL: global, PARLEY_CELLS: JSON.stringify({ "eu-3": fourth }) }
    await using server = await serveHere(folder.path, environment)
    const [ann, eve] = [new Visitor(server.url), new Visitor(server.url)]
    await Promise.all([ann.signIn(ANN), eve.signIn(EVE)])
    expect((await ann.post("/api/chat", question)).status).toBe(200)
    const open = await closeDatabase(global)
    try {
      for (const person of [ann, eve]) {
        expect((await person.get("/api/billing/balance")).status).toBe(200)
        const chat = await person.post("/api/chat", question)
        expect([chat.status, await chat.text()]).toEqual([200, expect.stringContaining("offline")])
      }
      expect((await fetch(`${server.url}/readyz`)).status).toBe(503)
    } finally {
      await open()
    }
    await eventually("readiness", async () => ((await fetch(`${server.url}/readyz`)).status === 200 ? true : undefined))
  })
})
