import { assert, describe, it } from "@effect/vitest"
import type { UserId } from "@parley/core"
import { AuditLog, DocumentUnreadable, EmbeddingFailed, JobQueue, PassageIndex } from "@parley/core/adapter"
import { Reindexing } from "@parley/core/effect"
import { newUserId } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { documentsReindexing, everyonesReindexing } from "../../src/documents/indexing/reindexing/reindexJobs.ts"
import { makeWorld, ready, textOf } from "./reindexWorld.ts"

const makeReindexing = () => {
  const { layer, world } = makeWorld()
  return { world, layer: Layer.provideMerge(Reindexing.layer, layer) }
}

const ofPerson = (userId: UserId) => Reindexing.use((reindexing) => reindexing.ofPerson(userId))
const start = (userId: UserId) => Reindexing.use((reindexing) => reindexing.start(userId))

/** Works on jobs until none waits or runs; time passes meanwhile. */
const workToTheEnd = Effect.scoped(
  Effect.gen(function* () {
    const queue = yield* JobQueue
    yield* queue.work(yield* Effect.all([documentsReindexing.handler, everyonesReindexing.handler]))
    const open = Effect.forEach(["waiting", "running"] as const, (state) => queue.list(undefined, { state, limit: 1 }))
    while ((yield* open).some(({ jobs }) => jobs.length > 0)) {
      yield* Effect.promise(() => new Promise(setImmediate))
      yield* TestClock.adjust("1 second")
    }
  })
)

const embedderOf = (key: { readonly userId: UserId; readonly documentId: string }) =>
  Effect.map(
    PassageIndex.use((index) => index.indexings([key])),
    ([found]) => found?.embedder
  )

