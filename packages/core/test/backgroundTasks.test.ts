import { assert, describe, it } from "@effect/vitest"
import { BACKGROUND_TASKS, type BackgroundTaskName, backgroundWorkLayer, DocumentService } from "@parley/core"
import { CreditLedger } from "@parley/core/adapter"
import { reservation, testedLedger } from "@parley/core/testing"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { scriptedModel, world } from "./chat/world.ts"

const model = scriptedModel(() => Stream.empty)

/** A person with an uploaded document, the hold of a process that died, and a period that ends in a month. */
const given = Effect.gen(function* () {
  const ledger = yield* testedLedger
  const { nextResetAt } = yield* ledger.open({ userId: "ann", tier: "free", allowance: 3 })
  yield* ledger.reserve(reservation("ann", "reply:1", 1, { ttlMs: 1_000 }))
  const bytes = new TextEncoder().encode("The sky over Basel is blue today.")
  const { id } = yield* DocumentService.use(({ upload }) => upload({ userId: "ann", filename: "sky.txt", bytes }))
  return { documentId: id, nextResetAt }
})

/** What is done of that work. */
const done = (documentId: string) =>
  Effect.gen(function* () {
    const { heldAllowance, nextResetAt } = yield* CreditLedger.use((ledger) => ledger.account("ann"))
    const { status } = yield* DocumentService.use(({ get }) => get("ann", documentId))
    return { read: status === "ready", swept: heldAllowance === 0, nextResetAt }
  })

/** Reading takes hashes from the platform, which no clock of a test moves: it is waited for. */
const readingEnds = (documentId: string) =>
  done(documentId).pipe(
    Effect.tap(({ read }) => (read ? Effect.void : TestClock.withLive(Effect.sleep("10 millis")))),
    Effect.repeat({ until: ({ read }) => read, times: 1_000 })
  )

const begun = (names?: ReadonlyArray<BackgroundTaskName>) =>
  Effect.gen(function* () {
    yield* Layer.build(backgroundWorkLayer(names))
    yield* TestClock.adjust(0)
  })

describe("background work", () => {
  it.effect("reads documents, ends the holds of dead processes and begins the periods that ended meanwhile", () =>
    Effect.gen(function* () {
      const { documentId, nextResetAt } = yield* given
      yield* TestClock.setTime(nextResetAt)
      yield* begun()
      yield* TestClock.adjust("2 minutes")
      const { nextResetAt: next, ...rest } = yield* readingEnds(documentId)
      assert.deepStrictEqual({ ...rest, reset: next > nextResetAt }, { read: true, swept: true, reset: true })
    }).pipe(Effect.provide(world(model)))
  )

  it.effect("begins the periods that end while it runs, within little more than an hour", () =>
    Effect.gen(function* () {
      const { documentId, nextResetAt } = yield* given
      yield* TestClock.setTime(nextResetAt - 2 * 60_000)
      yield* begun(["resets"])
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual((yield* done(documentId)).nextResetAt, nextResetAt)
      yield* TestClock.adjust("73 minutes")
      assert.isAbove((yield* done(documentId)).nextResetAt, nextResetAt)
    }).pipe(Effect.provide(world(model)))
  )

  it.effect.each(BACKGROUND_TASKS.filter((name) => name !== "requeue"))(
    "does nothing but what it is asked to: %s",
    (name) =>
      Effect.gen(function* () {
        const { documentId, nextResetAt } = yield* given
        yield* TestClock.setTime(nextResetAt)
        yield* begun([name])
        yield* TestClock.adjust("2 minutes")
        if (name === "jobs") yield* readingEnds(documentId)
        const { nextResetAt: next, read, swept } = yield* done(documentId)
        const worked = { jobs: read, holds: swept, resets: next > nextResetAt }
        assert.deepStrictEqual(worked, { jobs: false, holds: false, resets: false, [name]: true })
      }).pipe(Effect.provide(world(model)))
  )
})
