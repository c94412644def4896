import { passagePorts } from "./passagePorts.ts"
/** The effects of a crash of the database server on an indexing: passages do not wait for the disk, a switch does. */
import {
  DocumentStore,
  type Embedder,
  indexDocument,
  type ParsedDocument,
  PassageEmbedder,
  PASSAGES_PER_BATCH,
  StorageFailed,
  UnitOfWork
} from "@parley/core/adapter"
import {
  ampleQuota,
  type EmbedderScript,
  makeEmbedderScript,
  newDocument,
  newUserId,
  passagesOf,
  scriptedEmbedder
} from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { PgDocumentStoreLayer } from "../../src/documents/storing/PgDocumentStore.ts"
import { PgPassageIndexLayer } from "../../src/documents/indexing/PgPassageIndex.ts"
import { migrate } from "../../src/migrations/migrate.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { CrashedServer } from "../faults/CrashedServer.ts"
import { unsound } from "./unsoundIndex.ts"

const BATCHES = 4

/** A text of a few batches, and one that is short enough to be put at once. */
const text = (lines: number): ParsedDocument => ({
  text: Array.from(
    { length: lines },
    (_, line) => `Line ${line} speaks of lift, of drag, of wings and of ${line * 7}.`
  ).join("\n"),
  pageStarts: null
})
const LONG = text(PASSAGES_PER_BATCH * BATCHES * 16)

let server: CrashedServer
beforeAll(async () => {
  server = await CrashedServer.start()
})
afterAll(() => server[Symbol.asyncDispose]())

type Parts = Layer.Success<ReturnType<typeof parts>>

const parts = (embedder: Embedder["Service"] | undefined) =>
  Layer.mergeAll(PgDocumentStoreLayer, PgPassageIndexLayer, PgUnitOfWorkLayer).pipe(
    Layer.provide(Layer.succeed(PassageEmbedder, embedder)),
    Layer.provideMerge(Layer.provideMerge(Layer.effectDiscard(migrate()), PgDatabaseLayer({ url: server.url })))
  )

/** One life of a program on the server. */
const life = <A, E>(work: Effect.Effect<A, E, Parts>, embedder?: Embedder["Service"]): Promise<A> =>
  Effect.runPromise(Effect.provide(work, Layer.fresh(parts(embedder))))

/** A life that ends with a crash of the server, of which nothing is written from `work` on but what that waits for. */
const lifeUntilCrash = async <A, E, B, F>(
  before: Effect.Effect<A, E, Parts>,
  work: (made: A) => Effect.Effect<B, F, Parts>,
  embedder?: Embedder["Service"]
): Promise<{ readonly made: A; readonly result: B }> => {
  const all = Effect.gen(function* () {
    const made = yield* before
    const { crash } = yield* Effect.promise(() => server.withoutLogWriter())
    const result = yield* work(made)
    yield* Effect.promise(crash)
    return { made, result }
  })
  try {
    return await life(all, embedder)
  } finally {
    await server.restart()
  }
}

const newlyStored = Effect.gen(function* () {
  const document = newDocument(newUserId(), { status: "processing" })
  yield* (yield* DocumentStore).insert(document, ampleQuota)
  return { userId: document.userId, documentId: document.id }
})
type Key = Effect.Success<typeof newlyStored>

/** Called by a test that watches an indexing, to end it. */
const enough = new StorageFailed({ operation: "the test", retryable: true, cause: undefined })

/** Writes passages; if batches are named, waits for the disk after this number, and ends after that one. */
const fill = (document: Key, { end = Infinity, flush = -1 }: { end?: number; flush?: number } = {}) =>
  Effect.gen(function* () {
    const index = yield* passagePorts
    const documents = yield* DocumentStore
    const { documentId, userId } = document
    const progress = documents.update(userId, documentId, ["processing"], { status: "processing", progress: 0.5 })
    return yield* indexDocument(index, {
      document,
      parsed: LONG,
      last: false,
      onProgress: Effect.fnUntraced(function* ({ passages }) {
        if (passages === flush * PASSAGES_PER_BATCH) yield* progress
        if (passages === end * PASSAGES_PER_BATCH) return yield* enough
      })
    })
  })

const filledOrEnded = (document: Key, options: { end: number; flush?: number }) =>
  Effect.catchIf(
    fill(document, options),
    (error) => error === enough,
    () => Effect.void
  )

/** The switch, as the work on a document does it. */
const finish = (key: Key, generation: Effect.Success<ReturnType<typeof fill>>) =>
  Effect.gen(function* () {
    const index = yield* passagePorts
    const documents = yield* DocumentStore
    const { documentId, userId } = key
    const ready = documents.update(userId, documentId, ["processing"], {
      status: "ready",
      progress: 1,
      passages: generation.passages
    })
    yield* (yield* UnitOfWork).run(userId, Effect.andThen(index.activate(generation), ready))
  })

