import { assert, describe, it } from "@effect/vitest"
import { ChatService, DocumentService } from "@parley/core/effect"
import type { ReplyParties } from "@parley/core"
import type { VisitorOwner } from "@parley/core/adapter"
import { JobWorker } from "@parley/core/adapter"
import { Effect, Fiber, Stream } from "effect"
import { ask, balance, flatPrice, says, scriptedModel, transactions, world } from "./world.ts"

const visitor: VisitorOwner = { visitor: "v-1", bot: "b-1", botOwner: "owner" }

/** A visitor asks; the bot's owner pays and owns the documents. */
const visiting = (from: VisitorOwner = visitor): ReplyParties => ({
  payer: from.botOwner,
  documentsOwner: from.botOwner,
  conversationOwner: from,
  source: `bot:${from.bot}`
})

const send = (parties: ReplyParties, content: string, more: object = {}) =>
  Effect.scoped(
    Effect.gen(function* () {
      const chat = yield* ChatService
      const reply = yield* chat.send({ parties, request: { messages: [{ role: "user", content }], ...more } })
      return { reply, text: yield* Stream.mkString(reply.text) }
    })
  )

const hello = () => scriptedModel(() => says(["Hello"], { input: 5, output: 1 }))

describe("the parties of a reply", () => {
  it.effect("the bot's owner pays for a visitor, who has no account", () => {
    const model = hello()
    return Effect.gen(function* () {
      const { text } = yield* send(visiting(), "Hi")
      assert.strictEqual(text, "Hello")
      assert.strictEqual((yield* balance("owner")).available, 97)
      const charged = (yield* transactions("owner")).filter(({ type }) => type === "usage")
      assert.deepStrictEqual(
        charged.map(({ amount }) => amount),
        [-3]
      )
    }).pipe(Effect.provide(world(model, flatPrice(3, 100))))
  })

  it.effect("the tier of the payer decides which models answer a visitor", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(send(visiting(), "Hi", { modelId: "model-a" }))
      assert.deepInclude(refused, { _tag: "ModelNotAllowed", tier: "free" })
    }).pipe(Effect.provide(world(hello())))
  )

  it.effect("where the owner's balance is used up a visitor is refused, and nothing is stored", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(send(visiting(), "Hi"))
      assert.strictEqual(refused._tag, "InsufficientCredits")
      const chat = yield* ChatService
      assert.strictEqual((yield* chat.list({ userId: "owner", bot: "b-1", limit: 10, offset: 0 })).total, 0)
    }).pipe(Effect.provide(world(hello(), flatPrice(3, 2))))
  )

  it.effect("the documents of their owner answer a visitor, who has none; another person's do not", () => {
    const model = hello()
    return Effect.gen(function* () {
      const documents = yield* DocumentService
      const upload = (userId: string, text: string) =>
        documents.upload({ userId, filename: "notes.txt", bytes: new TextEncoder().encode(text) })
      const own = yield* upload("owner", "The shop opens at nine.")
      const foreign = yield* upload("stranger", "The shop opens at ten.")
      const working = yield* Effect.forkChild(
        Effect.scoped(
          Effect.andThen(
            JobWorker.use((worker) => worker.work),
            Effect.never
          )
        )
      )
      while ((yield* documents.get("owner", own.id)).status !== "ready") yield* Effect.yieldNow
      const { reply } = yield* send(visiting(), "When does the shop open?", { documentIds: [own.id] })
      assert.deepStrictEqual(
        reply.sources.map(({ documentId, text }) => [documentId, text]),
        [[own.id, "The shop opens at nine."]]
      )
      const refused = yield* Effect.flip(send(visiting(), "When?", { documentIds: [foreign.id] }))
      assert.strictEqual(refused._tag, "DocumentForbidden")
      yield* Fiber.interrupt(working)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("a visitor goes on with their own conversation alone, and the model reads what was said in it", () => {
    const model = hello()
    return Effect.gen(function* () {
      const { reply } = yield* send(visiting(), "I am Vera.")
      const { chatId } = reply
      const own = yield* ask("owner", "My secret.")
      yield* send(visiting(), "Who am I?", { chatId })
      const read = model.requests.at(-1)?.messages.map(({ content }) => content) ?? []
      assert.includeMembers(read, ["I am Vera.", "Hello", "Who am I?"])
      assert.notInclude(read.join(" "), "secret")
      const others: ReadonlyArray<readonly [ReplyParties, string]> = [
        [visiting({ ...visitor, visitor: "v-2" }), chatId],
        [visiting({ ...visitor, bot: "b-2" }), chatId],
        [visiting(), own.reply.chatId]
      ]
      for (const [parties, foreign] of others) {
        const refused = yield* Effect.flip(send(parties, "What was said?", { chatId: foreign }))
        assert.strictEqual(refused._tag, "ChatNotFound")
      }
      const asOwner = yield* Effect.flip(ask("owner", "What was said?", { chatId }))
      assert.strictEqual(asOwner._tag, "ChatNotFound")
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("the bot's owner reads what visitors said, and their own list stays their own", () =>
    Effect.gen(function* () {
      const chat = yield* ChatService
      const { reply } = yield* send(visiting(), "Hi")
      yield* ask("owner", "Mine")
      assert.strictEqual((yield* chat.list({ userId: "owner", limit: 10, offset: 0 })).total, 1)
      const { chats } = yield* chat.list({ userId: "owner", bot: "b-1", limit: 10, offset: 0 })
      assert.deepStrictEqual(
        chats.map(({ id, owner }) => ({ id, owner })),
        [{ id: reply.chatId, owner: visitor }]
      )
      const { messages } = yield* chat.get(visitor, reply.chatId)
      assert.deepStrictEqual(
        messages.map(({ content }) => content),
        ["Hi", "Hello"]
      )
      assert.strictEqual((yield* Effect.flip(chat.get("owner", reply.chatId)))._tag, "ChatNotFound")
    }).pipe(Effect.provide(world(hello())))
  )

  it.effect("the same idempotency key names other replies for each visitor, and for the bot's owner", () => {
    const model = hello()
    return Effect.gen(function* () {
      const chat = yield* ChatService
      const request = { messages: [{ role: "user", content: "Hi" }] }
      const once = (parties: ReplyParties) =>
        Effect.scoped(
          Effect.flatMap(chat.send({ parties, request, idempotencyKey: "key-1" }), (reply) =>
            Effect.as(Stream.runDrain(reply.text), reply.messageId)
          )
        )
      const asked = [visiting(), visiting({ ...visitor, visitor: "v-2" }), visiting({ ...visitor, bot: "b-2" })]
      const first = yield* Effect.forEach(asked, once)
      const own = yield* Effect.scoped(
        Effect.flatMap(chat.send({ userId: "owner", request, idempotencyKey: "key-1" }), (reply) =>
          Effect.as(Stream.runDrain(reply.text), reply.messageId)
        )
      )
      assert.strictEqual(new Set([...first, own]).size, 4)
      assert.deepStrictEqual(yield* Effect.forEach(asked, once), first)
      assert.strictEqual(model.requests.length, 4)
    }).pipe(Effect.provide(world(model)))
  })

  it.effect("visitors who fill the room for conversations leave the owner's own chats theirs", () =>
    Effect.gen(function* () {
      const long = "x".repeat(3_000)
      yield* send(visiting(), long)
      const refused = yield* Effect.flip(send(visiting({ ...visitor, visitor: "v-2" }), long))
      assert.strictEqual(refused._tag, "StorageQuotaExceeded")
      yield* ask("owner", long)
    }).pipe(Effect.provide(world(hello(), { tiers: { free: { maxChatBytes: 4_000 } } })))
  )

  it.effect(
    "visitors who leave before the first word are bounded by bot, and do not keep the owner from chatting",
    () => {
      const model = scriptedModel(() => Stream.never)
      return Effect.gen(function* () {
        const chat = yield* ChatService
        const request = { messages: [{ role: "user", content: "Hi" }] }
        const leave = Effect.gen(function* () {
          const asked = model.requests.length
          const sending = yield* Effect.forkChild(Effect.scoped(chat.send({ parties: visiting(), request })))
          while (model.requests.length === asked) yield* Effect.yieldNow
          yield* Fiber.interrupt(sending)
        })
        for (let left = 0; left < 2; left += 1) yield* leave
        const refused = yield* Effect.flip(send(visiting({ ...visitor, visitor: "v-2" }), "Hi"))
        assert.strictEqual(refused._tag, "TooManyAbandonedTries")
        model.parts = () => says(["Hello"])
        yield* ask("owner", "Hi")
        yield* send(visiting({ ...visitor, bot: "b-2" }), "Hi")
      }).pipe(Effect.provide(world(model, { tiers: { free: { abandonedTriesPerMinute: 2 } } })))
    }
  )
})
