import { assert, describe, it } from "@effect/vitest"
import type { Document, ParleySettings } from "@parley/core"
import { BotService, ConversationService, DocumentService, settingsLayer, WidgetService } from "@parley/core/effect"
import { type DocumentParser, DocumentUnreadable, JobWorker, RateLimiter } from "@parley/core/adapter"
import { Effect, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { plainParser, says, scriptedModel, world } from "../chat/world.ts"
import { InMemoryRateLimiter } from "../../src/limits/InMemoryRateLimiter.ts"
import { makeReadingTries } from "../../src/documents/reading/processDocument.ts"
import { digestAtOnce } from "../digestAtOnce.ts"

/** A parser that records its requests; bytes that begin with "hostile" exceed a bound. */
const countingParser = () => {
  const read: Array<string> = []
  const parse: DocumentParser["Service"]["parse"] = (input) =>
    Effect.suspend(() => {
      const text = new TextDecoder().decode(input.bytes)
      read.push(text)
      return text.startsWith("hostile")
        ? Effect.fail(new DocumentUnreadable({ reason: "It took too long.", exhausting: true }))
        : plainParser.parse(input)
    })
  return { read, parser: { parse } }
}

const upload = (userId: string, text: string) =>
  DocumentService.use((documents) =>
    documents.upload({ userId, filename: "notes.txt", bytes: new TextEncoder().encode(text) })
  )
const again = ({ userId, id }: Document) => DocumentService.use((documents) => documents.vectorize(userId, id))

class Unfinished extends Error {}

const finished = ({ userId, id }: Document) =>
  DocumentService.use((documents) => documents.get(userId, id)).pipe(
    Effect.flatMap((found) => (found.status === "processing" ? Effect.fail(new Unfinished()) : Effect.succeed(found))),
    Effect.retry({ while: (error) => error instanceof Unfinished, schedule: Schedule.forever, times: 10_000 })
  )

const processed = (userId: string, text: string) => Effect.flatMap(upload(userId, text), finished)

const on = (
  parser: DocumentParser["Service"],
  limits: NonNullable<ParleySettings["reading"]>,
  body: Effect.Effect<void, unknown, BotService | ConversationService | DocumentService | RateLimiter | WidgetService>
) =>
  Effect.scoped(
    Effect.andThen(
      JobWorker.use((worker) => worker.work),
      body
    )
  ).pipe(
    Effect.provide(
      world(
        scriptedModel(() => says(["yes"])),
        {},
        undefined,
        parser
      ).pipe(Layer.provideMerge(settingsLayer({ reading: limits })))
    )
  )

digestAtOnce()

describe("what failed tries at reading cost", () => {
  it.effect(
    "a file that exceeded a bound is not read again for any person for a day, and fails with that reason at once",
    () => {
      const { parser, read } = countingParser()
      return on(
        parser,
        {},
        Effect.gen(function* () {
          const first = yield* processed("ann", "hostile bytes")
          assert.strictEqual(first.reason, "It took too long.")
          for (const userId of ["ann", "bob"]) {
            const { reason, status } = yield* processed(userId, "hostile bytes")
            assert.strictEqual(status, "failed")
            assert.match(reason ?? "", /same file is not read again before 2 January 1970\..*\.$/)
          }
          assert.strictEqual((yield* processed("bob", "other bytes")).status, "ready")
          assert.deepStrictEqual(read, ["hostile bytes", "other bytes"])
          yield* TestClock.adjust("1 day")
          yield* processed("bob", "hostile bytes")
          assert.strictEqual(read.length, 3)
        })
      )
    }
  )

  it.effect("a document that could not be read is tried so many times a day, and then not", () => {
    const { parser, read } = countingParser()
    return on(
      parser,
      { triesPerDocument: 2 },
      Effect.gen(function* () {
        const document = yield* processed("ann", "broken from the start")
        yield* again(document)
        assert.strictEqual((yield* finished(document)).reason, "The file is broken.")
        yield* again(document)
        assert.match((yield* finished(document)).reason ?? "", /not tried again before 2 January 1970/)
        assert.strictEqual(read.length, 2)
        assert.strictEqual((yield* processed("ann", "broken from the start")).reason, "The file is broken.")
        yield* TestClock.adjust("1 day")
        yield* again(document)
        assert.strictEqual((yield* finished(document)).reason, "The file is broken.")
      })
    )
  })

  it.effect("a person whose documents exceed bounds again and again waits for the next day; others do not", () => {
    const { parser, read } = countingParser()
    return on(
      parser,
      { exhaustingPerPerson: 3 },
      Effect.gen(function* () {
        for (let number = 1; number <= 3; number++) yield* processed("ann", `hostile ${number}`)
        const { reason, reasonCode } = yield* processed("ann", "hostile 4")
        assert.strictEqual(reasonCode, "waiting")
        assert.match(reason ?? "", /read again after 2 January 1970: try this one again then\.$/)
        assert.strictEqual(read.length, 3)
        assert.strictEqual((yield* processed("bob", "a sound document")).status, "ready")
        yield* TestClock.adjust("1 day")
        assert.strictEqual((yield* processed("ann", "a sound document")).status, "ready")
      })
    )
  })

  it.effect("files of visitors use up no tries of the owner's documents, and are counted under the owner's id", () => {
    const { parser } = countingParser()
    return on(
      parser,
      { exhaustingPerPerson: 2 },
      Effect.gen(function* () {
        const { id: botId, keys } = yield* (yield* BotService).create("ann", {
          displayName: "Ada",
          visitorUploads: true
        })
        const visitor = { publicKey: keys[0]?.publicKey ?? "", visitorId: "v-1" }
        const widget = yield* WidgetService
        for (let number = 1; number <= 2; number++) {
          const bytes = new TextEncoder().encode(`hostile ${number}`)
          const file = { ...visitor, filename: "notes.txt", bytes, address: undefined }
          const { conversationId } = yield* widget.attach(file)
          const { files } = yield* (yield* ConversationService).get("ann", botId, conversationId)
          for (const each of files) assert.strictEqual((yield* finished(each)).reason, "It took too long.")
        }
        assert.strictEqual((yield* processed("ann", "a sound document")).status, "ready")
        // The erasure of a person deletes the counts under their id.
        const [counted] = yield* (yield* RateLimiter).peek([{ subject: "ann", name: "exhausting-visitor-files" }])
        assert.strictEqual(counted?.count, 2)
      })
    )
  })

  it.effect("documents that are read, however many, cost nothing", () => {
    const { parser, read } = countingParser()
    return on(
      parser,
      { exhaustingPerPerson: 1, triesPerDocument: 1 },
      Effect.gen(function* () {
        for (let number = 1; number <= 5; number++) {
          assert.strictEqual((yield* processed("ann", `sound ${number}`)).status, "ready")
        }
        assert.strictEqual(read.length, 5)
      })
    )
  })

  it.effect("a document that is indexed again and now exceeds a bound costs its owner no try", () =>
    Effect.gen(function* () {
      const tryReading = yield* makeReadingTries
      const bytes = (text: string) => new TextEncoder().encode(text)
      const exhausting = Effect.fail(new DocumentUnreadable({ reason: "It took too long.", exhausting: true }))
      const document = (id: string) => ({ id, type: "txt", userId: "ann" }) as const
      for (const id of ["one", "two"]) {
        const reading = { document: document(id), bytes: bytes(id), last: false, again: true }
        yield* Effect.flip(tryReading(reading, exhausting))
      }
      const read = yield* tryReading(
        { document: document("new"), bytes: bytes("new"), last: false },
        Effect.succeed("read")
      )
      assert.strictEqual(read, "read")
      const same = tryReading({ document: document("two"), bytes: bytes("two"), last: false, again: true }, exhausting)
      assert.match((yield* Effect.flip(same)).message, /not read again/)
    }).pipe(
      Effect.provide(Layer.mergeAll(settingsLayer({ reading: { exhaustingPerPerson: 1 } }), InMemoryRateLimiter.layer))
    )
  )
})
