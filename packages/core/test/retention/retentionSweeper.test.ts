import { assert, describe, it } from "@effect/vitest"
import { AuditLog, ChatStore, ImageStore } from "@parley/core/adapter"
import { BotService, ChatService, RetentionSweeper, settingsLayer, WidgetService } from "@parley/core/effect"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { ParleySettings } from "../../src/parleySettings.ts"
import { newImage } from "../../src/testing/chat/images/imageStoreContract.ts"
import { newTurn, newVisitor } from "../../src/testing/storage/storageFixtures.ts"
import { ask, balance, says, scriptedModel, transactions, world } from "../chat/world.ts"

const DAY = 86_400_000

const onWorld = (retention: ParleySettings["retention"], model = scriptedModel(() => says(["It grew."]))) =>
  Effect.provide(world(model).pipe(Layer.provide(settingsLayer({ retention }))), { local: true })

const sweep = RetentionSweeper.use((sweeper) => sweeper.sweep)
const asPerson = (userId: string) => ChatService.use((chat) => chat.list({ userId, limit: 10, offset: 0 }))
const entry = { action: "users block", by: "operator", userId: undefined, reason: undefined, details: "" }

/** A chat of a person, a conversation of a visitor, and an entry of the audit log. */
const given = Effect.gen(function* () {
  const turns = [newTurn("ann"), newTurn(newVisitor("ann"))]
  for (const turn of turns) yield* ChatStore.use((chats) => chats.beginTurn(turn))
  yield* AuditLog.use((log) => log.record(entry))
  return Effect.gen(function* () {
    const chats = yield* ChatStore
    const [chat, conversation] = yield* Effect.forEach(turns, (turn) => chats.transcript({ ...turn, limit: 1 }))
    const list = { userId: undefined, since: undefined, before: undefined, limit: 10 }
    const entries = yield* AuditLog.use((log) => log.list(list))
    return { chat: chat !== undefined, conversation: conversation !== undefined, entry: entries.length > 0 }
  })
})

/** What is left this many days later. */
const leftAfter = (days: number, retention: ParleySettings["retention"]) =>
  Effect.gen(function* () {
    const left = yield* given
    yield* TestClock.adjust(days * DAY)
    yield* sweep
    return yield* left
  }).pipe(onWorld(retention))

describe("retention", () => {
  const all = { chat: true, conversation: true, entry: true }

  it.effect("everything is kept for ever unless a time is set", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* leftAfter(36_500, undefined), all)
    })
  )

  it.effect("chats, visitors' conversations and the audit log each have a time of their own", () =>
    Effect.gen(function* () {
      const ms = 40 * DAY
      assert.deepStrictEqual(yield* leftAfter(39, { chatsMs: ms, visitorsMs: ms, logsMs: ms }), all)
      assert.deepStrictEqual(yield* leftAfter(41, { chatsMs: ms }), { ...all, chat: false })
      assert.deepStrictEqual(yield* leftAfter(41, { visitorsMs: ms }), { ...all, conversation: false })
      assert.deepStrictEqual(yield* leftAfter(41, { logsMs: ms }), { ...all, entry: false })
    })
  )

  it.effect("an image that no message has goes after a day, also if everything else is kept for ever", () =>
    Effect.gen(function* () {
      const images = yield* ImageStore
      const [used, unused] = [newImage(), newImage()]
      for (const image of [used, unused]) yield* images.add("ann", image)
      const messages = [{ role: "user" as const, content: "What is it?", images: [used] }]
      yield* ChatStore.use((chats) => chats.beginTurn(newTurn("ann", { messages })))
      yield* TestClock.adjust(DAY)
      assert.strictEqual((yield* sweep).images, 0)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* sweep).images, 1)
      assert.deepStrictEqual(yield* images.list("ann", { after: undefined, limit: 9 }), [used.id])
    }).pipe(onWorld(undefined))
  )

  it.effect("the credits of a deleted chat, and their history, stay as they were", () =>
    Effect.gen(function* () {
      yield* ask("ann", "What does the report say?")
      yield* TestClock.adjust(2 * DAY)
      const before = [yield* balance("ann"), yield* transactions("ann")]
      assert.strictEqual((yield* sweep).chats, 1)
      assert.strictEqual((yield* asPerson("ann")).total, 0)
      assert.deepStrictEqual([yield* balance("ann"), yield* transactions("ann")], before)
    }).pipe(onWorld({ chatsMs: DAY }))
  )

  it.effect("all chats go, however many they are", () =>
    Effect.gen(function* () {
      const chats = yield* ChatStore
      yield* Effect.forEach(Array.from({ length: 1_200 }), () => chats.beginTurn(newTurn("ann")))
      yield* TestClock.adjust(2 * DAY)
      assert.strictEqual((yield* sweep).chats, 1_200)
    }).pipe(onWorld({ chatsMs: DAY }))
  )

  it.effect("a chat that is continued while the model is waited for is not deleted, and has its reply", () => {
    const waited = Deferred.makeUnsafe<void>()
    const model = scriptedModel(() => says(["It grew."]))
    return Effect.gen(function* () {
      const { reply } = yield* ask("ann", "What does the report say?")
      yield* TestClock.adjust(2 * DAY)
      model.parts = () => Stream.unwrap(Effect.as(Deferred.await(waited), says(["Again."])))
      const asking = yield* Effect.forkChild(
        Effect.scoped(
          Effect.gen(function* () {
            const request = { chatId: reply.chatId, messages: [{ role: "user" as const, content: "And now?" }] }
            const { text } = yield* ChatService.use((chat) => chat.send({ userId: "ann", request }))
            return yield* Stream.mkString(text)
          })
        )
      )
      while (model.requests.length < 2) yield* Effect.yieldNow
      assert.strictEqual((yield* sweep).chats, 0)
      yield* Deferred.succeed(waited, undefined)
      assert.strictEqual(yield* Fiber.join(asking), "Again.")
      const { messages } = yield* ChatService.use((chat) => chat.get("ann", reply.chatId))
      assert.deepStrictEqual(
        messages.map(({ content }) => content),
        ["What does the report say?", "It grew.", "And now?", "Again."]
      )
    }).pipe(onWorld({ chatsMs: DAY }, model))
  })

  it.effect("a visitor's conversation that goes on is kept, and one that does not is gone for its visitor", () => {
    const say = (publicKey: string, conversationId?: string) =>
      Effect.scoped(
        Effect.gen(function* () {
          const call = { publicKey, visitorId: "visitor-1", message: "Hi", address: "192.0.2.1" }
          const reply = yield* WidgetService.use((widget) =>
            widget.send(conversationId === undefined ? call : { ...call, conversationId })
          )
          return { id: reply.conversationId, text: yield* Stream.mkString(reply.text) }
        })
      )
    return Effect.gen(function* () {
      const bot = yield* BotService.use((bots) => bots.create("owner", { displayName: "Ada" }))
      const key = bot.keys[0]?.publicKey ?? ""
      const { id } = yield* say(key)
      yield* TestClock.adjust(2 * DAY)
      yield* say(key, id)
      assert.strictEqual((yield* sweep).conversations, 0)
      yield* TestClock.adjust(2 * DAY)
      assert.strictEqual((yield* sweep).conversations, 1)
      assert.strictEqual((yield* Effect.flip(say(key, id)))._tag, "ConversationNotFound")
    }).pipe(onWorld({ visitorsMs: DAY }))
  })
})
