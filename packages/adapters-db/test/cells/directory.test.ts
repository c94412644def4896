import { Effect } from "effect"
import { expect, it } from "vitest"
import { bucketOf, bucketSql } from "../../src/cells/directory/bucketOf.ts"
import { Directory } from "../../src/cells/directory/Directory.ts"
import { directorySql } from "../../src/cells/directory/directorySql.ts"
import { Database } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"
import { MemoryDirectory } from "./memoryCells.ts"
import { give } from "./routedStores.ts"

const run = Effect.runPromise
const NEVER = { refreshMs: Number.POSITIVE_INFINITY }
const CELLS = ["a", "b"]

for (const { layer, name } of databases.slice(-1)) {
  it(`on ${name} buckets and placements decide, the newest change last, and a cell without buckets gets none`, () =>
    run(
      Effect.gen(function* () {
        const database = yield* Database
        const sql = directorySql(database)
        yield* sql.register(CELLS)
        yield* sql.register(["b", "c"])
        const owners = ["ann", "bob", "Ünal 🦜", "erased:4f2c"]
        const rows = yield* database.statement<{ bucket: number }>(
          `SELECT ${bucketSql("owner")} AS bucket FROM unnest($1::text[]) WITH ORDINALITY AS o (owner, n) ORDER BY n`,
          [owners]
        )
        expect(rows.map(({ bucket }) => bucket)).toEqual(owners.map(bucketOf))
        const [early, late] = [new Directory(sql, NEVER), new Directory(sql, { ...NEVER, mostPlacements: 1 })]
        const cells = (directory: Directory) => Effect.forEach(owners, (owner) => directory.cellOf(owner))
        expect(yield* cells(early)).toEqual(["a", "a", "a", "a"])
        yield* give(database, "b", [bucketOf("ann")])
        yield* Effect.forEach(["b", "a", "b"], (cell) => sql.place("bob", cell))
        yield* sql.place("erased:4f2c", "b")
        expect(yield* cells(early)).toEqual(["a", "a", "a", "a"])
        yield* early.refresh
        for (const directory of [early, late]) expect(yield* cells(directory)).toEqual(["b", "b", "a", "b"])
        expect(yield* Effect.flip(sql.place("ann", "nowhere"))).toMatchObject({ _tag: "CellNotOpen" })
        yield* database.statement(`UPDATE ${database.schema}.cells SET state = 'draining' WHERE name = 'b'`)
        // Who is erased in a draining cell is placed there.
        yield* sql.place("erased:77aa", "b")
      }).pipe(Effect.provide(layer))
    ))
}

it("as long as all placements fit in memory, no owner costs a statement; otherwise a known one costs none", async () => {
  const source = new MemoryDirectory(CELLS)
  source.move("moved", "b")
  const owners = Array.from({ length: 100 }, (_, index) => `owner-${index}`)
  const cells = (directory: Directory, of = owners) => run(Effect.forEach(of, (owner) => directory.cellOf(owner)))
  const whole = new Directory(source, NEVER)
  expect(await cells(whole)).toEqual(owners.map((owner) => source.cellOf(owner)))
  expect(source.statements).toBe(1)
  for (const owner of owners.slice(50)) source.move(owner, "a")
  const bounded = new Directory(source, { ...NEVER, mostPlacements: 10 })
  const few = owners.slice(0, 10)
  expect(await cells(bounded, few)).toEqual(few.map((owner) => source.cellOf(owner)))
  source.statements = 0
  await cells(bounded, few)
  expect(source.statements).toBe(0)
  expect(await cells(bounded)).toEqual(owners.map((owner) => source.cellOf(owner)))
})

it("a placement of an owner who had none is found by the next refresh, also if not all placements fit in memory", async () => {
  const source = new MemoryDirectory(CELLS)
  for (let index = 0; index < 20; index += 1) source.move(`other-${index}`, "a")
  const directory = new Directory(source, { ...NEVER, mostPlacements: 5 })
  const before = await run(directory.cellOf("ann"))
  const other = before === "a" ? "b" : "a"
  source.move("ann", other)
  expect(await run(directory.cellOf("ann"))).toBe(before)
  await run(directory.refresh)
  expect(await run(directory.cellOf("ann"))).toBe(other)
})

