/** A cell is split by promoting its replica, while people write. */
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { splitCell, type SplitInput, type SplitStep } from "../../src/cells/splitting/splitCell.ts"
import { hasPostgres } from "../databases.ts"
import { boundOf, faultsOf, load, newOwners, quantile, type World } from "./movingOwners.ts"
import { rowsIn } from "./copiedCells.ts"
import { isUpper, openSplitWorld, type SplitWorld } from "./splitWorld.ts"

const OWNERS = 40

const eraseAll = (world: World) => Effect.forEach(world.cells, (cell) => eraseMoved(cell, 0), { discard: true })

/** Writes of replies come with an event or without one: each of the two ways has a fence of its own. */
const withoutEvents = ({ cells: [{ database }] }: SplitWorld) =>
  database.statement(`DELETE FROM ${database.schema}.event_destinations`)

const isOfEvents = (fault: unknown) => (fault as { readonly name?: string }).name === "events"

/** Splits a cell while people write; returns the durations of their calls. */
const splitUnderLoad = Effect.fnUntraced(function* (world: SplitWorld, split: SplitInput, hasEvents: boolean) {
  if (!hasEvents) yield* withoutEvents(world)
  const answered = yield* newOwners(world, OWNERS)
  const done = yield* Deferred.make<void>()
  const working = yield* Effect.forkChild(load(world, answered, 6, done))
  yield* Effect.sleep(2_000)
  yield* splitCell(split)
  yield* Effect.sleep(4_000)
  yield* Deferred.succeed(done, undefined)
  const { durations } = yield* Fiber.join(working)
  yield* eraseAll(world)
  expect((yield* faultsOf(world, answered)).filter((fault) => hasEvents || !isOfEvents(fault))).toEqual([])
  for (const owner of answered.keys())
    expect((yield* world.directory.placement(owner)).cell).toBe(isUpper(owner) ? "b" : "a")
  return durations
})

/** Stops the process of a replica that receives the log, and has it go on after a while. */
const delayReplica = Effect.fnUntraced(function* ({ urls }: SplitWorld) {
  const [receiver] = yield* Effect.promise(() => rowsIn(urls["b"] ?? "", "SELECT pid FROM pg_stat_wal_receiver"))
  const signal = (name: "SIGCONT" | "SIGSTOP") => Effect.sync(() => process.kill(Number(receiver?.["pid"]), name))
  yield* signal("SIGSTOP")
  yield* Effect.forkChild(Effect.delay(signal("SIGCONT"), "3 seconds"))
})

describe.runIf(hasPostgres)("a cell that is split under load", { timeout: 600_000 }, () => {
  it.each([true, false])("loses no answered operation, and each person lives in one cell; events: %s", (hasEvents) =>
    Effect.gen(function* () {
      const world = yield* openSplitWorld(3)
      const durations = yield* splitUnderLoad(world, world.split, hasEvents)
      expect(quantile(durations, 0.99)).toBeLessThan(boundOf(durations))
    }).pipe(Effect.scoped, Effect.runPromise)
  )

  it("waits for a replica that does not receive the log for a while", () =>
    Effect.gen(function* () {
      const world = yield* openSplitWorld(3)
      const onStep = (step: SplitStep) => (step === "noted" ? delayReplica(world) : Effect.void)
      yield* splitUnderLoad(world, { ...world.split, onStep }, true)
    }).pipe(Effect.scoped, Effect.runPromise))
})
