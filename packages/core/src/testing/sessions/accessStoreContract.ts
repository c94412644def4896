import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { type AccessChange, type AccessRecord, AccessStore } from "../../sessions/AccessStore.ts"
import { sha256OfText } from "../../secrets/sha256.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { suiteOn } from "../suiteOn.ts"

/** Tests the guarantees of an `AccessStore`. `layer` is built once, for all tests. */
export const accessStoreContract = (name: string, layer: Layer.Layer<AccessStore | UnitOfWork, unknown>): void =>
  suiteOn(`AccessStore: ${name}`, layer, (run) => {
    const change = (userId: string, to: AccessChange) =>
      AccessStore.use((access) => access.change({ userId, change: to }))
    const find = (userId: string) => AccessStore.use((access) => access.find(userId))
    const since = (moment?: number) => AccessStore.use((access) => access.since(moment))
    const recordIn = (people: ReadonlyArray<AccessRecord>, person: string) =>
      people.find((record) => record.person === person)

    it("stores nothing about a person whose access was never ended", () =>
      run(
        Effect.gen(function* () {
          expect(yield* find(newUserId())).toBeUndefined()
        })
      ))

    it("a block lasts until it is lifted, and a second one keeps the time of the first", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const first = yield* change(userId, "block")
          expect(first).toMatchObject({ person: yield* sha256OfText(userId), notBefore: undefined })
          expect(first.blockedAt).toEqual(expect.any(Number))
          expect(yield* change(userId, "block")).toEqual(first)
          expect(yield* find(userId)).toEqual(first)
          expect(yield* change(userId, "unblock")).toEqual({ ...first, blockedAt: undefined })
          expect(yield* find(userId)).toEqual({ ...first, blockedAt: undefined })
        })
      ))

    it("signing out moves the time before which tokens do not count, and keeps a block", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const { blockedAt } = yield* change(userId, "block")
          const first = yield* change(userId, "sign-out")
          expect(first).toMatchObject({ blockedAt, notBefore: expect.any(Number) })
          const second = yield* change(userId, "sign-out")
          expect(second.notBefore).toBeGreaterThanOrEqual(first.notBefore ?? Infinity)
          const lifted = yield* change(userId, "unblock")
          expect(lifted).toEqual({ ...second, blockedAt: undefined })
        })
      ))

    it("reading from the returned time misses no later change, also not the lifting of a block", () =>
      run(
        Effect.gen(function* () {
          let { asOf } = yield* since()
          for (const to of ["block", "unblock", "sign-out", "block"] as const) {
            const people = [newUserId(), newUserId()]
            const records = yield* Effect.forEach(people, (userId) => change(userId, to), { concurrency: "unbounded" })
            const answer = yield* since(asOf)
            for (const record of records) expect(recordIn(answer.people, record.person)).toEqual(record)
            expect(answer.asOf).toBeGreaterThanOrEqual(asOf)
            asOf = answer.asOf
          }
        })
      ))

    it("concurrent changes of one person are all there", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          yield* Effect.forEach(["block", "sign-out", "block", "sign-out"] as const, (to) => change(userId, to), {
            concurrency: "unbounded"
          })
          const found = yield* find(userId)
          expect(found).toMatchObject({ blockedAt: expect.any(Number), notBefore: expect.any(Number) })
          const { people } = yield* since()
          expect(people.filter(({ person }) => person === found?.person)).toEqual([found])
        })
      ))

    it("a change of a unit of work that fails is undone", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const work = Effect.andThen(change(userId, "block"), Effect.fail("no"))
          expect(yield* Effect.flip(UnitOfWork.use((unit) => unit.run(userId, work)))).toBe("no")
          expect(yield* find(userId)).toBeUndefined()
          const locked = UnitOfWork.use((unit) =>
            unit.run(
              userId,
              AccessStore.use((access) => access.lock(userId))
            )
          )
          expect(yield* locked).toBeUndefined()
          const blocked = yield* change(userId, "block")
          expect(yield* locked).toEqual(blocked)
        })
      ))
  })
