import { assert, it } from "@effect/vitest"
import { DocumentStore, FileStore, JobQueue, PassageIndex, pieceTokenizer, ProcessDocument } from "@parley/core/adapter"
import { ampleQuota, newDocument, newUserId } from "@parley/core/testing"
import { Effect } from "effect"
import { documentProcessing } from "../../src/documents/reading/processDocument.ts"
import { makeWorld, textOf } from "./reindexWorld.ts"

const TOKENS = 2_000
const TEXTS = 50

/** Sentences whose characters are tokens each. */
const wideText = Array.from({ length: 900 }, (_, line) => `第${line}条。賃貸借契約は五月に終了する。`).join("\n")

it.live(
  "the passages of an upload are embedded in requests within every limit of the embedder, and none is left out",
  () => {
    const { layer, world } = makeWorld({ textsPerRequest: TEXTS, tokensPerRequest: TOKENS, concurrency: 2 })
    return Effect.gen(function* () {
      const requests: Array<{ readonly texts: number; readonly tokens: number }> = []
      let [atOnce, mostAtOnce] = [0, 0]
      world.onRequest = (texts) =>
        Effect.gen(function* () {
          requests.push({
            texts: texts.length,
            tokens: texts.reduce((sum, text) => sum + pieceTokenizer.count(text).max, 0)
          })
          mostAtOnce = Math.max(mostAtOnce, (atOnce += 1))
          yield* Effect.yieldNow
          atOnce -= 1
        })
      const userId = newUserId()
      const documents = yield* DocumentStore
      const files = yield* FileStore
      const queue = yield* JobQueue
      for (const text of [textOf("latin"), wideText, "short"]) {
        const document = newDocument(userId, { status: "processing" })
        const key = { userId, documentId: document.id }
        yield* documents.insert(document, ampleQuota)
        yield* files.write({ ...key, bytes: new TextEncoder().encode(text) })
        yield* queue.enqueue(userId, ProcessDocument, { documentId: key.documentId })
      }
      yield* queue.work([yield* documentProcessing.handler])
      const found = yield* Effect.repeat(documents.list(userId), {
        until: (all) => all.every(({ status }) => status === "ready")
      })
      const index = yield* PassageIndex
      for (const { id, passages = 0 } of found) {
        const stored = yield* index.read({ userId, documentId: id })
        assert.strictEqual(stored?.passages.length, passages)
        assert.deepStrictEqual(yield* index.unembedded(userId, stored?.passages ?? []), [])
      }
      // A single passage may be counted above the limit, since the count is a bound.
      for (const { texts, tokens } of requests) assert.isTrue(texts <= TEXTS && (tokens <= TOKENS || texts === 1))
      assert.isTrue(requests.some(({ texts }) => texts > 1))
      assert.isAtLeast(requests.length, 20)
      assert.isAtMost(mostAtOnce, 4)
    }).pipe(Effect.scoped, Effect.provide(layer))
  }
)
