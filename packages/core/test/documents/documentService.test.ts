import { assert, describe, it } from "@effect/vitest"
import { ChatService, DocumentService } from "@parley/core/effect"
import type { Document } from "@parley/core"
import { DocumentStore, JobWorker, PassageIndex, verifyPassages } from "@parley/core/adapter"
import { Effect, Schedule } from "effect"
import { ask, says, scriptedModel, world } from "../chat/world.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const upload = (userId: string, text: string, filename = "notes.txt") =>
  DocumentService.use((documents) => documents.upload({ userId, filename, bytes: bytes(text) }))
const working = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.andThen(
      JobWorker.use((worker) => worker.work),
      body
    )
  )

class Unfinished extends Error {}

/** Waits until a document is no longer in work. */
const finished = (document: Document) =>
  DocumentService.use((documents) => documents.get(document.userId, document.id)).pipe(
    Effect.flatMap((found) => (found.status === "processing" ? Effect.fail(new Unfinished()) : Effect.succeed(found))),
    Effect.retry({ while: (error) => error instanceof Unfinished, schedule: Schedule.forever, times: 10_000 })
  )

const answering = () => world(scriptedModel(() => says(["yes"])))

describe("DocumentService", () => {
  it.live("makes an uploaded text searchable and ready", () =>
    working(
      Effect.gen(function* () {
        const document = yield* upload("ann", "Storks build their nests on chimneys.")
        assert.strictEqual(document.status, "processing")
        assert.deepInclude(yield* finished(document), { status: "ready", progress: 1, passages: 1 })
      })
    ).pipe(Effect.provide(answering()))
  )

  it.live("ends what cannot be read as failed, with a reason for its owner, and tries again when asked", () =>
    working(
      Effect.gen(function* () {
        const document = yield* upload("ann", "broken from the start")
        const failed = yield* finished(document)
        assert.deepInclude(failed, { status: "failed", reason: "The file is broken." })
        const again = yield* DocumentService.use((documents) => documents.vectorize("ann", document.id))
        assert.strictEqual(again.status, "processing")
        assert.strictEqual((yield* finished(document)).status, "failed")
      })
    ).pipe(Effect.provide(answering()))
  )

  it.effect("names the first document of the same bytes when a file is uploaded again, to its owner alone", () =>
    Effect.gen(function* () {
      const first = yield* upload("ann", "Storks build their nests on chimneys.")
      assert.isUndefined(first.sameAs)
      assert.strictEqual((yield* upload("ann", "Storks build their nests on chimneys.")).sameAs, first.id)
      assert.isUndefined((yield* upload("ann", "Storks build their nests on poles.")).sameAs)
      assert.isUndefined((yield* upload("bob", "Storks build their nests on chimneys.")).sameAs)
    }).pipe(Effect.provide(answering()))
  )

  it.live("leaves a ready document ready when asked again", () =>
    working(
      Effect.gen(function* () {
        const document = yield* finished(yield* upload("ann", "Storks build their nests on chimneys."))
        const again = yield* DocumentService.use((documents) => documents.vectorize("ann", document.id))
        assert.strictEqual(again.status, "ready")
      })
    ).pipe(Effect.provide(answering()))
  )

  it.effect("tells a foreign document from an unknown one where a route needs it, and nowhere else", () =>
    Effect.gen(function* () {
      const documents = yield* DocumentService
      const { id } = yield* upload("bob", "Bob's notes")
      const unknown = "00000000-0000-4000-8000-000000000000"
      assert.strictEqual((yield* Effect.flip(documents.vectorize("ann", id)))._tag, "DocumentForbidden")
      assert.strictEqual((yield* Effect.flip(documents.vectorize("ann", unknown)))._tag, "DocumentNotFound")
      assert.strictEqual((yield* Effect.flip(documents.vectorize("ann", "x")))._tag, "InvalidDocumentId")
      assert.strictEqual((yield* Effect.flip(documents.get("ann", id)))._tag, "DocumentNotFound")
      assert.strictEqual((yield* Effect.flip(documents.remove("ann", id)))._tag, "DocumentNotFound")
      assert.strictEqual((yield* Effect.flip(ask("ann", "Hi", { documentIds: [id] })))._tag, "DocumentForbidden")
      assert.strictEqual((yield* Effect.flip(ask("ann", "Hi", { documentIds: [unknown] })))._tag, "DocumentNotFound")
      assert.strictEqual((yield* documents.get("bob", id)).filename, "notes.txt")
    }).pipe(Effect.provide(answering()))
  )

  it.live("gives a ready document's text to its owner alone, and finds its passages true to it", () =>
    working(
      Effect.gen(function* () {
        const documents = yield* DocumentService
        const text = "Storks build their nests on chimneys."
        const document = yield* upload("ann", text)
        const { id } = document
        yield* finished(document)
        assert.strictEqual((yield* documents.excerpt("ann", id.toUpperCase())).text, text)
        assert.strictEqual((yield* Effect.flip(documents.excerpt("bob", id)))._tag, "DocumentNotFound")
        const stored = yield* PassageIndex.use((index) => index.read({ userId: "ann", documentId: id }))
        assert.deepStrictEqual(stored && verifyPassages(stored), [])
        const broken = yield* upload("ann", "broken from the start")
        assert.strictEqual((yield* Effect.flip(documents.excerpt("ann", broken.id)))._tag, "DocumentNotIndexed")
        yield* documents.remove("ann", id)
        assert.strictEqual((yield* Effect.flip(documents.excerpt("ann", id)))._tag, "DocumentNotFound")
      })
    ).pipe(Effect.provide(answering()))
  )

  it.effect("leaves out of a chat what is not ready, and names it", () =>
    Effect.gen(function* () {
      const { id } = yield* upload("ann", "Storks build their nests on chimneys.")
      const chat = yield* ChatService
      const request = { messages: [{ role: "user", content: "Where do storks nest?" }], documentIds: [id] }
      const reply = yield* Effect.scoped(chat.send({ userId: "ann", request }))
      assert.deepStrictEqual(reply.pendingDocuments, [id])
      assert.deepStrictEqual(reply.sources, [])
    }).pipe(Effect.provide(answering()))
  )

  it.live("does not count what could not be read, until it is tried again", () => {
    const config = { tiers: { free: { maxDocuments: 1 } } }
    return working(
      Effect.gen(function* () {
        const failed = yield* finished(yield* upload("ann", "broken from the start"))
        assert.strictEqual(failed.status, "failed")
        const read = yield* finished(yield* upload("ann", "Storks build their nests on chimneys."))
        assert.strictEqual(read.status, "ready")
        const retry = DocumentService.use((documents) => documents.vectorize("ann", failed.id))
        assert.deepInclude(yield* Effect.flip(retry), { _tag: "DocumentQuotaExceeded", documents: 1, failed: 1 })
        assert.deepInclude(yield* DocumentService.use((documents) => documents.get("ann", failed.id)), failed)
        yield* DocumentService.use((documents) => documents.remove("ann", read.id))
        assert.strictEqual((yield* retry).status, "processing")
      })
    ).pipe(
      Effect.provide(
        world(
          scriptedModel(() => says(["yes"])),
          config
        )
      )
    )
  })

  it.effect("refuses what exceeds the tier's quota and keeps none of it", () => {
    const config = { tiers: { free: { maxDocuments: 2 } } }
    return Effect.gen(function* () {
      yield* upload("ann", "one")
      yield* upload("ann", "two")
      const error = yield* Effect.flip(upload("ann", "three"))
      assert.deepInclude(error, { _tag: "DocumentQuotaExceeded", documents: 2, maxDocuments: 2 })
      assert.strictEqual((yield* DocumentStore.use((documents) => documents.list("ann"))).length, 2)
    }).pipe(
      Effect.provide(
        world(
          scriptedModel(() => says(["yes"])),
          config
        )
      )
    )
  })
})
