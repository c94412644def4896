/** Routers whose directories are of any age, over stores in memory that refuse the writes of owners who have moved. */
import type { StoragePorts } from "@parley/core"
import { Effect } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { MOVED } from "../../src/cells/routing/cellFailures.ts"
import type { CellMarks } from "../../src/cells/routing/cellMarks.ts"
import { Directory } from "../../src/cells/directory/Directory.ts"
import { routeStores } from "../../src/cells/routing/routeStores.ts"
import { MemoryDirectory, memoryStores, noSharedRows, refused } from "./memoryCells.ts"

const run = Effect.runPromise
const CELLS = ["a", "b", "c"]
const OWNERS = ["ann", "bob", "cem", "dan"]

/** A cell that refuses the writes of owners who are not in it: what the fence in the database does. */
const fenced = (name: string, source: MemoryDirectory, stores: StoragePorts): StoragePorts => ({
  ...stores,
  preferences: {
    ...stores.preferences,
    set: (userId, preferences) =>
      source.cellOf(userId) === name ? stores.preferences.set(userId, preferences) : Effect.fail(refused(MOVED))
  }
})

const setUp = (routers: number, mostPlacements: number, answersAre: "checked" | "final" = "checked") => {
  const source = new MemoryDirectory(CELLS)
  const cells = new Map(CELLS.map((name) => [name, memoryStores()]))
  const behindFences = new Map([...cells].map(([name, stores]) => [name, fenced(name, source, stores)]))
  const global = memoryStores()
  const directories = Array.from(
    { length: routers },
    () => new Directory(source, { refreshMs: Number.POSITIVE_INFINITY, mostPlacements })
  )
  const marks: CellMarks = {
    hereSince: (cell, owner) =>
      Effect.succeed(
        answersAre === "final"
          ? 0
          : source.cellOf(owner) === cell
            ? (source.placements.get(owner)?.version ?? 0)
            : undefined
      ),
    eraseLeft: () => Effect.void
  }
  const routed = directories.map((directory) => routeStores(behindFences, directory, global, noSharedRows, marks))
  const preferencesIn = async (cell: string, owner: string) =>
    (await run(cells.get(cell)?.preferences.get(owner) ?? Effect.die("no cell"))).instructions
  const setIn = (cell: string, owner: string, instructions: string) =>
    run(cells.get(cell)?.preferences.set(owner, { instructions, modelId: null }) ?? Effect.die("no cell"))
  /** Moves an owner: copies the row and changes the place. The old row refuses changes from then on, or is erased. */
  const move = async (owner: string, to: string, erases = false) => {
    const from = source.cellOf(owner) ?? ""
    await setIn(to, owner, await preferencesIn(from, owner))
    source.move(owner, to)
    if (erases && from !== to) await setIn(from, owner, "")
  }
  return { source, directories, routed, preferencesIn, move }
}

const owner = fc.constantFrom(...OWNERS)
const router = fc.nat(2)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("set" as const), owner, router, inUnit: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ _tag: fc.constant("get" as const), owner, router }) },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("move" as const),
      owner,
      to: fc.constantFrom(...CELLS),
      erases: fc.boolean()
    })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("refresh" as const), router }) }
)

it("caches of any age return no other owner's data, and nothing only if there is nothing; every answered write is in the present cell", () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.constantFrom(1, 100), async (steps, mostPlacements) => {
      const { directories, move, preferencesIn, routed, source } = setUp(3, mostPlacements)
      const last = new Map<string, string>()
      for (const [number, each] of steps.entries()) {
        if (each._tag === "move") await move(each.owner, each.to, each.erases)
        else if (each._tag === "refresh") await run(directories[each.router]?.refresh ?? Effect.void)
        else {
          const stores = routed[each.router] as StoragePorts
          const { owner: userId } = each
          if (each._tag === "get") {
            const { instructions } = await run(stores.preferences.get(userId))
            // An answer may be of before a move, but nothing is answered only if nothing is there.
            expect(instructions === "" ? last.has(userId) : !instructions.startsWith(`${userId} `)).toBe(false)
          } else {
            const instructions = `${userId} ${number}`
            const set = Effect.asVoid(stores.preferences.set(userId, { instructions, modelId: null }))
            await run(each.inUnit ? stores.unitOfWork.run(userId, set) : set)
            last.set(userId, instructions)
            expect(await preferencesIn(source.cellOf(userId) ?? "", userId)).toBe(instructions)
          }
        }
      }
      for (const [userId, instructions] of last)
        expect(await preferencesIn(source.cellOf(userId) ?? "", userId)).toBe(instructions)
    }),
    { numRuns: 60 }
  ))

it("a unit of work whose owner moves while it runs runs again as a whole in the new cell, and none of its calls by itself", async () => {
  const { directories, move, preferencesIn, routed, source } = setUp(1, 100, "final")
  await run(directories[0]?.refresh ?? Effect.void)
  const from = source.cellOf("ann") ?? ""
  const to = CELLS.find((cell) => cell !== from) ?? ""
  await move("ann", to)
  const stores = routed[0] as StoragePorts
  const begun: Array<string> = []
  const work = Effect.gen(function* () {
    begun.push("project")
    yield* stores.projects.create("ann", { id: crypto.randomUUID(), name: "Tea", instructions: "", documentIds: [] }, 9)
    begun.push("preferences")
    yield* stores.preferences.set("ann", { instructions: "ann once", modelId: null })
  })
  await run(stores.unitOfWork.run("ann", work))
  expect(begun).toEqual(["project", "preferences", "project", "preferences"])
  expect(await run(stores.projects.list("ann"))).toHaveLength(1)
  expect(await preferencesIn(to, "ann")).toBe("ann once")
  expect(await preferencesIn(from, "ann")).toBe("")
})
