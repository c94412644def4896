import { passagePorts } from "../../src/testing/documents/passages/passageIndexFixtures.ts"
import { assert, describe, it } from "@effect/vitest"
import {
  DocumentParser,
  DocumentStore,
  DocumentUnreadable,
  EmbeddingFailed,
  type FileStore,
  makeInMemoryEmbedder,
  type PassageIndex,
  type PassageWriter,
  type UnitOfWork,
  verifyPassages
} from "@parley/core/adapter"
import { DocumentReindex, type ReindexInput } from "@parley/core/effect"
import { openInMemory } from "@parley/core"
import { ampleQuota, newDocument, newUserId } from "@parley/core/testing"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { openStorageLayer } from "../../src/StoragePorts.ts"
import { makeWorld, ready, textOf } from "./reindexWorld.ts"

/** By the present configuration. */
const run = (input?: ReindexInput) =>
  Effect.provide(
    DocumentReindex.use((reindex) => reindex.run(input)),
    Layer.fresh(DocumentReindex.layer)
  )
const estimate = (input?: ReindexInput) =>
  Effect.provide(
    DocumentReindex.use((reindex) => reindex.estimate(input)),
    Layer.fresh(DocumentReindex.layer)
  )

const indexedOf = (key: { readonly userId: string; readonly documentId: string }) =>
  Effect.flatMap(passagePorts, (index) => index.read(key))

const twice = (texts: ReadonlyArray<string>) => texts.length - new Set(texts).size

