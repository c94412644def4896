import { DocumentStore, UnitOfWork } from "@parley/core/adapter"
import { ampleQuota, newDocument } from "@parley/core/testing"
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { moveOwner, type MoveStep } from "../../src/cells/moving/moveOwner.ts"
import { hasPostgres } from "../databases.ts"
import {
  boundOf,
  endMove,
  eraseAll,
  faultsOf,
  killedMove,
  load,
  moveOf,
  newOwners,
  openWorld,
  quantile,
  STEPS
} from "./movingOwners.ts"

describe.runIf(hasPostgres)("the move of an owner between two databases", () => {
  it("keeps a write that began before the mark and is committed after it", { timeout: 120_000 }, () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const answered = yield* newOwners(world, 1)
      const [owner, known] = [...answered][0] ?? expect.fail()
      const [written, commit, looked] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      const document = newDocument(owner)
      const slow = Effect.gen(function* () {
        yield* (yield* DocumentStore).insert(document, ampleQuota)
        yield* Deferred.succeed(written, undefined)
        yield* Deferred.await(commit)
      })
      const writing = Effect.provide(
        UnitOfWork.use((unit) => unit.run(owner, slow)),
        world.servers[0]?.cells["a"] ?? expect.fail()
      )
      const move = yield* moveOf(world, owner)
      // The writer begins before the mark. It commits when the move has looked twice after the mark whether it still
      // runs, or has gone on without it.
      let looks = Number.NEGATIVE_INFINITY
      const look = Effect.suspend(() =>
        ++looks === 2 ? Effect.asVoid(Deferred.succeed(looked, undefined)) : Effect.void
      )
      const { execute } = move.from.owner
      const login: typeof move.from.owner = {
        ...move.from.owner,
        execute: (text, params) => Effect.andThen(look, execute(text, params))
      }
      const begun = yield* Deferred.make<Fiber.Fiber<unknown, unknown>>()
      const onStep = (step: MoveStep) =>
        Effect.gen(function* () {
          if (step === "calm") {
            yield* Deferred.succeed(begun, yield* Effect.forkDetach(writing))
            yield* Deferred.await(written)
          }
          if (step === "moving") looks = 0
          if (step === "copied") yield* Deferred.succeed(looked, undefined)
        })
      const moving = yield* Effect.forkChild(moveOwner({ ...move, from: { ...move.from, owner: login }, onStep }))
      yield* Deferred.await(looked)
      yield* Deferred.succeed(commit, undefined)
      yield* Fiber.join(yield* Deferred.await(begun))
      expect(yield* Fiber.join(moving)).toBeGreaterThan(2)
      const found = yield* Effect.provide(
        DocumentStore.use((store) => store.find(owner, [document.id])),
        world.servers[0]?.cells["b"] ?? expect.fail()
      )
      expect(found.map(({ id }) => id)).toEqual([document.id])
      expect(known.documents.size).toBe(0)
    }).pipe(Effect.scoped, Effect.runPromise)
  )

  it("fails no call and loses no answered operation if it is killed at any step", { timeout: 300_000 }, () =>
    Effect.gen(function* () {
      const world = yield* openWorld(2)
      const answered = yield* newOwners(world, STEPS.length)
      const done = yield* Deferred.make<void>()
      const working = yield* Effect.forkChild(load(world, answered, 4, done))
      for (const [place, owner] of [...answered.keys()].entries()) {
        const move = yield* moveOf(world, owner)
        yield* killedMove(world, move, STEPS[place] ?? 0)
        yield* endMove(move, place)
        // The rows in the former cell go while servers may still believe that the owner lives there.
        if (place % 3 === 0) yield* eraseAll(world, 0)
      }
      yield* Deferred.succeed(done, undefined)
      const { durations } = yield* Fiber.join(working)
      yield* eraseAll(world, 0)
      expect(yield* faultsOf(world, answered)).toEqual([])
      expect(durations.length).toBeGreaterThan(100)
      expect(quantile(durations, 0.99)).toBeLessThan(boundOf(durations))
    }).pipe(Effect.scoped, Effect.runPromise)
  )
})
