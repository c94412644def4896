import { assert, describe, it } from "@effect/vitest"
import { ChatService } from "@parley/core/effect"
import { ModelFailed } from "@parley/core/adapter"
import type { ReplyPart } from "@parley/core/adapter"
import { Deferred, Effect, Exit, Fiber, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { balance, says, scriptedModel, sweepAway, transactions, world } from "./world.ts"

const send = (content: string, idempotencyKey: string, more: object = {}, userId = "ann") =>
  Effect.scoped(
    Effect.gen(function* () {
      const chat = yield* ChatService
      const request = { messages: [{ role: "user", content }], ...more }
      const reply = yield* chat.send({ userId, request, idempotencyKey })
      return { reply, text: yield* Stream.mkString(reply.text) }
    })
  )

const charges = (userId: string) =>
  Effect.map(transactions(userId), (rows) => rows.filter((row) => row.type === "usage").length)

describe("a chat request with an idempotency key", () => {
  it.effect("that is sent again gets the first answer again and is charged once", () => {
    const model = scriptedModel(() => says(["The answer"]))
    return Effect.gen(function* () {
      const first = yield* send("Question", "key-1")
      const again = yield* send("Question", "key-1")
      assert.strictEqual(again.text, "The answer")
      assert.strictEqual(again.reply.chatId, first.reply.chatId)
      assert.strictEqual(again.reply.messageId, first.reply.messageId)
      assert.strictEqual(model.requests.length, 1)
      assert.strictEqual(yield* charges("ann"), 1)
      const { messages } = yield* ChatService.use((chat) => chat.get("ann", first.reply.chatId))
      assert.strictEqual(messages.length, 2)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("that was answered gets its answer again where a new message is over a limit", () => {
    const model = scriptedModel(() => says(["The answer"]))
    const limits = { tiers: { free: { maxChatBytes: 5 } } }
    return Effect.gen(function* () {
      const { text } = yield* send("Q", "key-1")
      assert.strictEqual((yield* Effect.flip(send("Another question", "key-3")))._tag, "StorageQuotaExceeded")
      assert.strictEqual((yield* send("Q", "key-1")).text, text)
      assert.strictEqual((yield* Effect.flip(send("Another question", "key-1")))._tag, "KeyConflict")
    }).pipe(Effect.provide(world(model, limits)))
  })

  it.effect("that continues a chat is the same request although the chat has grown by its answer", () => {
    const model = scriptedModel(() => says(["The answer"]))
    return Effect.gen(function* () {
      const { reply } = yield* send("Question", "key-1")
      yield* send("And then?", "key-2", { chatId: reply.chatId })
      yield* send("And then?", "key-2", { chatId: reply.chatId })
      assert.strictEqual(yield* charges("ann"), 2)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("that asks something else is refused, and nothing is charged", () => {
    const model = scriptedModel(() => says(["The answer"]))
    return Effect.gen(function* () {
      yield* send("Question", "key-1")
      const error = yield* Effect.flip(send("Another question", "key-1"))
      assert.strictEqual(error._tag, "KeyConflict")
      assert.strictEqual(yield* charges("ann"), 1)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("means nothing to another person", () => {
    const model = scriptedModel(() => says(["The answer"]))
    return Effect.gen(function* () {
      const first = yield* send("Question", "key-1")
      const other = yield* send("Question", "key-1", {}, "bob")
      assert.notStrictEqual(other.reply.chatId, first.reply.chatId)
      assert.strictEqual(yield* charges("bob"), 1)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("that failed before its first words is tried anew", () => {
    let calls = 0
    const broken = new ModelFailed({ model: "model-a-mini", reason: "unavailable", retryable: true })
    const model = scriptedModel(() => (++calls < 3 ? Stream.fail(broken) : says(["At last"])))
    return Effect.gen(function* () {
      yield* Effect.flip(send("Question", "key-1"))
      yield* Effect.flip(send("Question", "key-1"))
      assert.strictEqual((yield* send("Question", "key-1")).text, "At last")
      assert.strictEqual((yield* send("Question", "key-1")).text, "At last")
      assert.strictEqual(calls, 3)
      assert.strictEqual(yield* charges("ann"), 1)
      assert.strictEqual((yield* balance("ann")).held, 0)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("that failed too often asks for a new key, and was never charged", () => {
    const broken = new ModelFailed({ model: "model-a-mini", reason: "unavailable", retryable: true })
    const model = scriptedModel(() => Stream.fail(broken))
    return Effect.gen(function* () {
      for (let tries = 0; tries < 20; tries += 1) {
        assert.strictEqual((yield* Effect.flip(send("Question", "key-1")))._tag, "ModelFailed")
      }
      assert.strictEqual((yield* Effect.flip(send("Question", "key-1")))._tag, "KeyConflict")
      assert.strictEqual(yield* charges("ann"), 0)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("that was left half-way gets what was delivered and is cut off again, not charged again", () => {
    const delta: ReplyPart = { _tag: "text-delta", text: "word " }
    const model = scriptedModel(() => Stream.forever(Stream.make(delta)).pipe(Stream.rechunk(1)))
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const chat = yield* ChatService
      const request = { messages: [{ role: "user", content: "Question" }] }
      const sending = chat.send({ userId: "ann", request, idempotencyKey: "key-1" })
      const reply = yield* Scope.provide(sending, scope)
      yield* Stream.runDrain(Stream.take(reply.text, 3))
      yield* Scope.close(scope, Exit.void)
      const seen: Array<string> = []
      const again = Effect.scoped(
        Effect.flatMap(sending, ({ text }) => Stream.runForEach(text, (part) => Effect.sync(() => seen.push(part))))
      )
      const error = yield* Effect.flip(again)
      assert.deepInclude(error, { _tag: "ModelFailed", reason: "cut-off" })
      assert.strictEqual(seen.join(""), "word word word ")
      assert.strictEqual(yield* charges("ann"), 1)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect(
    "whose process died on the way is cut off for good once a sweep has charged it, and not in progress",
    () => {
      const delta: ReplyPart = { _tag: "text-delta", text: "word " }
      const model = scriptedModel(() => Stream.concat(Stream.make(delta), Stream.never))
      return Effect.gen(function* () {
        const chat = yield* ChatService
        const request = { messages: [{ role: "user", content: "Question" }] }
        const sending = chat.send({ userId: "ann", request, idempotencyKey: "key-1" })
        // Never closed: as if its process were gone.
        const { chatId, messageId, text } = yield* Scope.provide(sending, yield* Scope.make())
        yield* Stream.runDrain(Stream.take(text, 1))
        assert.strictEqual((yield* Effect.flip(Effect.scoped(sending)))._tag, "RequestInProgress")
        yield* TestClock.adjust("3 seconds")
        yield* sweepAway
        const { messages } = yield* chat.get("ann", chatId)
        assert.deepInclude(messages.at(-1), { id: messageId, content: "word ", state: "failed" })
        const again = Effect.scoped(Effect.flatMap(sending, ({ text }) => Stream.runDrain(text)))
        assert.deepInclude(yield* Effect.flip(again), { _tag: "ModelFailed", reason: "cut-off" })
        assert.strictEqual(yield* charges("ann"), 1)
      }).pipe(Effect.provide(world(model)))
    }
  )

  it.effect("whose server was silent until a sweep is charged for the repetition alone, if that came meanwhile", () =>
    Effect.gen(function* () {
      const wake = yield* Deferred.make<void>()
      const answers = [
        Stream.concat(Stream.drain(Stream.fromEffect(Deferred.await(wake))), says(["Late"])),
        says(["Answer"])
      ]
      const model = scriptedModel(() => answers.shift() ?? Stream.never)
      yield* Effect.gen(function* () {
        const late = yield* Effect.forkChild(send("Question", "key-1"))
        while (model.requests.length === 0) yield* Effect.yieldNow
        assert.strictEqual((yield* sweepAway).released, 1)
        const { reply, text } = yield* send("Question", "key-1")
        assert.strictEqual(text, "Answer")
        yield* Deferred.succeed(wake, undefined)
        yield* Fiber.await(late)
        assert.strictEqual(yield* charges("ann"), 1)
        yield* sweepAway
        const { messages } = yield* ChatService.use((chat) => chat.get("ann", reply.chatId))
        const replies = messages.filter(({ content, role }) => role === "assistant" && content !== "")
        assert.deepStrictEqual(
          replies.map(({ content }) => content),
          ["Answer"]
        )
        assert.strictEqual((yield* send("Question", "key-1")).text, "Answer")
      }).pipe(Effect.provide(world(model)))
    })
  )

  it.effect("whose server went on after a sweep is in progress until it ends, and then has this one answer", () =>
    Effect.gen(function* () {
      const wake = yield* Deferred.make<void>()
      const model = scriptedModel(() =>
        Stream.concat(Stream.drain(Stream.fromEffect(Deferred.await(wake))), says(["Late"]))
      )
      yield* Effect.gen(function* () {
        const late = yield* Effect.forkChild(send("Question", "key-1"))
        while (model.requests.length === 0) yield* Effect.yieldNow
        for (let round = 0; round < 2; round += 1) {
          assert.strictEqual((yield* sweepAway).released, 1)
          yield* TestClock.adjust("3 seconds")
        }
        assert.strictEqual((yield* Effect.flip(send("Question", "key-1")))._tag, "RequestInProgress")
        yield* Deferred.succeed(wake, undefined)
        assert.strictEqual((yield* Fiber.join(late)).text, "Late")
        assert.strictEqual((yield* send("Question", "key-1")).text, "Late")
        assert.strictEqual(model.requests.length, 1)
        assert.strictEqual(yield* charges("ann"), 1)
      }).pipe(Effect.provide(world(model)))
    })
  )

  it.effect("that arrives while the first is being answered is told so, and asks no model", () =>
    Effect.gen(function* () {
      const finish = yield* Deferred.make<void>()
      const delta: ReplyPart = { _tag: "text-delta", text: "Slow" }
      const model = scriptedModel(() =>
        Stream.concat(Stream.make(delta), Stream.drain(Stream.fromEffect(Deferred.await(finish)))).pipe(
          Stream.concat(says([" answer"]))
        )
      )
      yield* Effect.gen(function* () {
        const chat = yield* ChatService
        const request = { messages: [{ role: "user", content: "Question" }] }
        const sending = chat.send({ userId: "ann", request, idempotencyKey: "key-1" })
        yield* Effect.scoped(
          Effect.gen(function* () {
            const reply = yield* sending
            assert.strictEqual((yield* Effect.flip(Effect.scoped(sending)))._tag, "RequestInProgress")
            yield* Deferred.succeed(finish, undefined)
            assert.strictEqual(yield* Stream.mkString(reply.text), "Slow answer")
          })
        )
        assert.strictEqual((yield* send("Question", "key-1")).text, "Slow answer")
        assert.strictEqual(model.requests.length, 1)
      }).pipe(Effect.provide(world(model)))
    })
  )
})