const fillAndFinish = (key: Key) => Effect.flatMap(fill(key), (generation) => finish(key, generation))

const found = ({ documentId, userId }: Key) =>
  Effect.gen(function* () {
    const passages = yield* (yield* passagePorts).read({ userId, documentId })
    const [document] = yield* (yield* DocumentStore).find(userId, [documentId])
    expect(yield* unsound(userId)).toEqual([])
    return { passages, status: document?.status, counted: document?.passages }
  })

/** The result of an undisturbed indexing. */
const undisturbed = () =>
  life(
    Effect.gen(function* () {
      const key = yield* newlyStored
      yield* fillAndFinish(key)
      const all = yield* found(key)
      expect(all.passages?.passages.length).toBeGreaterThan(PASSAGES_PER_BATCH * (BATCHES - 1))
      return all
    })
  )

it("a crash of the server takes passages of what is not searched yet, and the next try ends with those of an undisturbed one", async () => {
  const whole = await undisturbed()
  for (const flush of [0, 1, 3]) {
    const { made: key } = await lifeUntilCrash(newlyStored, (key) => filledOrEnded(key, { flush, end: 3 }))
    const kept: Array<number> = []
    const again = Effect.gen(function* () {
      const index = yield* passagePorts
      const generation = yield* indexDocument(index, {
        document: key,
        parsed: LONG,
        last: false,
        onProgress: ({ passages }) => Effect.sync(() => kept.push(passages))
      })
      yield* finish(key, generation)
      return yield* found(key)
    })
    expect(await life(again), `flushed ${flush}`).toEqual(whole)
    // Flushed batches are continued; batches that were not flushed were really lost.
    expect(kept[0]).toBe(flush * PASSAGES_PER_BATCH)
  }
})

it("a document that became the searched one is there, whole, after a crash in the same moment", async () => {
  const whole = await undisturbed()
  const { made: key } = await lifeUntilCrash(newlyStored, fillAndFinish)
  expect(await life(found(key))).toEqual(whole)
})

it("a document that was put at once is there, whole, after a crash in the same moment", async () => {
  const texts = ["lift and drag", "rotor", "flap"]
  const passages = passagesOf(...texts)
  const put = ({ documentId, userId }: Key) =>
    Effect.gen(function* () {
      const index = yield* passagePorts
      const documents = yield* DocumentStore
      const parsed = { text: texts.join(" "), pageStarts: null }
      const ready = { status: "ready", progress: 1, passages: texts.length } as const
      yield* index.put(
        { userId, documentId, parsed, fingerprint: "one", passages },
        documents.update(userId, documentId, ["processing"], ready)
      )
    })
  const { made: key } = await lifeUntilCrash(newlyStored, put)
  const there = await life(found(key))
  expect(there.passages?.passages.map((passage) => passage.text)).toEqual(texts)
  expect(there).toMatchObject({ status: "ready", counted: texts.length })
  // Outside a unit of work as well.
  const alone = ({ documentId, userId }: Key) =>
    Effect.flatMap(passagePorts, (index) =>
      index.put({
        userId,
        documentId,
        parsed: { text: texts.join(" "), pageStarts: null },
        fingerprint: "one",
        passages
      })
    )
  const { made: other } = await lifeUntilCrash(newlyStored, alone)
  expect((await life(found(other))).passages?.passages.map((passage) => passage.text)).toEqual(texts)
})

it("what an embedder was paid for is there after a crash in the same moment", async () => {
  const script: EmbedderScript = makeEmbedderScript()
  const embedder = scriptedEmbedder(script)
  // One request, whose embeddings come with the passages, and several, whose embeddings are stored before them.
  for (const count of [8, 40]) {
    const userTexts = (userId: string) =>
      Array.from({ length: count }, (_, number) => `car number${number}, of ${userId}`)
    const begin = (key: Key) =>
      Effect.flatMap(passagePorts, (index) =>
        index.begin({ ...key, parsed: { text: userTexts(key.userId).join(" "), pageStarts: null }, fingerprint: "one" })
      )
    const { made } = await lifeUntilCrash(
      Effect.gen(function* () {
        const key = yield* newlyStored
        return { key, generation: yield* begin(key) }
      }),
      ({ generation, key }) =>
        Effect.flatMap(passagePorts, (index) => index.add(generation, passagesOf(...userTexts(key.userId)))),
      embedder
    )
    const { key } = made
    const again = Effect.gen(function* () {
      const index = yield* passagePorts
      const generation = yield* begin(key)
      yield* index.add(generation, passagesOf(...userTexts(key.userId)))
      yield* index.activate(generation)
      return yield* found(key)
    })
    expect((await life(again, embedder)).passages?.passages).toHaveLength(count)
    const asked = script.asked.filter((each) => each.endsWith(key.userId))
    expect(asked.toSorted()).toEqual(userTexts(key.userId).toSorted())
  }
})
