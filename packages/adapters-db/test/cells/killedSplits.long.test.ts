/** The command of a split is killed at each step, and the split is continued, or cancelled by another process. */
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { finishMoves } from "../../src/cells/moving/finishMoves.ts"
import { splitCell } from "../../src/cells/splitting/splitCell.ts"
import { hasPostgres } from "../databases.ts"
import { type Answered, faultsOf, load, newOwners } from "./movingOwners.ts"
import { isUpper, killedSplit, openSplitWorld, SPLIT_STEPS, type SplitWorld } from "./splitWorld.ts"

const OWNERS = 16

const cellsOf = ({ cells }: SplitWorld) => new Map(cells.map((cell) => [cell.id, cell]))

/** Operations of all owners for a while. */
const someLoad = (world: SplitWorld, answered: Answered) =>
  Effect.gen(function* () {
    const done = yield* Deferred.make<void>()
    const working = yield* Effect.forkChild(load(world, answered, 4, done))
    yield* Effect.sleep("1500 millis")
    yield* Deferred.succeed(done, undefined)
    return yield* Fiber.join(working)
  })

/** A world whose split was killed at a step while people wrote; they go on after `then`. */
const killedAt = Effect.fnUntraced(function* (
  step: (typeof SPLIT_STEPS)[number],
  then: (world: SplitWorld) => Effect.Effect<unknown, unknown>
) {
  const world = yield* openSplitWorld(2)
  const answered = yield* newOwners(world, OWNERS)
  const done = yield* Deferred.make<void>()
  const working = yield* Effect.forkChild(load(world, answered, 4, done))
  yield* Effect.sleep("1 second")
  yield* killedSplit(world, step)
  yield* Effect.sleep("500 millis")
  yield* then(world)
  yield* Effect.sleep("2 seconds")
  yield* Deferred.succeed(done, undefined)
  yield* Fiber.join(working)
  return { world, answered }
})

const cancel = (world: SplitWorld) => finishMoves(cellsOf(world), world.directory, world.split.splits, undefined)

const placesOf = (world: SplitWorld, answered: Answered) =>
  Effect.forEach(answered.keys(), (owner) =>
    Effect.map(world.directory.placement(owner), ({ cell }) => [isUpper(owner), cell] as const)
  )

/** All but rows of the copy, which no directory names. */
const faultsInSource = (world: SplitWorld, answered: Answered) =>
  Effect.map(faultsOf(world, answered), (faults) =>
    faults.filter((fault) => !(typeof fault === "object" && fault !== null && "left" in fault))
  )

const eraseAll = (world: SplitWorld) => Effect.forEach(world.cells, (cell) => eraseMoved(cell, 0), { discard: true })

describe.runIf(hasPostgres)("a split whose command is killed", { timeout: 300_000 }, () => {
  it.each(SPLIT_STEPS)("at the step '%s' is completed by the same command, and loses no answered operation", (step) =>
    Effect.gen(function* () {
      const { answered, world } = yield* killedAt(step, ({ split }) => splitCell(split))
      yield* eraseAll(world)
      expect(yield* faultsOf(world, answered)).toEqual([])
      for (const [upper, cell] of yield* placesOf(world, answered)) expect(cell).toBe(upper ? "b" : "a")
      expect(yield* world.split.splits.underWay).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise)
  )

  const undecided = SPLIT_STEPS.slice(0, SPLIT_STEPS.indexOf("placed"))
  it.each(undecided)("at the step '%s' is cancelled by another process, and all people write in the source", (step) =>
    Effect.gen(function* () {
      const { answered, world } = yield* killedAt(step, cancel)
      expect(yield* faultsInSource(world, answered)).toEqual([])
      for (const [, cell] of yield* placesOf(world, answered)) expect(cell).toBe("a")
      const again = Effect.flip(splitCell(world.split))
      if (step === "promoted" || step === "made") {
        expect(yield* again).toMatchObject({ _tag: "SplitRefused" })
        yield* someLoad(world, answered)
        expect(yield* faultsInSource(world, answered)).toEqual([])
        return
      }
      yield* splitCell(world.split)
      yield* someLoad(world, answered)
      yield* eraseAll(world)
      expect(yield* faultsOf(world, answered)).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise)
  )

  it.each(["placed", "settled"] as const)("at the step '%s' is ended by another process", (step) =>
    Effect.gen(function* () {
      const { answered, world } = yield* killedAt(step, cancel)
      yield* eraseAll(world)
      expect(yield* faultsOf(world, answered)).toEqual([])
      for (const [upper, cell] of yield* placesOf(world, answered)) expect(cell).toBe(upper ? "b" : "a")
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