it("a directory in use reads the changes of others by itself", async () => {
  const source = new MemoryDirectory(CELLS)
  const directory = new Directory(source, { refreshMs: 0 })
  const before = await run(directory.cellOf("ann"))
  source.move("ann", before === "a" ? "b" : "a")
  await expect.poll(() => directory.known("ann")).not.toBe(before)
})

it("while the global database is away, what is known serves, and what is not fails with a name", async () => {
  const source = new MemoryDirectory(CELLS)
  const [known, empty] = [new Directory(source, { refreshMs: 0 }), new Directory(source, NEVER)]
  await run(known.refresh)
  source.isAway = true
  for (let call = 0; call < 3; call += 1) expect(await run(known.cellOf("ann"))).toBe(source.cellOf("ann"))
  expect(await run(Effect.flip(empty.cellOf("ann")))).toMatchObject({ _tag: "StorageFailed", retryable: true })
  source.isAway = false
  expect(await run(empty.cellOf("ann"))).toBe(source.cellOf("ann"))
})

it("refuses every owner after the directory became older, and none after it was repaired", async () => {
  const source = new MemoryDirectory(CELLS)
  for (let index = 0; index < 4; index += 1) source.move(`owner-${index}`, "b")
  const directory = new Directory(source, NEVER)
  expect(await run(directory.cellOf("owner-3"))).toBe("b")
  source.restore(2)
  const refused = { _tag: "StorageFailed", retryable: false }
  expect(await run(Effect.flip(directory.refresh))).toMatchObject(refused)
  for (const owner of ["owner-0", "owner-3", "ann"])
    expect(await run(Effect.flip(directory.cellOf(owner)))).toMatchObject(refused)
  expect(await run(Effect.flip(directory.askAgain("ann")))).toMatchObject(refused)
  for (let index = 0; index < 4; index += 1) source.move(`owner-${index}`, "a")
  for (const owner of ["owner-3", "owner-0"]) expect(await run(directory.cellOf(owner))).toBe("a")
  directory.requireVersion(100)
  expect(await run(Effect.flip(directory.cellOf("owner-3")))).toMatchObject(refused)
})

it("serves while others move owners at the moment at which it asks the cells what they have seen", async () => {
  const source = new MemoryDirectory(CELLS)
  let seen = 0
  const moving = Effect.sync(() => {
    source.move("ann", "b")
    return (seen += 1)
  })
  const directory = new Directory(source, NEVER, { seen: moving })
  expect(await run(directory.cellOf("ann"))).toBe("b")
  source.incarnation = "of another start"
  await run(directory.refresh)
  expect(seen).toBe(2)
  await run(directory.refresh)
  expect(seen).toBe(2)
})

it("a cell has joined when the directory has it; each cell counts before the first read, and one that is missing is looked for", async () => {
  const source = new MemoryDirectory(CELLS)
  const directory = new Directory(source, { refreshMs: 0 })
  expect(directory.hasJoined("c")).toBe(true)
  await run(directory.refresh)
  expect(CELLS.map((cell) => directory.hasJoined(cell))).toEqual([true, true])
  expect(directory.hasJoined("c")).toBe(false)
  source.cells.push("c")
  await expect.poll(() => directory.hasJoined("c")).toBe(true)
})

it("reads once although the cells that it asks depend on it", async () => {
  const source = new MemoryDirectory(CELLS)
  const seen = Effect.sync(() => Number(directory.hasJoined("c")) && 0)
  const directory: Directory = new Directory(source, { refreshMs: 0 }, { seen })
  directory.noteCells(["a"])
  await run(directory.refresh)
  expect(source.statements).toBe(1)
})

it("the identity of a cell that has joined is known as soon as its buckets are", async () => {
  const source = new MemoryDirectory(["a"])
  const identities: Array<unknown> = []
  const directory = new Directory(source, NEVER, { expect: (identity) => identities.push(identity) })
  await run(directory.refresh)
  expect(identities).toEqual([])
  source.ids.set("a", "1")
  await run(directory.refresh)
  expect(identities).toEqual([{ directory: source.id, id: "1", name: "a" }])
})
