import { assert, describe, it } from "@effect/vitest"
import { ChatService } from "@parley/core/effect"
import type { ReplyPart } from "@parley/core/adapter"
import { Effect, type Scope, Stream } from "effect"
import { ask, flatPrice, says, scriptedModel, world } from "./world.ts"

const USER = "ada"

/** Repeats the question; on questions with "slow" it says that much and goes on. */
const model = () =>
  scriptedModel(({ messages }) => {
    const question = messages.at(-1)?.content ?? ""
    const words: ReplyPart = { _tag: "text-delta", text: `on ${question}` }
    return question.includes("slow") ? Stream.concat(Stream.succeed(words), Stream.never) : says([words.text])
  })

/** A reply that goes on without its reader. */
const begin = Effect.fnUntraced(function* (chatId: string, parentMessageId: string, content: string) {
  const chat = yield* ChatService
  const body = { chatId, parentMessageId, messages: [{ role: "user", content }] }
  return yield* chat.send({ userId: USER, request: body, onDisconnect: "continue" })
})

/** A chat of one turn, and two replies that are being written after it. */
const twoRunning = Effect.gen(function* () {
  const { reply } = yield* ask(USER, "begin")
  const { chatId, messageId } = reply
  const one = yield* begin(chatId, messageId, "slow one")
  const other = yield* begin(chatId, messageId, "slow other")
  return { chatId, one, other }
})

describe("replies that are written at once in two branches", () => {
  const running = <A, E>(test: Effect.Effect<A, E, ChatService | Scope.Scope>) =>
    Effect.provide(Effect.scoped(test), world(model(), flatPrice(1, 100)))

  it.live("each run at the end of its branch, where each is joined", () =>
    running(
      Effect.gen(function* () {
        const chat = yield* ChatService
        const { chatId, one, other } = yield* twoRunning
        for (const [reply, leaf] of [
          [other, undefined],
          [other, other.messageId],
          [one, one.messageId]
        ] as const) {
          const found = yield* chat.get(USER, chatId, { leaf })
          assert.strictEqual(found.running?.messageId, reply.messageId)
          assert.strictEqual(found.messages.at(-1)?.id, reply.messageId)
        }
        for (const reply of [one, other]) {
          const joined = yield* chat.join(USER, chatId, reply.messageId)
          assert.strictEqual(joined?.messageId, reply.messageId)
          const [text] = joined === undefined ? [] : yield* Stream.runCollect(Stream.take(joined.text, 1))
          assert.strictEqual(text, reply === one ? "on slow one" : "on slow other")
        }
        yield* chat.stop(USER, chatId)
        assert.isUndefined((yield* chat.get(USER, chatId)).running)
      })
    )
  )

  it.live(
    "are not continued: what is asked meanwhile stands after their question, and reads no reply that is unfinished",
    () =>
      running(
        Effect.gen(function* () {
          const chat = yield* ChatService
          const { chatId, one, other } = yield* twoRunning
          const contents = Effect.map(chat.get(USER, chatId), ({ messages }) => messages.map(({ content }) => content))
          yield* ask(USER, "newest", { chatId })
          assert.deepStrictEqual(yield* contents, ["begin", "on begin", "slow other", "newest", "on newest"])
          yield* ask(USER, "named", { chatId, parentMessageId: one.messageId })
          assert.deepStrictEqual(yield* contents, ["begin", "on begin", "slow one", "named", "on named"])
          yield* chat.stop(USER, chatId)
          const { messages } = yield* chat.get(USER, chatId, { leaf: other.messageId })
          assert.deepStrictEqual(
            messages.map(({ content }) => content),
            ["begin", "on begin", "slow other", "on slow other"]
          )
        })
      )
  )
})

describe("a message that names its parent", () => {
  const refused = (more: object) => Effect.map(Effect.flip(ask(USER, "next", more)), (error) => error._tag)

  it.live("is refused if that is no message of the chat, no question for another reply, or of no chat", () =>
    Effect.gen(function* () {
      const { reply } = yield* ask(USER, "begin")
      const other = yield* ask(USER, "begin")
      const { chatId, messageId } = reply
      const requests = [
        { chatId, parentMessageId: other.reply.messageId },
        { chatId, parentMessageId: crypto.randomUUID() },
        { parentMessageId: messageId },
        { chatId, messages: [], parentMessageId: messageId },
        { chatId, messages: [] },
        { chatId, messages: [], parentMessageId: null },
        { messages: [], parentMessageId: null }
      ]
      for (const more of requests) assert.strictEqual(yield* refused(more), "InvalidChatRequest")
      assert.strictEqual(yield* refused({ chatId: crypto.randomUUID(), parentMessageId: messageId }), "ChatNotFound")
      const chat = yield* ChatService
      const missing = chat.get(USER, chatId, { leaf: other.reply.messageId })
      assert.strictEqual((yield* Effect.flip(missing))._tag, "ChatNotFound")
      assert.lengthOf((yield* chat.get(USER, chatId)).messages, 2)
    }).pipe(Effect.provide(world(model(), flatPrice(1, 100))))
  )
})