describe("re-indexing", () => {
  it.live(
    "gives every ready document a new generation of the same passages, asks for nothing that is paid for, and leaves others",
    () => {
      const { layer, world } = makeWorld()
      return Effect.gen(function* () {
        const userId = newUserId()
        const keys = [yield* ready(userId, textOf("one")), yield* ready(newUserId(), textOf("two"))]
        const unready = newDocument(userId, { status: "failed" })
        yield* (yield* DocumentStore).insert(unready, ampleQuota)
        const before = yield* Effect.forEach(keys, indexedOf)
        const index = yield* passagePorts
        const [was] = yield* index.indexings(keys)
        world.asked.length = 0
        const report = yield* run()
        assert.deepInclude(report, { done: 2, left: 0, undone: [], continued: false, asked: 0, mayBeContinued: false })
        assert.strictEqual(report.reused, report.passages)
        assert.deepStrictEqual(world.asked, [])
        assert.strictEqual(world.reads, 0)
        assert.deepStrictEqual(yield* Effect.forEach(keys, indexedOf), before)
        const [is] = yield* index.indexings(keys)
        assert.isAbove(is?.activatedAt ?? 0, was?.activatedAt ?? 0)
        for (const found of before) assert.deepStrictEqual(found && verifyPassages(found), [])
        const [document] = yield* (yield* DocumentStore).find(userId, [keys[0]!.documentId])
        assert.deepInclude(document, { status: "ready", progress: 1, passages: before[0]?.passages.length })
        // Whole again: the first had ended.
        assert.deepInclude(yield* run({ userId }), { done: 1, continued: false })
      }).pipe(Effect.provide(layer))
    }
  )

  it.live(
    "another embedder is asked for each passage once, as estimated, though the run is cut short in the middle of it",
    () => {
      const { layer, world } = makeWorld()
      return Effect.gen(function* () {
        const userId = newUserId()
        const keys = [
          yield* ready(userId, textOf("one")),
          yield* ready(userId, textOf("two")),
          yield* ready(userId, textOf("three"))
        ]
        const before = yield* Effect.forEach(keys, indexedOf)
        const passages = before.reduce((sum, found) => sum + (found?.passages.length ?? 0), 0)
        world.model = "in-memory/two"
        world.asked.length = 0
        const expected = yield* estimate()
        assert.deepInclude(expected, { documents: 3, passages, toEmbed: passages, toRead: 0, continued: false })
        assert.isAbove(expected.tokens, passages * 100)
        assert.isAtLeast(expected.calls, passages / 10)
        assert.deepStrictEqual(world.asked, [])
        const reached = yield* Deferred.make<void>()
        let requests = 0
        // The request after the seventh is never answered: the embeddings answered until then are paid for.
        world.onRequest = (texts) => {
          if (++requests <= 7) return Effect.void
          world.asked.splice(world.asked.length - texts.length, texts.length)
          return Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
        }
        const cut = yield* Effect.forkChild(run())
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(cut)
        world.onRequest = () => Effect.void
        assert.isAbove(world.asked.length, 0)
        assert.isBelow(world.asked.length, passages)
        assert.strictEqual((yield* estimate()).toEmbed, passages - world.asked.length)
        const report = yield* run()
        assert.deepInclude(report, { continued: true, left: 0 })
        assert.strictEqual(report.alreadyDone + report.done, 3)
        assert.strictEqual(world.asked.length, passages)
        assert.strictEqual(twice(world.asked), 0)
        assert.deepStrictEqual(yield* Effect.forEach(keys, indexedOf), before)
      }).pipe(Effect.provide(layer))
    }
  )

  it.live("two at once pay once, and each ends when all is done", () => {
    const { layer, world } = makeWorld()
    return Effect.gen(function* () {
      const userId = newUserId()
      yield* Effect.forEach(["a", "b", "c", "d", "e"], (name) => ready(userId, textOf(name)))
      world.model = "in-memory/two"
      world.asked.length = 0
      const [one, other] = yield* Effect.all([run(), run()], { concurrency: 2 })
      assert.deepEqual([one.left, other.left, one.done + other.done], [0, 0, 5])
      assert.strictEqual(twice(world.asked), 0)
      assert.strictEqual(world.asked.length, one.passages + other.passages)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a provider that asks to wait is waited for, and nothing is asked of it meanwhile", () => {
    const { layer, world } = makeWorld()
    return Effect.gen(function* () {
      yield* ready(newUserId(), textOf("one"))
      world.model = "in-memory/two"
      let refused = 0
      const limited = new EmbeddingFailed({ reason: "rate-limited", retryable: true, retryAfterMs: 60_000 })
      world.onRequest = () => Effect.suspend(() => (refused++ === 0 ? Effect.fail(limited) : Effect.void))
      const running = yield* Effect.forkChild(run())
      // Work before it, and while it waits, takes no time of this clock.
      while (refused === 0) yield* Effect.promise(() => new Promise(setImmediate))
      const asked = world.asked.length
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(world.asked.length, asked)
      yield* TestClock.adjust("2 seconds")
      assert.deepInclude(yield* Fiber.join(running), { done: 1, left: 0 })
    }).pipe(Effect.provide(layer))
  })

  it.live(
    "a provider that does not work stops the run; all stay ready as they were, are named or counted, and the next run does them",
    () => {
      const { layer, world } = makeWorld()
      return Effect.gen(function* () {
        const userId = newUserId()
        const keys = yield* Effect.forEach(["a", "b", "c", "d", "e", "f"], (name) => ready(userId, textOf(name)))
        const before = yield* Effect.forEach(keys, indexedOf)
        world.model = "in-memory/two"
        world.asked.length = 0
        const broken: ReadonlyArray<EmbeddingFailed> = [
          new EmbeddingFailed({ reason: "unavailable", retryable: false }),
          new EmbeddingFailed({ reason: "rate-limited", retryable: true, retryAfterMs: 3_600_000 })
        ]
        for (const failure of broken) {
          world.onRequest = () => Effect.fail(failure)
          const asked = world.asked.length
          const report = yield* run()
          assert.deepInclude(report, { done: 0, left: 6, mayBeContinued: true, stopped: failure.message })
          assert.isAtMost(report.undone.length, 2)
          // Two concurrent requests for two documents: no further request follows.
          assert.isAtMost(world.asked.length - asked, 2 * 2 * 10)
        }
        assert.deepStrictEqual(yield* Effect.forEach(keys, indexedOf), before)
        world.onRequest = () => Effect.void
        assert.deepInclude(yield* run(), { continued: true, done: 6, left: 0 })
      }).pipe(Effect.provide(layer))
    }
  )

  it.live(
    "bytes are read again only where the parser reads them otherwise; what cannot be read keeps its passages and is named",
    () => {
      const { layer, world } = makeWorld()
      return Effect.gen(function* () {
        const userId = newUserId()
        const [good, bad] = [yield* ready(userId, textOf("good")), yield* ready(userId, textOf("bad"))]
        const before = yield* indexedOf(bad)
        world.parserVersion = "2"
        world.parse = (bytes) => {
          const text = new TextDecoder().decode(bytes)
          return text.includes("bad")
            ? Effect.fail(new DocumentUnreadable({ reason: "It is broken." }))
            : Effect.succeed(`${text}\nA line more.`)
        }
        assert.deepInclude(yield* estimate(), { documents: 2, toRead: 2 })
        const report = yield* run()
        assert.deepInclude(report, { done: 1, left: 1, mayBeContinued: false, stopped: undefined })
        assert.deepStrictEqual(
          report.undone.map(({ code, documentId, reason }) => [documentId, code, reason]),
          [[bad.documentId, "document_unreadable", "It is broken."]]
        )
        assert.strictEqual(world.reads, 2)
        assert.match((yield* indexedOf(good))?.text ?? "", /A line more\.$/)
        assert.deepStrictEqual(yield* indexedOf(bad), before)
        const [document] = yield* (yield* DocumentStore).find(userId, [bad.documentId])
        assert.strictEqual(document?.status, "ready")
        const [indexing] = yield* (yield* passagePorts).indexings([good])
        assert.strictEqual(indexing?.parser, "2")
      }).pipe(Effect.provide(layer))
    }
  )

  it.live(
    "a document deleted in the middle is nothing left undone, and one uploaded in the middle is not in the way",
    () => {
      const { layer, world } = makeWorld()
      return Effect.gen(function* () {
        const userId = newUserId()
        const doomed = yield* ready(userId, textOf("doomed"))
        const kept = yield* ready(userId, textOf("kept"))
        const services = yield* Effect.context<DocumentStore | FileStore | PassageIndex | PassageWriter | UnitOfWork>()
        world.model = "in-memory/two"
        let meddled = false
        world.onRequest = (texts) => {
          if (meddled || !texts.some((text) => text.includes("doomed"))) return Effect.void
          meddled = true
          return Effect.gen(function* () {
            yield* (yield* DocumentStore).remove(doomed.userId, doomed.documentId)
            yield* ready(userId, textOf("new"))
          }).pipe(Effect.orDie, Effect.provideContext(services))
        }
        const report = yield* run()
        assert.isTrue(meddled)
        assert.deepInclude(report, { left: 0, undone: [] })
        assert.isUndefined(yield* indexedOf(doomed))
        const [indexing] = yield* (yield* passagePorts).indexings([kept])
        assert.strictEqual(indexing?.embedder, "in-memory/two/64")
      }).pipe(Effect.provide(layer))
    }
  )

  it.live("one person's documents, or one document, can be named; none, or one in work, is refused", () => {
    const { layer } = makeWorld()
    return Effect.gen(function* () {
      const [ann, bob] = [newUserId(), newUserId()]
      const first = yield* ready(ann, textOf("one"))
      yield* ready(ann, textOf("two"))
      yield* ready(bob, textOf("three"))
      assert.strictEqual((yield* run({ userId: ann })).done, 2)
      assert.strictEqual((yield* run({ documentId: first.documentId })).done, 1)
      assert.strictEqual((yield* run({ userId: newUserId() })).done, 0)
      const waiting = newDocument(ann)
      yield* (yield* DocumentStore).insert(waiting, ampleQuota)
      assert.strictEqual((yield* Effect.flip(run({ documentId: waiting.id })))._tag, "DocumentNotIndexed")
      for (const scope of [{ documentId: crypto.randomUUID() }, { userId: bob, documentId: first.documentId }]) {
        assert.strictEqual((yield* Effect.flip(run(scope)))._tag, "DocumentNotFound")
        assert.strictEqual((yield* Effect.flip(estimate(scope)))._tag, "DocumentNotFound")
      }
    }).pipe(Effect.provide(layer))
  })

  it.live("stores that were opened with an embedder are re-indexed by it, if createParley receives it from them", () =>
    Effect.gen(function* () {
      const embedder = makeInMemoryEmbedder({})
      const stores = yield* Effect.promise(() => openInMemory({ embedder }))
      const layer = Layer.merge(
        openStorageLayer(stores),
        Layer.succeed(DocumentParser, { versionOf: () => "1", parse: () => Effect.die("The stored text is enough.") })
      )
      yield* Effect.gen(function* () {
        const key = yield* ready(newUserId(), textOf("one"))
        const model = (yield* stores.passages.indexings([key]))[0]?.embedder
        assert.isDefined(model)
        assert.deepInclude(yield* estimate(), { documents: 1, toEmbed: 0, embedder: model })
        assert.deepInclude(yield* run(), { done: 1, left: 0, undone: [], mayBeContinued: false })
        assert.strictEqual((yield* stores.passages.indexings([key]))[0]?.embedder, model)
      }).pipe(Effect.provide(layer))
    })
  )
})
