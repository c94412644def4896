import { assert, describe, it } from "@effect/vitest"
import { ChatService, ReplyRunner } from "@parley/core/effect"
import { type ChatModelRequest, instruments, ModelFailed, type ReplyPart } from "@parley/core/adapter"
import { Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { ask, says, scriptedModel, world } from "./world.ts"

const cutOff = new ModelFailed({ model: "model-a-mini", reason: "cut-off", retryable: true })

/** By the question: the silence, the first words, or the failure of a vendor. */
const parts = ({ messages }: ChatModelRequest): Stream.Stream<ReplyPart, ModelFailed> => {
  const begins = Stream.take(says(["Hello"]), 1)
  switch (messages.at(-1)?.content) {
    case "silent":
      return Stream.never
    case "fails":
      return Stream.fail(cutOff)
    case "begins":
      return Stream.concat(begins, Stream.never)
    case "breaks":
      return Stream.concat(begins, Stream.fail(cutOff))
    default:
      return says(["Hello"])
  }
}

const services = () => Layer.fresh(world(scriptedModel(parts)))

/** Asks, and returns the fiber of its reader once the first words have come. */
const begin = (content: string, more: object = {}) =>
  Effect.gen(function* () {
    const spoke = yield* Deferred.make<void>()
    const reading = Effect.scoped(
      Effect.gen(function* () {
        const { send } = yield* ChatService
        const { text } = yield* send({ userId: "ann", request: { messages: [{ role: "user", content }] }, ...more })
        yield* Stream.runForEach(text, () => Deferred.succeed(spoke, undefined))
      })
    )
    const reader = yield* Effect.forkDetach(reading)
    yield* Deferred.await(spoke)
    return reader
  })

/** Waits until this process writes so many replies. */
const untilActive = (replies: number) =>
  Effect.gen(function* () {
    while (instruments.repliesActive.read() !== replies) yield* Effect.sleep("5 millis")
  })

describe("the replies that a process writes", () => {
  it.live("are none again after any end of one", () =>
    Effect.gen(function* () {
      yield* ask("ann", "completes")
      yield* Effect.ignore(ask("ann", "fails"))
      yield* Effect.ignore(ask("ann", "breaks"))
      const waiting = yield* Effect.forkDetach(ask("ann", "silent"))
      yield* untilActive(1)
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(yield* begin("begins"))
      yield* Effect.ignore(Fiber.join(yield* begin("breaks", { onDisconnect: "continue" })))
      const { idle } = yield* ReplyRunner
      yield* idle
      assert.strictEqual(instruments.repliesActive.read(), 0)
    }).pipe(Effect.provide(services()))
  )

  it.live("are cut by the end of the process if their first words have come, and by a failure once", () =>
    Effect.gen(function* () {
      const cut = (reason: string) => instruments.repliesCut.read({ reason })
      const before = { shutdown: cut("shutdown"), failed: cut("cut-off") }
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(services(), scope)
      yield* Effect.gen(function* () {
        yield* Effect.ignore(ask("ann", "fails"))
        yield* Effect.ignore(ask("ann", "breaks"))
        yield* Effect.forkDetach(Effect.exit(ask("ann", "silent")))
        yield* begin("begins")
        yield* untilActive(2)
      }).pipe(Effect.provideContext(context))
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(
        { shutdown: cut("shutdown") - before.shutdown, failed: cut("cut-off") - before.failed },
        { shutdown: 1, failed: 1 }
      )
      assert.strictEqual(instruments.repliesActive.read(), 0)
    })
  )
})
