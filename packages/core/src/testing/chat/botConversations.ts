import { Effect } from "effect"
import { expect, it } from "vitest"
import {
  ChatRecords,
  ChatStore,
  type ConversationCursor,
  type ListConversationsInput
} from "../../chat/store/ChatStore.ts"
import { newTurn, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import type { ChatStores } from "./endTurn.ts"
import type { Run } from "../suiteOn.ts"

/**
 * Makes a bot with one conversation for each of several visitors, one after another; returns the ids of the
 * conversations, last used first.
 */
const visited = (messages: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const chats = yield* ChatStore
    const { bot, botOwner } = newVisitor(newUserId())
    const ids: Array<string> = []
    for (const content of messages) {
      const turn = newTurn(newVisitor(botOwner, bot), { title: "Hi", messages: [{ role: "user", content }] })
      yield* chats.beginTurn(turn)
      ids.unshift(turn.chatId)
    }
    return { bot, botOwner, ids }
  })

/** Returns the ids of all conversations over all pages of this size, and the number of pages. */
const walk = (input: Omit<ListConversationsInput, "before">) =>
  Effect.gen(function* () {
    const records = yield* ChatRecords
    const ids: Array<string> = []
    let pages = 0
    for (let before: ConversationCursor | undefined; ;) {
      const page: { conversations: ReadonlyArray<{ id: string }>; next: ConversationCursor | undefined } =
        yield* records.conversations({ ...input, before })
      ids.push(...page.conversations.map(({ id }) => id))
      pages += 1
      before = page.next
      if (before === undefined) return { ids, pages }
    }
  })

/** Tests the guarantees of a `ChatStore` for the owners of bots. */
export const botConversations = (run: Run<ChatStores>) => {
  it("conversations are returned with their visitor, their times, the number of messages and the replies of models", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const records = yield* ChatRecords
        const visitor = newVisitor(newUserId())
        const turn = newTurn(visitor)
        const declined = newTurn(visitor, {
          chatId: turn.chatId,
          continues: true,
          reply: { id: crypto.randomUUID(), model: undefined, sources: [] }
        })
        for (const each of [turn, declined]) yield* chats.beginTurn(each)
        const { bot, botOwner } = visitor
        const { conversations, next } = yield* records.conversations({ botOwner, bot, limit: 10 })
        expect(next).toBeUndefined()
        expect(conversations).toMatchObject([
          { id: turn.chatId, owner: visitor, title: turn.title, messageCount: 4, replyIds: [turn.reply.id] }
        ])
        expect(yield* records.conversation(botOwner, bot, turn.chatId.toUpperCase())).toEqual(conversations[0])
        expect(yield* records.conversationsById({ botOwner, bot, after: undefined, limit: 10 })).toEqual(conversations)
      })
    ))

  it("pages of any size contain every conversation once, last used first", () =>
    run(
      Effect.gen(function* () {
        const { bot, botOwner, ids } = yield* visited(["a", "b", "c", "d", "e"])
        for (const limit of [1, 2, 5, 6]) {
          const walked = yield* walk({ botOwner, bot, limit })
          expect(new Set(walked.ids)).toEqual(new Set(ids))
          expect(walked).toMatchObject({ ids: { length: 5 }, pages: Math.ceil(5 / limit) })
        }
      })
    ))

  it("in the order of ids every conversation is met once, even if some are used meanwhile", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const records = yield* ChatRecords
        const { bot, botOwner, ids } = yield* visited(["a", "b", "c", "d", "e"])
        const met: Array<string> = []
        for (let after: string | undefined; ;) {
          const page = yield* records.conversationsById({ botOwner, bot, after, limit: 2 })
          met.push(...page.map(({ id }) => id))
          const [first] = page
          if (first !== undefined) {
            yield* chats.beginTurn(newTurn(first.owner, { chatId: first.id, continues: true }))
          }
          after = page.at(-1)?.id
          if (after === undefined) break
        }
        expect(met).toEqual(ids.toSorted())
      })
    ))

  it("a search finds a text in any case in title or messages, treats no character as a pattern, and continues by pages", () =>
    run(
      Effect.gen(function* () {
        const said = ["What of Storks?", "100% (sure)", "storks again", "nothing", "STORKS"]
        const { bot, botOwner, ids } = yield* visited(said)
        const found = (search: string, limit = 10) =>
          Effect.map(walk({ botOwner, bot, limit, search }), (walked) => new Set(walked.ids))
        const storks = new Set([0, 2, 4].map((place) => ids[said.length - 1 - place]))
        expect(yield* found("storks")).toEqual(storks)
        expect(yield* found("storks", 1)).toEqual(storks)
        expect(yield* found("100% (")).toEqual(new Set([ids[3]]))
        expect(yield* found(".*")).toEqual(new Set())
        expect(yield* found("hi")).toEqual(new Set(ids))
      })
    ))

  it("a search through more than one page may read finds the rest on a later page", () =>
    run(
      Effect.gen(function* () {
        const long = "x".repeat(3 * 1024 * 1024)
        const { bot, botOwner, ids } = yield* visited(["the oldest stork", long, long, long, "the newest stork"])
        const { ids: found, pages } = yield* walk({ botOwner, bot, limit: 10, search: "stork" })
        expect(found).toEqual([ids[0], ids[4]])
        expect(pages).toBeLessThanOrEqual(3)
      })
    ))

  it("only the bot's owner finds them, with another bot they are not found, and own chats are no conversations", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const records = yield* ChatRecords
        const { bot, botOwner, ids } = yield* visited(["Secret"])
        const own = newTurn(botOwner)
        yield* chats.beginTurn(own)
        const id = ids[0] ?? ""
        for (const [owner, of] of [
          [newUserId(), bot],
          [botOwner, `bot-${crypto.randomUUID()}`],
          [botOwner, ""]
        ] as const) {
          expect(yield* walk({ botOwner: owner, bot: of, limit: 10 })).toEqual({ ids: [], pages: 1 })
          expect(yield* walk({ botOwner: owner, bot: of, limit: 10, search: "Secret" })).toEqual({ ids: [], pages: 1 })
          expect(yield* records.conversationsById({ botOwner: owner, bot: of, after: undefined, limit: 9 })).toEqual([])
          for (const each of [id, own.chatId, "nonsense'"]) {
            expect(yield* records.conversation(owner, of, each)).toBeUndefined()
          }
        }
      })
    ))
}
