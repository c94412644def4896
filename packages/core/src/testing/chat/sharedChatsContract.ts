import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { SharedChats } from "../../chat/sharing/SharedChats.ts"
import { ChatRecords, ChatStore } from "../../chat/store/ChatStore.ts"
import type { DeliveryRecords, Outbox } from "../../events/Outbox.ts"
import { claimed, subscribed } from "../events/outboxFixtures.ts"
import { newTurn, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import { suiteOn, type Run } from "../suiteOn.ts"
import { type ChatStores, endTurn } from "./endTurn.ts"

type Stores = ChatStores | DeliveryRecords | Outbox | SharedChats

const newShareId = () => crypto.randomUUID().replaceAll("-", "")

const endReply = (turn: ReturnType<typeof newTurn>) =>
  endTurn({ ...turn, replyId: turn.reply.id, content: "Two of 'them'.", state: "complete" })

const shares = (run: Run<Stores>): void => {
  it("a share is found by its id alone, keeps the id when it is renewed, and ends when its owner ends it", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const shared = yield* SharedChats
        const userId = newUserId()
        const turn = newTurn(userId)
        yield* chats.beginTurn(turn)
        yield* endReply(turn)
        const { chatId, owner } = turn
        const [id, later] = [newShareId(), newShareId()]
        const [question] = (yield* chats.transcript({ owner, chatId, limit: 10 }))?.messages ?? []
        const first = yield* shared.share({ userId, chatId: chatId.toUpperCase(), id, upTo: question?.id ?? "" })
        expect(first).toEqual({ id, upTo: question?.id, sharedAt: expect.any(Number) })
        const renewed = yield* shared.share({ userId, chatId, id: later, upTo: turn.reply.id.toUpperCase() })
        expect(renewed).toEqual({ id, upTo: turn.reply.id, sharedAt: expect.any(Number) })
        expect(yield* shared.find(id)).toEqual({ owner, chatId, share: renewed })
        expect(yield* shared.find(later)).toBe(undefined)
        expect((yield* chats.transcript({ owner, chatId, limit: 1 }))?.share).toEqual(renewed)
        expect(yield* shared.unshare(userId, chatId)).toBe(true)
        expect(yield* shared.find(id)).toBe(undefined)
        expect((yield* chats.transcript({ owner, chatId, limit: 1 }))?.share).toBe(undefined)
        expect((yield* shared.share({ userId, chatId, id: later, upTo: turn.reply.id }))?.id).toBe(later)
        expect(yield* shared.find(id)).toBe(undefined)
        expect(yield* chats.remove(owner, chatId)).toBe(true)
        expect(yield* shared.find(later)).toBe(undefined)
      })
    ))

  it("only the owner of a chat shares it, up to a message of it, and never a visitor's conversation", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const shared = yield* SharedChats
        const userId = newUserId()
        const [own, other, visitors] = [newTurn(userId), newTurn(userId), newTurn(newVisitor(userId))]
        for (const turn of [own, other, visitors]) yield* chats.beginTurn(turn)
        const share = (chatId: string, upTo: string, by = userId) =>
          shared.share({ userId: by, chatId, upTo, id: newShareId() })
        expect(yield* share(own.chatId, own.reply.id, newUserId())).toBe(undefined)
        expect(yield* share(own.chatId, other.reply.id)).toBe(undefined)
        expect(yield* share("no id", own.reply.id)).toBe(undefined)
        expect(yield* share(visitors.chatId, visitors.reply.id)).toBe(undefined)
        expect(yield* shared.unshare(newUserId(), own.chatId)).toBe(false)
        expect(yield* shared.unshare(userId, visitors.chatId)).toBe(false)
        expect((yield* chats.transcript({ ...own, limit: 1 }))?.share).toBe(undefined)
      })
    ))
}

const ratings = (run: Run<Stores>): void => {
  it("a rating is stored with its reply and reported to every destination, and another one takes its place", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const records = yield* ChatRecords
        const destination = yield* subscribed("reply.rated")
        const userId = newUserId()
        const turn = newTurn(userId)
        const { chatId, owner, reply } = turn
        yield* chats.beginTurn(turn)
        const rate = (rating: Parameters<typeof records.rate>[0]["rating"]) =>
          records.rate({ owner, chatId: chatId.toUpperCase(), messageId: reply.id.toUpperCase(), rating })
        const stored = Effect.map(chats.transcript({ ...turn, limit: 1 }), (found) => found?.messages[0]?.rating)
        const bad = { rating: "bad", comment: 'It\'s "wrong" \u{1F4C8}' } as const
        expect(yield* rate(bad)).toBe(false)
        yield* endReply(turn)
        expect(yield* stored).toBe(undefined)
        expect(yield* rate(bad)).toBe(true)
        expect(yield* stored).toEqual(bad)
        const data = { account: userId, source: "chat", replyId: reply.id, chatId, model: reply.model }
        expect((yield* claimed(destination)).map((event) => event.data)).toEqual([{ ...data, ...bad }])
        expect(yield* rate({ rating: "good" })).toBe(true)
        expect(yield* stored).toEqual({ rating: "good" })
        expect(yield* rate(undefined)).toBe(true)
        expect(yield* stored).toBe(undefined)
        expect((yield* claimed(destination)).map((event) => event.data)).toEqual([
          { ...data, rating: "good" },
          { ...data, rating: "none" }
        ])
      })
    ))

  it("only replies that a model wrote are rated, by the owner of the chat, and visitors rate as their bot", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const records = yield* ChatRecords
        const userId = newUserId()
        const visitor = newVisitor(userId)
        const [own, visitors] = [newTurn(userId), newTurn(visitor)]
        const declined = newTurn(visitor, {
          reply: { id: crypto.randomUUID(), model: undefined, sources: [], content: "No." }
        })
        for (const turn of [own, visitors, declined]) yield* chats.beginTurn(turn)
        for (const turn of [own, visitors]) yield* endReply(turn)
        const destination = yield* subscribed("reply.rated")
        const rate = ({ chatId, owner, reply }: typeof own, messageId = reply.id) =>
          records.rate({ owner, chatId, messageId, rating: { rating: "good" } })
        const [question] = (yield* chats.transcript({ ...own, limit: 10 }))?.messages ?? []
        expect(yield* rate({ ...own, owner: { person: newUserId() } })).toBe(false)
        expect(yield* rate({ ...visitors, owner: newVisitor(userId, visitor.bot) })).toBe(false)
        expect(yield* rate(own, question?.id)).toBe(false)
        expect(yield* rate(own, "no id")).toBe(false)
        expect(yield* rate(declined)).toBe(false)
        expect(yield* claimed(destination)).toEqual([])
        expect(yield* rate(visitors)).toBe(true)
        const [event] = yield* claimed(destination)
        expect(event?.data).toMatchObject({ account: userId, source: `bot:${visitor.bot}`, replyId: visitors.reply.id })
      })
    ))
}

/** Tests the guarantees of a `SharedChats`, and of the ratings of replies. `layer` is built once, for all tests. */
export const sharedChatsContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`SharedChats and ratings: ${name}`, layer, (run) => {
    shares(run)
    ratings(run)
  })
