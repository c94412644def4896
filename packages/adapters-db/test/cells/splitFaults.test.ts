/** Faults of a split that need no replica: paused commands, lost transactions, and rows that are no person's. */
import { Outbox } from "@parley/core/adapter"
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { finishMoves } from "../../src/cells/moving/finishMoves.ts"
import { freezeOwners } from "../../src/cells/splitting/freezeOwners.ts"
import { stateOf } from "../../src/cells/splitting/replica.ts"
import { splitCell } from "../../src/cells/splitting/splitCell.ts"
import { forPurpose } from "../../src/database/limits.ts"
import { hasPostgres } from "../databases.ts"
import { openCopiedWorld } from "./copiedWorld.ts"
import { faultsOf, newOwners, reply, type Stores } from "./movingOwners.ts"
import { isUpper, type SplitWorld, UPPER } from "./splitWorld.ts"

const stores = (world: SplitWorld) => world.servers[0]?.routed as Stores

const destinations = [{ id: "hook:x", types: ["security"] as const }]

const cancelled = (world: SplitWorld) =>
  finishMoves(
    new Map(world.cells.slice(0, 1).map((cell) => [cell.id, cell])),
    world.directory,
    world.split.splits,
    undefined
  )

/** Begins the split, and pauses its command at a step. */
const pausedAt = Effect.fnUntraced(function* (world: SplitWorld, at: string) {
  const [reached, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const onStep = (step: string) =>
    step === at ? Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(go)) : Effect.void
  const fiber = yield* Effect.forkChild(Effect.result(splitCell({ ...world.split, onStep })))
  yield* Deferred.await(reached)
  return Effect.andThen(Deferred.succeed(go, undefined), Fiber.join(fiber))
})

