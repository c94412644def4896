import { assert, describe, it } from "@effect/vitest"
import { CreditService, DocumentService } from "@parley/core/effect"
import { JobWorker } from "@parley/core/adapter"
import { Effect, Fiber } from "effect"
import { ask, says, scriptedModel, world } from "./world.ts"

const REPORT = Array.from(
  { length: 60 },
  (_, year) =>
    `## Year ${year}\n\nThe capital of the company grew. ${"Working capital was returned to its owners. ".repeat(18)}`
).join("\n\n")

/** Uploads a text for a person and waits until it is ready. */
const reading = (userId: string, content: string) =>
  Effect.gen(function* () {
    const documents = yield* DocumentService
    const bytes = new TextEncoder().encode(content)
    const { id } = yield* documents.upload({ userId, filename: "report.md", bytes })
    const work = Effect.scoped(
      Effect.andThen(
        JobWorker.use((worker) => worker.work),
        Effect.never
      )
    )
    const working = yield* Effect.forkChild(work)
    while ((yield* documents.get(userId, id)).status !== "ready") yield* Effect.yieldNow
    yield* Fiber.interrupt(working)
    return id
  })

describe("a question over documents that have nothing to do with it", () => {
  it.live("is sent without passages, and costs the minimum", () => {
    const model = scriptedModel(() => says(["Ulaanbaatar."]))
    return Effect.gen(function* () {
      const id = yield* reading("ann", REPORT)
      const balance = Effect.map(
        CreditService.use((credits) => credits.balance("ann")),
        ({ available }) => available
      )
      const before = yield* balance
      const { reply } = yield* ask("ann", "What is the capital of Mongolia?", { documentIds: [id] })
      assert.deepStrictEqual(reply.sources, [])
      assert.strictEqual(before - (yield* balance), 1)
      const [request] = model.requests
      assert.notInclude(JSON.stringify(request?.messages), "Working capital")
    }).pipe(Effect.provide(world(model)))
  })

  it.live("and one about them has the passages that answer it, and pays for these", () =>
    Effect.gen(function* () {
      const id = yield* reading("ann", REPORT)
      const { reply } = yield* ask("ann", "How did the working capital of the company grow?", { documentIds: [id] })
      assert.isAbove(reply.sources.length, 10)
    }).pipe(Effect.provide(world(scriptedModel(() => says(["It grew [1]."])))))
  )
})