describe("re-indexing as queued work", () => {
  it.effect("does a person's outdated documents, and leaves those of others", () => {
    const { layer, world } = makeReindexing()
    return Effect.gen(function* () {
      const [userId, other] = [newUserId(), newUserId()]
      const own = yield* Effect.forEach(["a", "b", "c"], (name) => ready(userId, textOf(name)))
      const foreign = yield* ready(other, textOf("d"))
      assert.deepInclude(yield* ofPerson(userId), { documents: 3, outdated: 0, work: "none" })
      world.model = "in-memory/two"
      const before = yield* ofPerson(userId)
      assert.deepInclude(before, { documents: 3, outdated: 3, outdatedPassages: before.passages, failed: 0 })
      yield* start(userId)
      yield* start(userId)
      assert.deepInclude(yield* ofPerson(userId), { outdated: 3, work: "waiting" })
      world.asked.length = 0
      yield* workToTheEnd
      assert.deepInclude(yield* ofPerson(userId), { documents: 3, outdated: 0, failed: 0, work: "none" })
      for (const key of own) assert.match((yield* embedderOf(key)) ?? "", /two/)
      assert.match((yield* embedderOf(foreign)) ?? "", /one/)
      assert.strictEqual(world.asked.length, new Set(world.asked).size)
      assert.deepInclude(yield* ofPerson(other), { outdated: 1, work: "none" })
    }).pipe(Effect.provide(layer))
  })

  it.effect("takes turns of bounded length, each behind the jobs that came meanwhile", () => {
    const { layer, world } = makeReindexing()
    return Effect.gen(function* () {
      const [userId, other] = [newUserId(), newUserId()]
      yield* Effect.forEach(["a", "b", "c", "d", "e", "f"], (name) => ready(userId, textOf(name)))
      yield* ready(other, textOf("g"))
      world.model = "in-memory/two"
      // Every request takes longer than a turn.
      const order: Array<string> = []
      world.onRequest = ([text = ""]) =>
        Effect.suspend(() => {
          order.push(text.includes(" of g ") ? "other" : "own")
          return Effect.sleep("11 seconds")
        })
      yield* start(userId)
      yield* start(other)
      yield* workToTheEnd
      assert.deepInclude(yield* ofPerson(userId), { outdated: 0, work: "none" })
      const queue = yield* JobQueue
      const { jobs } = yield* queue.list(userId, { limit: 100 })
      assert.isAtLeast(jobs.length, 3)
      // The other person did not wait for all of these documents.
      assert.isBelow(order.indexOf("other"), order.lastIndexOf("own"))
    }).pipe(Effect.provide(layer))
  })

  it.effect(
    "a document that cannot be read is named, in nobody's way, and tried again with the next start alone",
    () => {
      const { layer, world } = makeReindexing()
      return Effect.gen(function* () {
        const userId = newUserId()
        const bad = yield* ready(userId, textOf("bad"))
        yield* Effect.forEach(["good", "fine", "well"], (name) => ready(userId, textOf(name)))
        world.parserVersion = "2"
        let isBroken = true
        world.parse = (bytes) => {
          const text = new TextDecoder().decode(bytes)
          const read =
            isBroken && text.includes("bad")
              ? Effect.fail(new DocumentUnreadable({ reason: "It is broken.", failure: "damaged" }))
              : Effect.succeed(text)
          // So that several turns are needed.
          return Effect.delay(read, "11 seconds")
        }
        yield* start(userId)
        yield* workToTheEnd
        assert.strictEqual(world.reads, 4)
        const failed = yield* ofPerson(userId)
        assert.deepInclude(failed, { documents: 4, outdated: 1, failed: 1, work: "none" })
        assert.deepStrictEqual(
          failed.failures.map(({ documentId, failure }) => [documentId, failure]),
          [[bad.documentId, "damaged"]]
        )
        isBroken = false
        yield* start(userId)
        yield* workToTheEnd
        assert.deepInclude(yield* ofPerson(userId), { outdated: 0, failed: 0, failures: [] })
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("stops after a few tries if the provider refuses, and goes on from there with the next start", () => {
    const { layer, world } = makeReindexing()
    return Effect.gen(function* () {
      const userId = newUserId()
      const keys = yield* Effect.forEach(["a", "b", "c"], (name) => ready(userId, textOf(name)))
      world.model = "in-memory/two"
      world.asked.length = 0
      let answered = 0
      world.onRequest = () =>
        Effect.suspend(() => {
          answered += 1
          return answered > 3
            ? Effect.fail(new EmbeddingFailed({ reason: "unavailable", retryable: false }))
            : Effect.void
        })
      yield* start(userId)
      yield* workToTheEnd
      const stopped = yield* ofPerson(userId)
      assert.deepInclude(stopped, { work: "stopped", failed: 0, failures: [] })
      assert.isAbove(stopped.outdated, 0)
      const everyone = yield* Reindexing.use(({ ofEveryone }) => ofEveryone)
      assert.deepInclude(everyone, { outdated: stopped.outdated, stopped: [userId] })
      world.asked.length = 0
      world.onRequest = () => Effect.void
      yield* start(userId)
      yield* workToTheEnd
      assert.deepInclude(yield* ofPerson(userId), { outdated: 0, work: "none" })
      assert.strictEqual(world.asked.length, new Set(world.asked).size)
      for (const key of keys) assert.match((yield* embedderOf(key)) ?? "", /two/)
    }).pipe(Effect.provide(layer))
  })

  it.effect("started by an operator, does the documents of every person, and is in the audit log", () => {
    const { layer, world } = makeReindexing()
    return Effect.gen(function* () {
      const people = [newUserId(), newUserId(), newUserId()]
      for (const userId of people) yield* ready(userId, textOf(userId))
      world.model = "in-memory/two"
      const reindexing = yield* Reindexing
      const estimate = yield* reindexing.estimate(undefined)
      assert.deepInclude(estimate, { outdated: 3, usdPerMillionTokens: undefined })
      assert.isAbove(estimate.tokens ?? 0, 3 * 700 * 8)
      const [group] = (yield* reindexing.ofEveryone).groups
      assert.match(`${group?.embedder} to ${group?.today.embedder}`, /one.* to .*two/)
      yield* reindexing.startEveryone(newUserId(), { by: "user:olga", reason: "a new model" })
      yield* reindexing.start(people[0]!, { by: "user:olga", reason: "asked for it" })
      yield* workToTheEnd
      assert.deepInclude(yield* reindexing.ofEveryone, { documents: 3, outdated: 0, groups: [], failures: [] })
      assert.deepInclude(yield* reindexing.estimate(undefined), { outdated: 0, tokens: 0 })
      const log = yield* AuditLog
      const entries = yield* log.list({ userId: undefined, since: undefined, before: undefined, limit: 10 })
      assert.deepStrictEqual(
        entries.map(({ action, reason, userId }) => [action, reason, userId]),
        [
          ["reindex", "asked for it", people[0]],
          ["reindex", "a new model", undefined]
        ]
      )
    }).pipe(Effect.provide(layer))
  })
})