describe.runIf(hasPostgres)("a split", { timeout: 120_000 }, () => {
  it("leaves events of no person in the global database alone", () =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(1)
      const outbox = <A, E>(use: (outbox: Outbox["Service"]) => Effect.Effect<A, E>) =>
        Effect.provide(Outbox.use(use), stores(world))
      yield* outbox((box) => box.subscribe({ destinations, lowBelow: undefined }))
      yield* outbox((box) =>
        box.publish({ type: "security", at: Date.now(), data: { event: "refused", outcome: "x" } } as never)
      )
      yield* splitCell(world.split)
      const counts = yield* Effect.forEach(world.cells, ({ database: { schema, statement } }) =>
        Effect.map(statement(`SELECT FROM ${schema}.event_deliveries`), ({ length }) => length)
      )
      expect(counts).toEqual([1, 0])
    }).pipe(Effect.scoped, Effect.runPromise))

  it.each(["noted", "followed"])(
    "whose command was paused at the step '%s' and cancelled meanwhile harms no later split",
    (step) =>
      Effect.gen(function* () {
        const world = yield* openCopiedWorld(1)
        const answered = yield* newOwners(world, 8)
        const continued = yield* pausedAt(world, step)
        yield* cancelled(world)
        const second = yield* pausedAt(world, "frozen")
        expect(yield* continued).toMatchObject({ failure: { _tag: "SplitRefused", problem: "cancelled" } })
        expect(yield* second).toMatchObject({ _tag: "Success" })
        for (const [owner, { replies }] of answered) yield* Effect.provide(reply(owner, replies), stores(world))
        for (const owner of answered.keys())
          expect((yield* world.directory.placement(owner)).cell).toBe(isUpper(owner) ? "b" : "a")
      }).pipe(Effect.scoped, Effect.runPromise)
  )

  it.each(["noted", "frozen", "followed", "promoted", "made"])(
    "is ended by two commands, of which one is at the step '%s' when the other one has ended it",
    (step) =>
      Effect.gen(function* () {
        const world = yield* openCopiedWorld(1)
        const answered = yield* newOwners(world, 4)
        const continued = yield* pausedAt(world, step)
        yield* splitCell(world.split)
        for (const [owner, { replies }] of answered) yield* Effect.provide(reply(owner, replies), stores(world))
        expect(yield* continued).toMatchObject({ _tag: "Success" })
        for (const [owner, { replies }] of answered) yield* Effect.provide(reply(owner, replies), stores(world))
        for (const cell of world.cells) yield* eraseMoved(cell, 0)
        expect(yield* faultsOf(world, answered)).toEqual([])
      }).pipe(Effect.scoped, Effect.runPromise)
  )

  it("changes nothing in the source if it is continued with a connection string of the source as the target", () =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(1)
      const answered = yield* newOwners(world, 8)
      const continued = yield* pausedAt(world, "frozen")
      const { source } = world.split
      const mistaken = splitCell({ ...world.split, target: { ...source, id: "b" } })
      expect(yield* Effect.flip(mistaken)).toMatchObject({ _tag: "SplitRefused", problem: "not-copy" })
      expect(yield* stateOf(source)).toMatchObject({ name: "a", copyOf: null })
      expect(yield* continued).toMatchObject({ _tag: "Success" })
      for (const [owner, { replies }] of answered) yield* Effect.provide(reply(owner, replies), stores(world))
      for (const cell of world.cells) yield* eraseMoved(cell, 0)
      expect(yield* faultsOf(world, answered)).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise))

  it("is refused while a transaction does not end, before it refuses a write", () =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(0)
      const { source, splits } = world.split
      const { schema, statement } = source.database
      const split = yield* splits.begin("a", "b", UPPER)
      if (split === undefined) return expect.fail()
      const [running, ends] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.addFinalizer(() => Deferred.succeed(ends, undefined))
      const transaction = yield* Effect.forkChild(
        forPurpose("building")(
          source.database.asService((sql) =>
            Effect.andThen(
              Effect.andThen(sql.query("SELECT 1"), Deferred.succeed(running, undefined)),
              Deferred.await(ends)
            )
          )
        )
      )
      yield* Deferred.await(running)
      expect(yield* Effect.flip(freezeOwners(source, split, []))).toMatchObject({ _tag: "OwnerBusy" })
      expect(yield* statement(`SELECT FROM ${schema}.lost_buckets`)).toEqual([])
      yield* Deferred.succeed(ends, undefined)
      yield* Fiber.join(transaction)
      expect(yield* freezeOwners(source, split, [])).toBe(0)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("does not take the note of a later split away", () =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(0)
      const { source, splits } = world.split
      const first = yield* splits.begin("a", "b", [4000])
      if (first === undefined) return expect.fail()
      yield* splits.cancel(first)
      const later = yield* splits.begin("a", "b", [4000])
      if (later === undefined) return expect.fail()
      yield* freezeOwners(source, later, [])
      expect(yield* Effect.flip(freezeOwners(source, first, []))).toMatchObject({ problem: "cancelled" })
      expect(yield* stateOf(source)).toMatchObject({ frozen: later.version })
    }).pipe(Effect.scoped, Effect.runPromise))

  it.each(["promoted", "made"])("is refused if the source loses the marks of the people after the step '%s'", (step) =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(1)
      const [{ database }] = world.cells
      const { schema } = database
      const answered = yield* newOwners(world, 8)
      const continued = yield* pausedAt(world, step)
      // Another standby without the last transactions has become the source.
      yield* world.cells[0].owner.execute(
        `DELETE FROM ${schema}.moved_owners; DELETE FROM ${schema}.lost_buckets;
           UPDATE ${schema}.this_cell SET frozen = NULL; UPDATE ${schema}.credit_accounts SET moved = NULL`
      )
      for (const [owner, { replies }] of answered) yield* Effect.provide(reply(owner, replies), stores(world))
      expect(yield* continued).toMatchObject({ failure: { _tag: "SplitRefused", problem: "source-lost" } })
      expect(yield* Effect.flip(splitCell(world.split))).toMatchObject({ problem: "source-lost" })
      yield* cancelled(world)
      for (const [owner, { replies }] of answered) yield* Effect.provide(reply(owner, replies), stores(world))
      const faults = yield* faultsOf(world, answered)
      // Rows of the copy, which no directory names.
      expect(faults.filter((fault) => !("left" in (fault as object)))).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
