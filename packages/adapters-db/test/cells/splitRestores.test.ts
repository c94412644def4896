/** The global database is restored from a backup of before a split whose command ended. */
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { cellsLayer } from "../../src/cells/cellsLayer.ts"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { repairDirectory } from "../../src/cells/repairing/repairDirectory.ts"
import { splitCell } from "../../src/cells/splitting/splitCell.ts"
import { administer } from "../administer.ts"
import { hasPostgres } from "../databases.ts"
import { openCopiedWorld } from "./copiedWorld.ts"
import { faultsOf, newOwners, openServer, reply, type Stores } from "./movingOwners.ts"
import { cutOff, nameOf } from "./peopleOfCells.ts"
import { SPLIT_STEPS, type SplitWorld } from "./splitWorld.ts"

const globalOf = ({ urls }: SplitWorld) => nameOf(urls["global"] ?? "")

const backup = (world: SplitWorld) => {
  const name = globalOf(world)
  return Effect.as(
    Effect.promise(() => administer([cutOff(name), `CREATE DATABASE ${name}_backup TEMPLATE ${name}`])),
    Effect.promise(() =>
      administer([
        `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
        cutOff(name),
        `DROP DATABASE ${name} WITH (FORCE)`,
        `ALTER DATABASE ${name}_backup RENAME TO ${name}`
      ])
    )
  )
}

const repair = ({ urls }: SplitWorld, names: ReadonlyArray<string>) => {
  const cells = Object.fromEntries(names.map((name) => [name, { url: urls[name], maxConnections: 3 }]))
  const found: Array<unknown> = []
  const work = repairDirectory((finding, to) => Effect.sync(() => void found.push([finding, to])))
  return Effect.as(Effect.provide(work, Layer.fresh(cellsLayer({ global: { url: urls["global"] }, cells }))), found)
}

const operate = (world: SplitWorld, answered: Effect.Success<ReturnType<typeof newOwners>>) =>
  Effect.forEach(
    answered,
    ([owner, { replies }]) => Effect.provide(reply(owner, replies), world.servers[0]?.routed as Stores),
    { discard: true }
  )

const UNDECIDED = SPLIT_STEPS.slice(1, SPLIT_STEPS.indexOf("placed"))

describe.runIf(hasPostgres)(
  "a split whose directory is restored from a backup of before it",
  { timeout: 120_000 },
  () => {
    it.each(UNDECIDED)(
      "and whose command ended at the step '%s': all people write in the source after the repair",
      (at) =>
        Effect.gen(function* () {
          const world = yield* openCopiedWorld(1, { hasGlobal: true })
          const answered = yield* newOwners(world, 8)
          const restore = yield* backup(world)
          const onStep = (step: string) => (step === at ? Effect.die("killed") : Effect.void)
          const splits = { ...world.split.splits, cancel: () => Effect.die("killed") }
          yield* Effect.exit(splitCell({ ...world.split, splits, onStep }))
          yield* restore
          yield* repair(world, ["a"])
          for (const owner of answered.keys()) expect((yield* world.directory.placement(owner)).cell).toBe("a")
          yield* operate(world, answered)
          const isCopied = at === "promoted" || at === "made"
          const faults = isCopied ? yield* faultsOf(world, answered) : []
          // Rows of the copy, which no directory names.
          expect(faults.filter((fault) => !("left" in (fault as object)))).toEqual([])
        }).pipe(Effect.scoped, Effect.runPromise)
    )

    it.each([true, false])(
      "and that has ended: all answered operations are stored after the repair (erased: %s)",
      (erases) =>
        Effect.gen(function* () {
          const world = yield* openCopiedWorld(1, { hasGlobal: true })
          const answered = yield* newOwners(world, 8)
          const restore = yield* backup(world)
          yield* splitCell(world.split)
          yield* operate(world, answered)
          if (erases) for (const cell of world.cells) yield* eraseMoved(cell, 0)
          yield* restore
          yield* repair(world, ["a", "b"])
          const stale = yield* openServer(world.urls, undefined)
          yield* Effect.forEach(
            answered,
            ([owner, { replies }]) => Effect.provide(reply(owner, replies), stale.routed),
            { discard: true }
          )
          for (const cell of world.cells) yield* eraseMoved(cell, 0)
          expect(yield* faultsOf(world, answered)).toEqual([])
        }).pipe(Effect.scoped, Effect.runPromise)
    )
  }
)
