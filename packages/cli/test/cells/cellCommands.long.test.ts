import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { administer } from "../../../adapters-db/test/administer.ts"
import { temporaryFolder } from "../processes/ParleyProcess.ts"
import { runHere } from "../processes/runHere.ts"
import { CellDatabases, peopleOf } from "./cellDatabases.ts"

const hasPostgres = (process.env["TEST_DATABASE_URL"] ?? "") !== ""
const ABSENT = "postgres://hunter2:hunter2@127.0.0.1:1/none"
const [ann = "", bob = ""] = [...peopleOf("lower", 1), ...peopleOf("upper", 1)]

interface Listed {
  readonly name: string
  readonly state: string
  readonly buckets: number
  readonly placements: number
  readonly database: string
}

describe.runIf(hasPostgres)("commands over cells", () => {
  const folder = temporaryFolder()
  let databases: CellDatabases
  let environment: Record<string, string>
  let withAbsent: Record<string, string>

  const parley = async <A = Record<string, unknown>>(argv: ReadonlyArray<string>, env = environment) => {
    const { exit, stderr, stdout } = await runHere([...argv, "--json"], folder.path, env)
    return { exit, stderr, data: (stdout === "" ? undefined : JSON.parse(stdout)) as A }
  }
  const cells = async () => (await parley<{ readonly cells: ReadonlyArray<Listed> }>(["cells", "list"])).data.cells

  beforeAll(async () => {
    databases = await CellDatabases.make(2)
    const [first = "", second = ""] = databases.urls
    environment = { DATABASE_URL: first, PARLEY_CELLS: JSON.stringify({ "eu-2": second, "eu-1": first }) }
    withAbsent = { DATABASE_URL: first, PARLEY_CELLS: JSON.stringify({ "eu-2": ABSENT, "eu-1": first }) }
  })
  afterAll(async () => {
    await databases[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  it("a migration names the cell that fails and migrates the others; the next one continues with it", async () => {
    const first = await parley(["migrate"], withAbsent)
    expect(first).toMatchObject({ exit: 69, data: { databases: [{ database: "eu-1", pending: [] }] } })
    expect(first.stderr).toMatch(/The database of the cell eu-2 cannot be used: no server listens.*PARLEY_CELLS/)
    expect(first.stderr).not.toContain("hunter2")
    expect(await parley(["credits", "verify"])).toMatchObject({
      exit: 1,
      stderr: expect.stringMatching(/cell eu-2 lacks/)
    })
    expect(await parley(["migrate", "--check"])).toMatchObject({ exit: 1 })
    expect(await parley(["migrate"])).toMatchObject({
      exit: 0,
      data: { databases: [{ database: "eu-1", applied: [] }, { database: "eu-2" }] }
    })
    expect(await parley(["migrate", "--check"])).toMatchObject({ exit: 0 })
  })

  it("at first all people are in the cell that is the global database, also if another one is named first", async () => {
    expect(await cells()).toEqual([
      { name: "eu-1", state: "open", buckets: 4_096, placements: 0, database: "ready" },
      { name: "eu-2", state: "open", buckets: 0, placements: 0, database: "ready" }
    ])
  })

  it("buckets are assigned only without people in the way, and a dry run changes nothing", async () => {
    const people = join(folder.path, "people.jsonl")
    writeFileSync(people, `${JSON.stringify({ user: ann, tier: "free", topup: 5 })}\n`)
    expect((await parley(["users", "import", people])).exit).toBe(0)
    const half = ["cells", "assign", "eu-2", "--buckets", "2048-4095"]
    expect(await parley(["cells", "assign", "eu-2", "--buckets", "0-4095"])).toMatchObject({ exit: 5 })
    expect((await parley(["cells", "assign", "eu-2", "--buckets", "0-4095"])).stderr).toContain(ann)
    expect(await parley([...half, "--dry-run"])).toMatchObject({ exit: 0, data: { buckets: 2_048 } })
    expect((await cells())[1]).toMatchObject({ buckets: 0 })
    expect(await parley(half)).toMatchObject({ exit: 0, data: { buckets: 2_048 } })
    expect((await cells()).map(({ buckets }) => buckets)).toEqual([2_048, 2_048])
    expect(await parley(["cells", "assign", "eu-9", "--buckets", "1"])).toMatchObject({ exit: 5 })
    expect(await parley(["cells", "assign", "eu-2", "--buckets", "4096"])).toMatchObject({ exit: 2 })
    const entries = (await parley<{ readonly entries: ReadonlyArray<{ readonly action: string }> }>(["audit", "list"]))
      .data.entries
    expect(entries.filter(({ action }) => action === "cells assign")).toHaveLength(1)
  })

  it("people of both cells are read and changed as those of one database", async () => {
    const people = join(folder.path, "more.jsonl")
    writeFileSync(people, `${JSON.stringify({ user: bob, tier: "free", topup: 7 })}\n`)
    expect((await parley(["users", "import", people])).exit).toBe(0)
    for (const [user, topup] of [[ann, 5] as const, [bob, 7] as const])
      expect(await parley(["credits", "balance", user])).toMatchObject({ data: { topup } })
    expect(await parley(["credits", "verify"])).toMatchObject({ exit: 0, data: { ok: true, accounts: 2 } })
    expect(await parley(["cells", "verify"])).toMatchObject({ exit: 0, data: { ok: true, owners: 2 } })
    const listed = await parley<{ readonly users: ReadonlyArray<{ readonly userId: string }> }>(["users", "list"])
    expect(listed.data).toMatchObject({ users: [{}, {}] })
    for (const command of [
      ["credits", "sweep"],
      ["credits", "reset"],
      ["jobs", "list"],
      ["events", "list"]
    ])
      expect(await parley(command)).toMatchObject({ exit: 0 })
  })

  it("what a database has by itself is reported for each under its name", async () => {
    const usage = await parley<{ readonly databases: ReadonlyArray<{ readonly database: string }> }>([
      "usage",
      "storage"
    ])
    expect(usage.data.databases.map(({ database }) => database)).toEqual(["eu-1", "eu-2"])
    const doctor = await parley<{ readonly checks: ReadonlyArray<{ readonly name: string }> }>(["doctor"])
    const names = doctor.data.checks.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["database eu-1", "database eu-2", "migrations eu-2", "tiers"]))
    const partly = await parley<{ readonly checks: ReadonlyArray<Record<string, string>> }>(["doctor"], withAbsent)
    expect(partly.exit).toBe(69)
    expect(partly.data.checks).toContainEqual(expect.objectContaining({ name: "database eu-2", status: "failed" }))
    expect(JSON.stringify(partly)).not.toContain("hunter2")
  })

  it("a person whose cell does not answer is refused with its name, and the others are served", async () => {
    expect(await parley(["credits", "balance", ann], withAbsent)).toMatchObject({ exit: 0, data: { topup: 5 } })
    const refused = await parley(["credits", "balance", bob], withAbsent)
    expect(refused).toMatchObject({
      exit: 69,
      stderr: expect.stringMatching(/^The database of the cell eu-2 cannot be used/)
    })
    expect(await parley(["cells", "verify"], withAbsent)).toMatchObject({ exit: 69 })
    expect(await parley(["credits", "sweep"], withAbsent)).toMatchObject({ exit: 0 })
  })

  it("a backup and a restore are those of one cell, and say so without --cell", async () => {
    const file = join(folder.path, "eu-2.backup")
    const unnamed = await parley(["backup", "--output", file])
    expect(unnamed).toMatchObject({ exit: 2, stderr: expect.stringMatching(/Choose it with --cell: eu-2, eu-1\./) })
    expect(await parley(["backup", "--output", file, "--cell", "eu-7"])).toMatchObject({ exit: 2 })
    expect(await parley(["backup", "--output", file, "--cell", "eu-2"])).toMatchObject({ exit: 0 })
    expect(readFileSync(file).byteLength).toBeGreaterThan(100)
    expect(await parley(["restore", file])).toMatchObject({ exit: 2, stderr: expect.stringMatching(/--cell/) })
    expect(await parley(["restore", file, "--cell", "eu-2"])).toMatchObject({ exit: 5 })
    await using empty = await CellDatabases.make(1)
    const restored = {
      ...environment,
      PARLEY_CELLS: JSON.stringify({ "eu-1": databases.urls[0], "eu-2": empty.urls[0] })
    }
    expect(await parley(["restore", file, "--cell", "eu-2"], restored)).toMatchObject({ exit: 0 })
    expect(await parley(["cells", "add", "eu-2"], restored)).toMatchObject({ exit: 0, data: { changed: false } })
    expect(await parley(["cells", "verify"], restored)).toMatchObject({ exit: 0, data: { owners: 2 } })
    expect(
      await parley(["backup", "--output", file, "--cell", "eu-2"], { DATABASE_URL: databases.urls[0] ?? "" })
    ).toMatchObject({ exit: 2, stderr: expect.stringMatching(/PARLEY_CELLS is not set/) })
  })

  it("a person is moved with all rows, and the buckets of a cell with its people", async () => {
    const move = ["cells", "move", ann, "--to", "eu-2"]
    const planned = await parley<{ readonly rows: number }>([...move, "--dry-run"])
    expect(planned).toMatchObject({ exit: 0, data: { from: "eu-1", moved: false } })
    expect(await parley([...move, "--reason", "Nearer."])).toMatchObject({
      exit: 0,
      data: { moved: true, rows: planned.data.rows }
    })
    expect(await parley(move)).toMatchObject({ exit: 0, data: { from: "eu-2", rows: 0, moved: false } })
    expect(await parley(["credits", "balance", ann])).toMatchObject({ data: { topup: 5 } })
    expect(await parley(["cells", "verify"])).toMatchObject({ exit: 0, data: { ok: true, owners: 2 } })
    expect((await cells()).map(({ placements }) => placements)).toEqual([0, 1])
    expect(await parley(["cells", "move", "stranger", "--to", "eu-2"])).toMatchObject({ exit: 4 })
    expect(await parley(["cells", "move", ann, "--to", "eu-9"])).toMatchObject({ exit: 5 })
    const back = ["cells", "assign", "eu-1", "--buckets", "0-4095", "--move"]
    expect(await parley([...back, "--dry-run"])).toMatchObject({ exit: 0, data: { owners: 2, moved: 0 } })
    expect(await parley(back)).toMatchObject({ exit: 0, data: { owners: 2, moved: 2, busy: [] } })
    expect((await cells()).map(({ buckets }) => buckets)).toEqual([4_096, 0])
    expect(await parley(["cells", "assign", "eu-2", "--buckets", "2048-4095", "--move"])).toMatchObject({
      exit: 0,
      data: { owners: 1, moved: 1 }
    })
    expect(await parley(["credits", "balance", bob])).toMatchObject({ data: { topup: 7 } })
    expect(await parley(["cells", "verify"])).toMatchObject({ exit: 0, data: { ok: true, owners: 2 } })
  })

  it("an owner who is in another cell than the directory says is found, and placed where the rows are", async () => {
    const before = await parley(["credits", "balance", ann])
    const global = new URL(databases.urls[0] ?? "").pathname.slice(1)
    await administer(`UPDATE parley.placements SET cell = 'eu-2' WHERE owner = '${ann}'`, global)
    const finding = { owner: ann, problem: "elsewhere", cells: ["eu-1"], directory: "eu-2" }
    const found = await parley(["cells", "verify"])
    expect(found).toMatchObject({ exit: 1, data: { ok: false, owners: 2, findings: [finding] } })
    const repaired = { exit: 0, data: { ok: true, owners: 2, findings: [{ ...finding, repairedTo: "eu-1" }] } }
    expect(await parley(["cells", "verify", "--repair"])).toMatchObject(repaired)
    expect(await parley(["cells", "verify"])).toMatchObject({ exit: 0, data: { ok: true, findings: [] } })
    expect(await parley(["credits", "balance", ann])).toEqual(before)
  })

  it("a draining cell gets no people until it is added again; a new cell is a database of its own", async () => {
    expect(await parley(["cells", "drain", "eu-2", "--dry-run"])).toMatchObject({ exit: 0, data: { buckets: 2_048 } })
    expect((await cells())[1]).toMatchObject({ state: "open" })
    expect(await parley(["cells", "drain", "eu-2"])).toMatchObject({ exit: 0 })
    expect((await cells())[1]).toMatchObject({ state: "draining" })
    expect(await parley(["cells", "assign", "eu-2", "--buckets", "7"])).toMatchObject({ exit: 5 })
    expect(await parley(["cells", "add", "eu-2"])).toMatchObject({ exit: 0, data: { before: "draining" } })
    expect((await cells())[1]).toMatchObject({ state: "open" })
    expect(await parley(["cells", "add", "eu-3"])).toMatchObject({
      exit: 5,
      stderr: expect.stringMatching(/PARLEY_CELLS/)
    })
    const again = `${databases.urls[1]}?application_name=again`
    const twice = JSON.stringify({ "eu-1": databases.urls[0], "eu-2": databases.urls[1], "eu-3": again })
    const same = await parley(["cells", "add", "eu-3"], { ...environment, PARLEY_CELLS: twice })
    expect(same).toMatchObject({ exit: 5, stderr: expect.stringMatching(/eu-3 names the database of the cell eu-2/) })
    await using third = await CellDatabases.make(1)
    const three = {
      ...environment,
      PARLEY_CELLS: JSON.stringify({ "eu-1": databases.urls[0], "eu-2": databases.urls[1], "eu-3": third.urls[0] })
    }
    expect(await parley(["cells", "add", "eu-3"], three)).toMatchObject({
      exit: 5,
      stderr: expect.stringMatching(/parley migrate/)
    })
    expect((await parley(["migrate"], three)).exit).toBe(0)
    expect(await parley(["cells", "add", "eu-3", "--dry-run"], three)).toMatchObject({ data: { changed: false } })
    expect(await cells()).toHaveLength(2)
    expect(await parley(["cells", "add", "eu-3"], three)).toMatchObject({ data: { before: null, changed: true } })
    expect((await cells())[2]).toMatchObject({ name: "eu-3", state: "open", database: "unset" })
  })

  it("without PARLEY_CELLS there are no cells, and the commands say so", async () => {
    const one = { DATABASE_URL: databases.urls[0] ?? "" }
    expect(await parley(["cells", "list"], one)).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/PARLEY_CELLS/)
    })
  })

  it("a process that does not know the cells is refused: it would look for people where they are not", async () => {
    const one = { DATABASE_URL: databases.urls[0] ?? "" }
    const refusal = {
      exit: 3,
      stderr: expect.stringMatching(/several cells \(eu-1, eu-2\), and PARLEY_CELLS is not set/)
    }
    expect(await parley(["credits", "balance", ann], one)).toMatchObject(refusal)
    expect(await runHere(["work"], folder.path, one)).toMatchObject(refusal)
  })

  it("a process whose databases are not the cells of their names is refused, and says which", async () => {
    const [first = "", second = ""] = databases.urls
    const wrong: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
      [
        { DATABASE_URL: first, PARLEY_CELLS: JSON.stringify({ "eu-1": first, "eu-2": `${first}?application_name=x` }) },
        /eu-2 names the database of the cell eu-1/
      ],
      [{ DATABASE_URL: second }, /names the database of the cell eu-2, which has some of the people only/],
      [{ DATABASE_URL: first, PARLEY_CELLS: JSON.stringify({ "eu-1": first }) }, /People are in the cell eu-2/]
    ]
    for (const [one, stderr] of wrong) {
      const refusal = { exit: 5, stderr: expect.stringMatching(stderr) }
      const ofCells = one["PARLEY_CELLS"] === undefined ? [] : [["cells", "verify"], ["migrate"]]
      for (const command of [["credits", "balance", ann], ...ofCells])
        expect(await parley(command, one), command.join(" ")).toMatchObject(refusal)
      expect(await runHere(["work"], folder.path, one)).toMatchObject(refusal)
    }
  })
})
