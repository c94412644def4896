import { Effect } from "effect"
import { expect, it } from "vitest"
import { ChatRecords, ChatStore } from "../../chat/store/ChatStore.ts"
import { newTurn, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import { type ChatStores, endTurn } from "./endTurn.ts"
import type { Run } from "../suiteOn.ts"
import { beginInOrder } from "./beginInOrder.ts"

/** Tests the guarantees of a `ChatStore` for the visitors of bots. */
export const visitorConversations = (run: Run<ChatStores>) => {
  it("a visitor continues their own conversation with a bot, and finds it there", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const visitor = newVisitor(newUserId())
        const turn = newTurn(visitor)
        const next = newTurn(visitor, { chatId: turn.chatId, continues: true })
        yield* chats.beginTurn(turn)
        yield* endTurn({ ...turn, replyId: turn.reply.id, content: "It grew.", state: "complete" })
        yield* chats.beginTurn(next)
        const found = yield* chats.transcript({ ...turn, limit: 10 })
        expect(found?.chat.owner).toEqual(visitor)
        expect(found?.messages.map(({ content }) => content)).toEqual([
          turn.messages[0]?.content,
          "It grew.",
          next.messages[0]?.content,
          ""
        ])
      })
    ))

  it("a visitor sees neither the conversations of other visitors or of other bots, nor the chats of the bot's owner", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const botOwner = newUserId()
        const visitor = newVisitor(botOwner)
        const others = [
          { person: botOwner },
          newVisitor(botOwner, visitor.bot),
          newVisitor(botOwner),
          { ...visitor, bot: `bot-${crypto.randomUUID()}` },
          { ...visitor, botOwner: newUserId() }
        ]
        for (const other of others) {
          const theirs = newTurn(other)
          yield* chats.beginTurn(theirs)
          const { chatId, reply } = theirs
          yield* endTurn({ owner: visitor, chatId, replyId: reply.id, content: "Taken", state: "complete" })
          yield* chats.beginTurn(newTurn(visitor, { chatId, continues: true }))
          expect(yield* chats.transcript({ owner: visitor, chatId, limit: 10 })).toBeUndefined()
          expect(yield* chats.remove(visitor, chatId)).toBe(false)
          const found = yield* chats.transcript({ ...theirs, limit: 10 })
          expect(found?.messages).toMatchObject([{ role: "user" }, { content: "", state: "streaming" }])
        }
      })
    ))

  it("the conversations of a bot are deleted together, and neither those of another bot nor the owner's chats", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const records = yield* ChatRecords
        const botOwner = newUserId()
        const visitor = newVisitor(botOwner)
        const gone = [newTurn(visitor), newTurn(newVisitor(botOwner, visitor.bot))]
        const kept = [newTurn(newVisitor(botOwner)), newTurn(newVisitor(newUserId(), visitor.bot)), newTurn(botOwner)]
        for (const turn of [...gone, ...kept]) yield* chats.beginTurn(turn)
        yield* records.removeOfBot(botOwner, visitor.bot)
        yield* records.removeOfBot(botOwner, "")
        for (const turn of gone) expect(yield* chats.transcript({ ...turn, limit: 1 })).toBeUndefined()
        for (const turn of kept) expect(yield* chats.transcript({ ...turn, limit: 1 })).toBeDefined()
      })
    ))

  it("neither the bot's owner as a person nor another visitor goes on with a visitor's conversation, nor begins one in its place", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const botOwner = newUserId()
        const visitor = newVisitor(botOwner)
        const turn = newTurn(visitor)
        yield* chats.beginTurn(turn)
        for (const owner of [{ person: botOwner }, newVisitor(botOwner, visitor.bot)]) {
          yield* chats.beginTurn(newTurn(owner, { chatId: turn.chatId, continues: true }))
          yield* chats.beginTurn(newTurn(owner, { chatId: turn.chatId }))
        }
        expect((yield* chats.transcript({ ...turn, limit: 10 }))?.messages).toHaveLength(2)
      })
    ))

  it("a bot's owner reads the conversations of its visitors, apart from the own chats, and may delete them", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const botOwner = newUserId()
        const [first, second] = [newVisitor(botOwner, "helper"), newVisitor(botOwner, "helper")]
        const [own, a, b] = [newTurn(botOwner), newTurn(first), newTurn(second)]
        yield* beginInOrder([own, a, b, newTurn(newVisitor(botOwner, "other"))])
        const listed = (bot?: string) =>
          Effect.map(chats.list({ userId: botOwner, bot, limit: 10, offset: 0 }), ({ chats: found, total }) => [
            found.map(({ id, owner }) => [id, owner]),
            total
          ])
        const visited = [
          [b.chatId, second],
          [a.chatId, first]
        ]
        expect(yield* listed()).toEqual([[[own.chatId, { person: botOwner }]], 1])
        expect(yield* listed("helper")).toEqual([visited, 2])
        expect((yield* chats.list({ userId: newUserId(), bot: "helper", limit: 10, offset: 0 })).total).toBe(0)
        expect(yield* chats.remove(second, b.chatId)).toBe(true)
        expect(yield* listed("helper")).toEqual([visited.slice(1), 1])
      })
    ))

  it("the conversations of all visitors of a person's bots count together, and apart from the person's own chats", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const botOwner = newUserId()
        const [one, other] = [newVisitor(botOwner), newVisitor(botOwner)]
        const saying = (content: string) => ({ messages: [{ role: "user" as const, content }] })
        yield* chats.beginTurn(newTurn(botOwner, saying("12345")))
        yield* chats.beginTurn(newTurn(one, saying("12")))
        yield* chats.beginTurn(newTurn(other, saying("1")))
        expect(yield* chats.usage({ person: botOwner })).toBe(5)
        expect([yield* chats.usage(one), yield* chats.usage(other)]).toEqual([3, 3])
      })
    ))
}
