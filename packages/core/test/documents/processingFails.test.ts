import { assert, describe, it } from "@effect/vitest"
import type { Document } from "@parley/core"
import { DocumentService } from "@parley/core/effect"
import { DocumentParser, JobQueue, JobWorker, ProcessDocument } from "@parley/core/adapter"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { plainParser, says, scriptedModel, world } from "../chat/world.ts"
import { digestAtOnce } from "../digestAtOnce.ts"

/** A parser that breaks as often as said, and reads then. */
const breakingParser = (times: number) => {
  let tries = 0
  return DocumentParser.of({
    ...plainParser,
    parse: (input) =>
      Effect.suspend(() => (++tries <= times ? Effect.die(new Error("a bug of the parser")) : plainParser.parse(input)))
  })
}

const upload = DocumentService.use((documents) =>
  documents.upload({
    userId: "ann",
    filename: "notes.txt",
    bytes: new TextEncoder().encode("Storks nest on chimneys.")
  })
)

/** Lets time pass until the document is no longer in work. */
const finished = (document: Document) =>
  Effect.gen(function* () {
    const documents = yield* DocumentService
    for (let seconds = 0; seconds < 600; seconds++) {
      const found = yield* documents.get("ann", document.id)
      if (found.status !== "processing") return found
      yield* TestClock.adjust("1 second")
    }
    return yield* Effect.die(new Error("The document stays in work."))
  })

const on = <A, E>(parser: DocumentParser["Service"], body: Effect.Effect<A, E, DocumentService | JobQueue>) =>
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
      )
    )
  )

digestAtOnce()

describe("a document whose processing fails on our side", () => {
  it.effect("is tried again and ready where that passes", () =>
    on(
      breakingParser(ProcessDocument.tries - 1),
      Effect.gen(function* () {
        const document = yield* upload
        assert.deepInclude(yield* finished(document), { status: "ready", passages: 1 })
      })
    )
  )

  it.effect("ends as failed with a sentence for its owner, and is processed where an operator retries its job", () =>
    on(
      breakingParser(ProcessDocument.tries),
      Effect.gen(function* () {
        const jobs = yield* JobQueue
        const document = yield* upload
        const failed = yield* finished(document)
        assert.strictEqual(failed.status, "failed")
        assert.match(failed.reason ?? "", /on our side/)
        const [job] = (yield* jobs.list("ann", { kind: ProcessDocument.tag, state: "failed", limit: 1 })).jobs
        assert.deepInclude(job, { payload: { documentId: document.id }, tries: ProcessDocument.tries })
        yield* jobs.retry("ann", job!.id)
        while ((yield* jobs.find("ann", job!.id))?.state !== "done") yield* TestClock.adjust("1 second")
        assert.deepInclude(yield* finished(document), { status: "ready", reason: undefined, passages: 1 })
      })
    )
  )
})
