import { assert, describe, it } from "@effect/vitest"
import type { Document } from "@parley/core"
import {
  StorageFailed,
  DocumentParser,
  DocumentStore,
  FileStore,
  PassageIndex,
  PassageWriter,
  verifyPassages
} from "@parley/core/adapter"
import { InMemoryRateLimiter } from "../../src/limits/InMemoryRateLimiter.ts"
import { ampleQuota, newDocument, newUserId } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { documentProcessing, MAX_TEXT_LENGTH } from "../../src/documents/reading/processDocument.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"

/** 400 passages or so: several batches. */
const LONG = Array.from({ length: 8000 }, (_, line) => `Line ${line} speaks of lift, of drag and of wings.\n`).join("")

const lost = new StorageFailed({ operation: "PassageWriter.add", retryable: true, cause: new Error("lost") })

/** A writer that fails the `failing`-th `add` (from 1), after `before`, and notes the ordinals of those that succeed. */
const breakingWriter = (
  failing: number,
  before: (writer: PassageWriter["Service"]) => Effect.Effect<unknown, unknown> = () => Effect.void
) => {
  const added: Array<number> = []
  let calls = 0
  const layer = Layer.effect(
    PassageWriter,
    Effect.map(PassageWriter, (index) =>
      PassageWriter.of({
        ...index,
        add: Effect.fnUntraced(function* (generation, passages) {
          calls++
          if (calls === failing) {
            yield* Effect.orDie(before(index))
            return yield* lost
          }
          const counts = yield* index.add(generation, passages)
          added.push(...passages.map(({ ordinal }) => ordinal))
          return counts
        })
      })
    )
  )
  return { added, layer }
}

const parsing = (text: string) =>
  Layer.succeed(DocumentParser, { parse: () => Effect.succeed({ text, pageStarts: null }) })

const on = (text: string, index: ReturnType<typeof breakingWriter>["layer"]) =>
  index.pipe(
    Layer.provideMerge(inMemoryStorageLayer),
    Layer.merge(Layer.merge(parsing(text), InMemoryRateLimiter.layer))
  )

const uploaded = Effect.gen(function* () {
  const document = newDocument(newUserId())
  yield* DocumentStore.use((documents) => documents.insert(document, ampleQuota))
  yield* FileStore.use((files) =>
    files.write({ userId: document.userId, documentId: document.id, bytes: new Uint8Array([1]) })
  )
  return document
})

const tried = Effect.fnUntraced(function* ({ id, userId }: Document, last: boolean) {
  const { run } = yield* documentProcessing.handler
  const attempt = { id: "job", number: 1, retried: false, report: () => undefined }
  return yield* Effect.exit(run({ ...attempt, owner: userId, payload: { documentId: id }, last }))
})

const stateOf = ({ id, userId }: Document) =>
  DocumentStore.use((documents) => Effect.map(documents.find(userId, [id]), ([found]) => found))

const storedOf = ({ id, userId }: Document) => PassageIndex.use((index) => index.read({ userId, documentId: id }))

describe("processing a document", () => {
  it.live("a try that breaks off is continued by the next, which writes what is missing and nothing twice", () => {
    const { added, layer } = breakingWriter(3)
    return Effect.gen(function* () {
      const document = yield* uploaded
      assert.strictEqual((yield* tried(document, false))._tag, "Failure")
      const half = yield* stateOf(document)
      assert.strictEqual(half?.status, "processing")
      assert.isAbove(half?.progress ?? 0, 0.5)
      assert.isBelow(half?.progress ?? 0, 1)
      assert.isUndefined(yield* storedOf(document))
      const kept = added.length
      assert.isAbove(kept, 0)
      assert.strictEqual((yield* tried(document, true))._tag, "Success")
      assert.isAbove(added.length, kept)
      assert.deepStrictEqual(added, [...added.keys()])
      const stored = yield* storedOf(document)
      assert.strictEqual(stored?.text, LONG)
      assert.deepStrictEqual(stored && verifyPassages(stored), [])
      assert.deepInclude(yield* stateOf(document), { status: "ready", progress: 1, passages: added.length })
    }).pipe(Effect.provide(on(LONG, layer)))
  })

  it.live("the last try leaves nothing unfinished where it fails", () => {
    const { added, layer } = breakingWriter(3)
    return Effect.gen(function* () {
      const document = yield* uploaded
      assert.strictEqual((yield* tried(document, true))._tag, "Failure")
      assert.deepInclude(yield* stateOf(document), { status: "failed" })
      const kept = added.length
      yield* DocumentStore.use((documents) =>
        documents.update(document.userId, document.id, ["failed"], { status: "processing", progress: 0 })
      )
      assert.strictEqual((yield* tried(document, true))._tag, "Success")
      assert.strictEqual(added[kept], 0)
    }).pipe(Effect.provide(on(LONG, layer)))
  })

  it.live("ends quietly if the document is deleted, or re-indexed, in the middle", () => {
    const otherwise: ReadonlyArray<
      (document: Document) => Effect.Effect<unknown, unknown, DocumentStore | PassageWriter>
    > = [
      (document: Document) => DocumentStore.use((documents) => documents.remove(document.userId, document.id)),
      ({ id, userId }: Document) =>
        PassageWriter.use((writer) =>
          writer.begin({ userId, documentId: id, parsed: { text: "new", pageStarts: null }, fingerprint: "new" })
        )
    ]
    return Effect.forEach(otherwise, (interfere) => {
      let meddle: Effect.Effect<unknown, unknown> = Effect.void
      const { layer } = breakingWriter(Number.POSITIVE_INFINITY)
      const meddling = Layer.effect(
        PassageWriter,
        Effect.map(PassageWriter, (index) =>
          PassageWriter.of({
            ...index,
            add: (generation, passages) => Effect.tap(index.add(generation, passages), () => Effect.orDie(meddle))
          })
        )
      ).pipe(Layer.provideMerge(layer))
      return Effect.gen(function* () {
        const document = yield* uploaded
        meddle = Effect.provideContext(interfere(document), yield* Effect.context<DocumentStore | PassageWriter>())
        assert.strictEqual((yield* tried(document, true))._tag, "Success")
        assert.notStrictEqual((yield* stateOf(document))?.status, "ready")
        assert.isUndefined(yield* storedOf(document))
      }).pipe(Effect.provide(on(LONG, meddling)))
    })
  })

  it.live("a text longer than can be kept fails with a reason", () => {
    const { added, layer } = breakingWriter(0)
    return Effect.gen(function* () {
      const document = yield* uploaded
      yield* tried(document, false)
      const failed = yield* stateOf(document)
      assert.strictEqual(failed?.status, "failed")
      assert.match(failed?.reason ?? "", /more text than the [\d,]+ characters/)
      assert.deepStrictEqual(added, [])
    }).pipe(Effect.provide(on("x".repeat(MAX_TEXT_LENGTH + 1), layer)))
  })
})
