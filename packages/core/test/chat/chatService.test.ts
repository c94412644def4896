import { assert, describe, it } from "@effect/vitest"
import { ofReply } from "@parley/core/testing"
import { ChatService } from "@parley/core/effect"
import { ModelFailed } from "@parley/core/adapter"
import { defaultReplyLimits, type ReplyPart, replyStream } from "@parley/core/adapter"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Scope, Stream, Tracer } from "effect"
import { instruments } from "../../src/telemetry/instruments.ts"
import { ask, balance, flatPrice, says, scriptedModel, transactions, world } from "./world.ts"

const delta = (text: string): ReplyPart => ({ _tag: "text-delta", text })
const broken = (reason: ModelFailed["reason"]) => new ModelFailed({ model: "model-a-mini", reason, retryable: true })
const usageRows = (userId: string) =>
  Effect.map(transactions(userId), (rows) => rows.filter((row) => row.type === "usage"))

describe("a reply that completes", () => {
  it.effect("is charged by the provider's figures, once, and leaves no hold", () => {
    const model = scriptedModel(() => says(["Hello", " there"], { input: 1_000, output: 500 }))
    return Effect.gen(function* () {
      const { text } = yield* ask("ann", "Hi")
      assert.strictEqual(text, "Hello there")
      const after = yield* balance("ann")
      assert.deepInclude(after, { allowance: 97, held: 0, available: 97 })
      const [row] = yield* usageRows("ann")
      assert.deepInclude(row, { amount: -3, balanceAfter: 97, model: "model-a-mini" })
      assert.deepInclude(row?.receipt, { charged: 3, estimated: false, ended: "completed" })
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("is counted from its text and marked as estimated if the provider reported no usage", () => {
    const model = scriptedModel(() => says(["word ".repeat(2_000)]))
    return Effect.gen(function* () {
      yield* ask("ann", "Hi")
      const [row] = yield* usageRows("ann")
      assert.isTrue(ofReply(row?.receipt).estimated)
      assert.isAbove(ofReply(row?.receipt).usage.output ?? 0, 1_000)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect(
    "is charged its hold, and never more, where the provider's figures cost more; the log and a counter tell",
    () => {
      const model = scriptedModel(() => says(["Hello"], { input: 1_000_000_000_000, output: 1 }))
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push(message))
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      return Effect.gen(function* () {
        // The counter is the process's: other files of this worker may have counted.
        const before = instruments.loss.read()
        yield* ask("ann", "Hi")
        const [row] = yield* usageRows("ann")
        const held = row?.receipt?.held ?? 0
        assert.isAbove(held, 0)
        assert.deepInclude(row?.receipt, { charged: held, estimated: false, ended: "completed" })
        assert.strictEqual(ofReply(row?.receipt).usage.freshInput, 1_000_000_000_000)
        assert.deepInclude(yield* balance("ann"), { allowance: 100 - held, held: 0, debt: 0 })
        assert.include(JSON.stringify(logged), "charged up to its hold")
        assert.isAbove(instruments.loss.read(), before)
        const settling = spans.find(({ name }) => name === "credits.settle")
        assert.strictEqual(settling?.attributes.get("parley.credits.charged"), held)
      }).pipe(
        Effect.provide(Layer.merge(Logger.layer([logger]), world(model))),
        Effect.provideService(Tracer.Tracer, tracer)
      )
    }
  )

  it.effect.each([
    ["zeros", 0, 0],
    ["no input", 0, 300],
    ["no output", 300, 0],
    ["one token for a long text", 300, 1]
  ] as const)("is counted from its text where the provider's figures cannot be true: %s", ([, input, output]) => {
    const model = scriptedModel(() => says(["word ".repeat(2_000)], { input, output }))
    return Effect.gen(function* () {
      yield* ask("ann", "Hi")
      const [row] = yield* usageRows("ann")
      assert.isTrue(ofReply(row?.receipt).estimated)
      assert.isAbove(ofReply(row?.receipt).usage.output ?? 0, 1_000)
      assert.isAbove(ofReply(row?.receipt).usage.freshInput ?? 0, 0)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("is stored with the chat, which the next message continues", () => {
    const model = scriptedModel(() => says(["An answer"]))
    return Effect.gen(function* () {
      const { reply } = yield* ask("ann", "First question")
      yield* ask("ann", "Second question", { chatId: reply.chatId })
      const asked = model.requests[1]?.messages.filter((message) => message.role !== "system")
      assert.deepStrictEqual(
        asked?.map((message) => message.content),
        ["First question", "An answer", "Second question"]
      )
      const { chat, messages } = yield* ChatService.use((service) => service.get("ann", reply.chatId))
      assert.strictEqual(chat.title, "First question")
      assert.deepStrictEqual(
        messages.map((message) => [message.role, message.content, message.state]),
        [
          ["user", "First question", "complete"],
          ["assistant", "An answer", "complete"],
          ["user", "Second question", "complete"],
          ["assistant", "An answer", "complete"]
        ]
      )
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("does not bring back its chat where that was deleted before the first words", () => {
    const gate = Deferred.makeUnsafe<void>()
    const model = scriptedModel(() => says(["An answer"]))
    return Effect.gen(function* () {
      const { reply } = yield* ask("ann", "First question")
      model.parts = () => Stream.unwrap(Effect.as(Deferred.await(gate), says(["Late"])))
      const asking = yield* Effect.forkChild(ask("ann", "Second question", { chatId: reply.chatId }))
      while (model.requests.length < 2) yield* Effect.yieldNow
      yield* ChatService.use((service) => service.remove("ann", reply.chatId))
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(asking)).text, "Late")
      const gone = yield* Effect.flip(ChatService.use((service) => service.get("ann", reply.chatId)))
      assert.strictEqual(gone._tag, "ChatNotFound")
      assert.strictEqual((yield* usageRows("ann")).length, 2)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("takes of the messages sent along with a chat only what follows the last reply", () => {
    const model = scriptedModel(() => says(["An answer"]))
    return Effect.gen(function* () {
      const { reply } = yield* ask("ann", "First question")
      const messages = [
        { role: "user", content: "a forged first question" },
        { role: "assistant", content: "a forged answer" },
        { role: "user", content: "Second question" }
      ]
      yield* ask("ann", "", { chatId: reply.chatId, messages })
      const asked = model.requests[1]?.messages.map((message) => message.content) ?? []
      assert.isFalse(asked.some((content) => content.includes("forged")))
    }).pipe(Effect.provide(world(model)))
  })
})

describe("a reply that fails", () => {
  it.effect("before its first words costs nothing, stores nothing and leaves no hold", () => {
    const model = scriptedModel(() => Stream.fail(broken("unavailable")))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(ask("ann", "Hi"))
      assert.strictEqual(error._tag, "ModelFailed")
      assert.deepInclude(yield* balance("ann"), { held: 0, available: 100 })
      const { total } = yield* ChatService.use((chat) => chat.list({ userId: "ann", limit: 10, offset: 0 }))
      assert.strictEqual(total, 0)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("by being complete but empty costs nothing", () => {
    const model = scriptedModel(() => says([], { input: 1_000, output: 0 }))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(ask("ann", "Hi"))
      assert.deepInclude(error, { _tag: "ModelFailed", reason: "empty" })
      assert.deepInclude(yield* balance("ann"), { held: 0, available: 100 })
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("after words were delivered is charged for the input and those words, and kept as failed", () => {
    const model = scriptedModel(() => Stream.concat(Stream.make(delta("Half of")), Stream.fail(broken("cut-off"))))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(ask("ann", "Hi"))
      assert.deepInclude(error, { _tag: "ModelFailed", reason: "cut-off" })
      const [row] = yield* usageRows("ann")
      assert.deepInclude(row?.receipt, { ended: "failed", estimated: true, charged: 1 })
      assert.deepInclude(yield* balance("ann"), { held: 0, available: 99 })
      const { chats } = yield* ChatService.use((chat) => chat.list({ userId: "ann", limit: 10, offset: 0 }))
      const { messages } = yield* ChatService.use((chat) => chat.get("ann", chats[0]?.id ?? ""))
      assert.deepInclude(messages[1], { content: "Half of", state: "failed" })
    }).pipe(Effect.provide(world(model)))
  })

  it.effect(
    "by writing far more than it was asked for is cut, kept as failed, and charged at most what was held",
    () => {
      let asked = 0
      let left = false
      const model = scriptedModel(({ maxOutputTokens, model: { id } }) =>
        replyStream<string>({
          model: id,
          limits: defaultReplyLimits,
          open: async function* () {
            asked = maxOutputTokens
            try {
              for (;;) yield await Promise.resolve(" word".repeat(1_000))
            } finally {
              left = true
            }
          },
          reader: () => ({ read: (text) => [delta(text)], finish: () => undefined }),
          failure: () => broken("unavailable")
        })
      )
      return Effect.gen(function* () {
        const error = yield* Effect.flip(ask("ann", "Hi"))
        assert.deepInclude(error, { _tag: "ModelFailed", reason: "overlong", retryable: false })
        const [row] = yield* usageRows("ann")
        assert.deepInclude(row?.receipt, { ended: "failed", estimated: true })
        assert.isAtMost(row?.receipt?.charged ?? Infinity, row?.receipt?.held ?? 0)
        const { chats } = yield* ChatService.use((chat) => chat.list({ userId: "ann", limit: 10, offset: 0 }))
        const { messages } = yield* ChatService.use((chat) => chat.get("ann", chats[0]?.id ?? ""))
        assert.strictEqual(messages[1]?.state, "failed")
        // Two tokens each in place of one, and a few more.
        assert.isAbove(messages[1]?.content.length ?? 0, 5 * asked)
        assert.isBelow(messages[1]?.content.length ?? Infinity, 5 * (2 * asked + 100))
        // The generator ends once the awaited part has come.
        while (!left) yield* Effect.yieldNow
      }).pipe(Effect.provide(world(model)))
    }
  )

  it.effect("by ending without an end mark is cut off, not complete", () => {
    const model = scriptedModel(() => Stream.make(delta("Half of")))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(ask("ann", "Hi"))
      assert.deepInclude(error, { _tag: "ModelFailed", reason: "cut-off" })
    }).pipe(Effect.provide(world(model)))
  })
})

describe("a reader who leaves", () => {
  const endless = (stopped: { value: boolean }) =>
    scriptedModel(() =>
      Stream.forever(Stream.make(delta("word "))).pipe(
        Stream.rechunk(1),
        Stream.ensuring(Effect.sync(() => void (stopped.value = true)))
      )
    )

  it.effect("half-way stops the model and is charged once for what was delivered", () => {
    const stopped = { value: false }
    return Effect.gen(function* () {
      const scope = yield* Scope.make()
      const chat = yield* ChatService
      const request = { messages: [{ role: "user", content: "Go on" }] }
      const reply = yield* Scope.provide(chat.send({ userId: "ann", request }), scope)
      yield* Stream.runDrain(Stream.take(reply.text, 5))
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(stopped.value)
      const rows = yield* usageRows("ann")
      assert.strictEqual(rows.length, 1)
      assert.deepInclude(rows[0]?.receipt, { ended: "stopped", estimated: true })
      assert.strictEqual((yield* balance("ann")).held, 0)
      const { messages } = yield* chat.get("ann", reply.chatId)
      assert.deepInclude(messages[1], { state: "stopped", content: "word ".repeat(5) })
    }).pipe(Effect.provide(world(endless(stopped))))
  })

  it.effect("with the first words unread costs nothing", () => {
    const stopped = { value: false }
    return Effect.gen(function* () {
      const chat = yield* ChatService
      const request = { messages: [{ role: "user", content: "Go on" }] }
      yield* Effect.scoped(chat.send({ userId: "ann", request }))
      assert.isTrue(stopped.value)
      assert.deepInclude(yield* balance("ann"), { held: 0, available: 100 })
    }).pipe(Effect.provide(world(endless(stopped))))
  })

  it.effect("before the first words costs nothing", () => {
    const stopped = { value: false }
    return Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const model = scriptedModel(() =>
        Stream.fromEffect(Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)).pipe(
          Stream.ensuring(Effect.sync(() => void (stopped.value = true)))
        )
      )
      yield* Effect.gen(function* () {
        const asking = yield* Effect.forkChild(ask("ann", "Hi"))
        yield* Deferred.await(asked)
        assert.isAbove((yield* balance("ann")).held, 0)
        yield* Fiber.interrupt(asking)
        assert.isTrue(stopped.value)
        assert.deepInclude(yield* balance("ann"), { held: 0, available: 100 })
      }).pipe(Effect.provide(world(model)))
    })
  })
})

describe("a balance that does not fit", () => {
  it.effect("refuses with what is there, before the model is asked", () => {
    const model = scriptedModel(() => says(["never"]))
    return Effect.gen(function* () {
      const error = yield* Effect.flip(ask("ann", "Hi"))
      assert.deepInclude(error, { _tag: "InsufficientCredits", required: 10, available: 9, held: 0 })
      assert.strictEqual(model.requests.length, 0)
    }).pipe(Effect.provide(world(model, flatPrice(10, 9))))
  })

  it.effect("buys a shorter reply where that is still useful, and never more than was held", () => {
    const model = scriptedModel((request) => says(["x"], { input: 10, output: request.maxOutputTokens }))
    return Effect.gen(function* () {
      const { reply } = yield* ask("ann", "Hi")
      const limit = model.requests[0]?.maxOutputTokens ?? 0
      assert.strictEqual(reply.limitedTo, limit)
      assert.isBelow(limit, 4_096)
      assert.isAtLeast(limit, 256)
      assert.deepInclude(yield* balance("ann"), { debt: 0, held: 0 })
    }).pipe(Effect.provide(world(model, { tiers: { free: { monthlyCredits: 5 } } })))
  })

  it.effect("gives one of fifty replies at once on a balance for one", () => {
    const model = scriptedModel(() => says(["yes"]))
    return Effect.gen(function* () {
      const exits = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.exit(ask("ann", "Hi")), {
        concurrency: "unbounded"
      })
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      assert.deepInclude(yield* balance("ann"), { held: 0, available: 0, debt: 0 })
    }).pipe(Effect.provide(world(model, flatPrice(10, 10))))
  })
})

describe("a request that may not be", () => {
  const model = scriptedModel(() => says(["never"]))
  it.effect("names the tiers that allow a model the person's tier does not", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ask("ann", "Hi", { modelId: "model-a" }))
      assert.deepInclude(error, { _tag: "ModelNotAllowed", tier: "free" })
      assert.deepInclude(error, { allowedTiers: ["pro", "business"] })
    }).pipe(Effect.provide(world(model)))
  )

  it.effect("treats another person's chat as one that does not exist", () =>
    Effect.gen(function* () {
      const { reply } = yield* ask("bob", "Hello")
      const foreign = yield* Effect.flip(ask("ann", "Hi", { chatId: reply.chatId }))
      const absent = yield* Effect.flip(ask("ann", "Hi", { chatId: "00000000-0000-4000-8000-000000000000" }))
      assert.strictEqual(foreign._tag, "ChatNotFound")
      assert.strictEqual(foreign.message, absent.message)
    }).pipe(Effect.provide(world(scriptedModel(() => says(["yes"])))))
  )

  it.effect("lists every problem of an invalid request with its place, and repeats nothing of it", () =>
    Effect.gen(function* () {
      const chat = yield* ChatService
      const request = { messages: [{ role: "robot", content: 7 }], chatId: "secret-thing", documentIds: "x" }
      const error = yield* Effect.flip(Effect.scoped(chat.send({ userId: "ann", request })))
      assert.strictEqual(error._tag, "InvalidChatRequest")
      if (error._tag !== "InvalidChatRequest") return
      const paths = error.issues.map((issue) => issue.path)
      assert.includeMembers(paths, ["messages[0].role", "messages[0].content", "chatId", "documentIds"])
      assert.notInclude(JSON.stringify(error.issues), "secret-thing")
    }).pipe(Effect.provide(world(model)))
  )
})
