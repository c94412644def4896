import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { CallGate } from "../../src/limits/CallGate.ts"
import { type AdmitInput, CallLimiter, type KeepInput } from "../../src/limits/CallLimiter.ts"
import { InMemoryCallLimiter } from "../../src/limits/InMemoryCallLimiter.ts"
import { StorageFailed } from "../../src/storage/StorageFailed.ts"

const MINUTE_MS = 60_000
const limits = [
  { subject: "192.0.2.1", name: "ip", calls: 5, atOnce: 2 },
  { subject: "bot", name: "bot", calls: 8, atOnce: 3 }
]

interface Asked {
  readonly admit: Array<AdmitInput>
  readonly keep: Array<KeepInput>
}

/** A gate over a limiter in memory, the calls of the limiter, and a store that can be down. */
const world = <A, E>(
  use: (world: { asked: Asked; store: { down: boolean } }) => Effect.Effect<A, E, CallGate | CallLimiter | Scope.Scope>
) => {
  const asked: Asked = { admit: [], keep: [] }
  const store = { down: false }
  const failing = new StorageFailed({ operation: "CallLimiter.admit", retryable: true, cause: new Error("down") })
  const watched = Layer.effect(
    CallLimiter,
    Effect.map(CallLimiter, (limiter) =>
      CallLimiter.of({
        ...limiter,
        admit: (input) => {
          asked.admit.push(input)
          // Its answer is lost, after it was done.
          return Effect.flatMap(limiter.admit(input), (answer) => (store.down ? failing : Effect.succeed(answer)))
        },
        keep: (input) => {
          asked.keep.push(input)
          return limiter.keep(input)
        }
      })
    )
  ).pipe(Layer.provide(InMemoryCallLimiter.layer))
  return Effect.runPromise(
    Effect.scoped(use({ asked, store })).pipe(
      Effect.provide(CallGate.layer.pipe(Layer.provideMerge(watched), Layer.provideMerge(TestClock.layer())))
    )
  )
}

const enter = (input = { limits, windowMs: MINUTE_MS }) => CallGate.use((gate) => gate.enter(input))
/** A call that ends at once. */
const pass = Effect.scoped(enter())
/** A call that stays open until the returned effect is run. */
const stay = Effect.gen(function* () {
  const scope = yield* Scope.make()
  yield* Scope.provide(enter(), scope)
  return Scope.close(scope, Exit.void)
})
const refusal = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.flip(call)

describe("The gate of calls", () => {
  it("sends one statement for each call, and returns ended leases with the next one", () =>
    world(({ asked }) =>
      Effect.gen(function* () {
        for (let call = 0; call < 5; call += 1) yield* pass
        expect(asked.admit.length).toBe(5)
        expect(asked.keep).toEqual([])
        expect(asked.admit.map(({ ended }) => ended)).toEqual([
          [],
          ...asked.admit.slice(0, 4).map(({ lease }) => [lease])
        ])
      })
    ))

  it("refuses calls of a window that it knows to be full, until the window ends", () =>
    world(({ asked }) =>
      Effect.gen(function* () {
        for (let call = 0; call < 5; call += 1) yield* pass
        yield* TestClock.adjust("10 seconds")
        for (let call = 0; call < 100; call += 1) {
          expect(yield* refusal(pass)).toMatchObject({ place: 0, reached: "calls", remainingMs: 50_000 })
        }
        expect(asked.admit.length).toBe(6)
        yield* TestClock.adjust("50 seconds")
        yield* pass
        expect(asked.admit.length).toBe(7)
      })
    ))

  it("counts a call as open until its scope closes, however it ends", () =>
    world(() =>
      Effect.gen(function* () {
        const [leaveFirst] = [yield* stay, yield* stay]
        expect(yield* refusal(pass)).toMatchObject({ place: 0, reached: "atOnce", remainingMs: undefined })
        yield* leaveFirst
        expect(Exit.isFailure(yield* Effect.exit(Effect.scoped(Effect.andThen(enter(), Effect.fail("broken")))))).toBe(
          true
        )
        expect(Exit.isFailure(yield* Effect.exit(Effect.scoped(Effect.andThen(enter(), Effect.interrupt))))).toBe(true)
        yield* pass
      })
    ))

  it("keeps long calls open, and says of those that ended without another call that they did", () =>
    world(({ asked }) =>
      Effect.gen(function* () {
        const leaves = [yield* stay, yield* stay]
        const leases = asked.admit.map(({ lease }) => lease)
        yield* TestClock.adjust("10 minutes")
        expect(yield* refusal(pass)).toMatchObject({ reached: "atOnce" })
        expect(asked.keep.length).toBe(60)
        expect(asked.keep.every((kept) => kept.leases.length === 2 && kept.ended.length === 0)).toBe(true)
        yield* Effect.all(leaves)
        yield* TestClock.adjust("1 second")
        expect(asked.keep.slice(60)).toMatchObject([{ leases: [], ended: leases }])
        yield* TestClock.adjust("1 hour")
        expect(asked.keep.length).toBe(61)
      })
    ))

  it("lets the calls of a process that died count as open for half a minute", () =>
    world(() =>
      Effect.gen(function* () {
        const limiter = yield* CallLimiter
        for (const lease of ["one", "other"]) {
          yield* limiter.admit({ limits, windowMs: MINUTE_MS, lease, leaseMs: 30_000, ended: [] })
        }
        expect(yield* refusal(pass)).toMatchObject({ reached: "atOnce" })
        yield* TestClock.adjust("30 seconds")
        yield* pass
      })
    ))

  it("admits no call while the store is down, and keeps no lease of an uncertain admission", () =>
    world(({ store }) =>
      Effect.gen(function* () {
        store.down = true
        for (let call = 0; call < 2; call += 1) expect(yield* refusal(pass)).toMatchObject({ _tag: "StorageFailed" })
        store.down = false
        const leaves = [yield* stay, yield* stay]
        expect(yield* refusal(pass)).toMatchObject({ reached: "atOnce" })
        yield* Effect.all(leaves)
      })
    ))
})
