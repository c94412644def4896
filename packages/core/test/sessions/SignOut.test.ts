import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { AccessList } from "../../src/sessions/AccessList.ts"
import { InMemoryAccessStore } from "../../src/sessions/InMemoryAccessStore.ts"
import { InMemoryRevokedSessions } from "../../src/sessions/InMemoryRevokedSessions.ts"
import { RevokedSessions } from "../../src/sessions/RevokedSessions.ts"
import { SignOut } from "../../src/sessions/SignOut.ts"
import { StorageFailed } from "../../src/storage/StorageFailed.ts"

const HOUR_MS = 3_600_000

/** Two processes on one store that counts how often it is asked, and may be down. */
const staged = Effect.gen(function* () {
  const asked = { times: 0, isDown: false }
  const store = yield* Effect.provide(RevokedSessions.use(Effect.succeed), InMemoryRevokedSessions.layer)
  const failure = new StorageFailed({ operation: "test", retryable: false, cause: new Error("down") })
  const watched = RevokedSessions.of({
    revoke: (session) => (asked.isDown ? Effect.fail(failure) : store.revoke(session)),
    since: (moment) =>
      Effect.suspend(() => {
        asked.times += 1
        return asked.isDown ? Effect.fail(failure) : Effect.andThen(Effect.yieldNow, store.since(moment))
      })
  })
  const process = Effect.map(
    Layer.build(
      Layer.fresh(SignOut.layer.pipe(Layer.provide(AccessList.layer))).pipe(
        Layer.provide(Layer.merge(Layer.succeed(RevokedSessions, watched), InMemoryAccessStore.layer))
      )
    ),
    (context) => Effect.provideContext(SignOut.use(Effect.succeed), context)
  )
  return { asked, first: yield* yield* process, second: yield* yield* process }
})

const run = <A, E>(work: (stage: Effect.Success<typeof staged>) => Effect.Effect<A, E>) =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(staged, work)).pipe(Effect.provide([TestClock.layer(), Logger.layer([])]))
  )

it("a session that is signed out is refused here at once, and elsewhere within two seconds", () =>
  run(({ first, second }) =>
    Effect.gen(function* () {
      // Both have just asked the storage, and rely on its answer.
      for (const process of [first, second]) expect(yield* process.isSignedOut("token")).toBe(false)
      yield* first.signOut({ token: "token", expiresAt: HOUR_MS })
      expect(yield* first.isSignedOut("token")).toBe(true)
      yield* TestClock.adjust("2 seconds")
      expect(yield* second.isSignedOut("token")).toBe(true)
      expect(yield* second.isSignedOut("another")).toBe(false)
    })
  ))

it("a process that starts afterwards refuses it too", () =>
  run(({ first, second }) =>
    Effect.gen(function* () {
      yield* first.signOut({ token: "token", expiresAt: HOUR_MS })
      expect(yield* second.isSignedOut("token")).toBe(true)
    })
  ))

it("asks once for all requests of two seconds, and not once for each", () =>
  run(({ asked, first }) =>
    Effect.gen(function* () {
      for (let round = 1; round <= 3; round++) {
        yield* Effect.all(
          Array.from({ length: 50 }, (_, request) => first.isSignedOut(`token-${request}`)),
          { concurrency: "unbounded" }
        )
        expect(asked.times).toBe(round)
        yield* TestClock.adjust("2 seconds")
      }
    })
  ))

it("while the storage is down, uses the last list, and refuses all sessions if it never had one", () =>
  run(({ asked, first, second }) =>
    Effect.gen(function* () {
      yield* first.signOut({ token: "token", expiresAt: HOUR_MS })
      expect(yield* first.isSignedOut("other")).toBe(false)
      asked.isDown = true
      yield* TestClock.adjust("1 minute")
      expect(yield* first.isSignedOut("token")).toBe(true)
      expect(yield* first.isSignedOut("other")).toBe(false)
      expect(yield* Effect.flip(second.isSignedOut("other"))).toBeInstanceOf(StorageFailed)
      expect(yield* Effect.flip(first.signOut({ token: "other", expiresAt: HOUR_MS }))).toBeInstanceOf(StorageFailed)
      expect(yield* first.isSignedOut("other")).toBe(false)
      asked.isDown = false
      expect(yield* second.isSignedOut("token")).toBe(true)
    })
  ))
