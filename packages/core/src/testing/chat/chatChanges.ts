import { Effect } from "effect"
import { expect, it } from "vitest"
import { ChatStore } from "../../chat/store/ChatStore.ts"
import { newTurn, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import { type ChatStores, endTurn } from "./endTurn.ts"
import type { Run } from "../suiteOn.ts"
import { beginInOrder } from "./beginInOrder.ts"

/**
 * Tests titles, documents stored with a chat, and searching: the uses that people have of their own chats apart from
 * sending messages.
 */
export const chatChanges = (run: Run<ChatStores>): void => {
  it("a chat is renamed by its owner alone, and keeps its place among the others", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const user = newUserId()
        const [older, newer] = [newTurn(user), newTurn(user)]
        yield* beginInOrder([older, newer])
        expect(yield* chats.rename(user, older.chatId.toUpperCase(), "'Zweiter' Titel \u{1F4C8}")).toMatchObject({
          id: older.chatId,
          title: "'Zweiter' Titel \u{1F4C8}"
        })
        expect(yield* chats.rename(newUserId(), older.chatId, "Stolen")).toBe(undefined)
        expect(yield* chats.rename(user, crypto.randomUUID(), "Nowhere")).toBe(undefined)
        expect(yield* chats.rename(user, "no id", "Nowhere")).toBe(undefined)
        yield* chats.beginTurn(newTurn(user, { chatId: newer.chatId, title: "Not this" }))
        const { chats: listed } = yield* chats.list({ userId: user, limit: 10, offset: 0 })
        expect(listed.map(({ id, title }) => [id, title])).toEqual([
          [newer.chatId, newer.title],
          [older.chatId, "'Zweiter' Titel \u{1F4C8}"]
        ])
      })
    ))

  it("a title that is given for another one leaves a title that was changed meanwhile", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const user = newUserId()
        const turn = newTurn(user, { title: "The 'first' title\0" })
        yield* chats.beginTurn(turn)
        expect(yield* chats.rename(newUserId(), turn.chatId, "Stolen", turn.title)).toBe(undefined)
        expect(yield* chats.rename(user, turn.chatId, "Written", turn.title)).toMatchObject({ title: "Written" })
        expect(yield* chats.rename(user, turn.chatId, "Written again", turn.title)).toBe(undefined)
        const both = ["One", "Other"].map((title) => chats.rename(user, turn.chatId, title, "Written"))
        const renamed = yield* Effect.all(both, { concurrency: "unbounded" })
        const [changed, ...more] = renamed.filter((each) => each !== undefined)
        expect(more).toEqual([])
        expect((yield* chats.transcript({ ...turn, limit: 1 }))?.chat.title).toBe(changed?.title)
      })
    ))

  it("a chat has the documents its last request named, until others are kept with it", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const user = newUserId()
        const [one, two, three] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
        const turn = newTurn(user, { documentIds: [two.toUpperCase(), one] })
        const continued = { chatId: turn.chatId, continues: true }
        const kept = Effect.map(chats.transcript({ ...turn, limit: 1 }), (found) => found?.documentIds)
        yield* chats.beginTurn(turn)
        expect(yield* kept).toEqual([two, one])
        yield* chats.beginTurn(newTurn(user, { ...continued, documentIds: [three] }))
        expect(yield* kept).toEqual([three])
        yield* chats.beginTurn(newTurn(user, continued))
        expect(yield* kept).toEqual([])
        expect(yield* chats.keepDocuments(user, turn.chatId.toUpperCase(), [three.toUpperCase(), one])).toBe(true)
        yield* chats.beginTurn(newTurn(user, { ...continued, documentIds: [two] }))
        expect(yield* kept).toEqual([three, one])
        expect(yield* chats.keepDocuments(user, turn.chatId, [])).toBe(true)
        expect(yield* kept).toEqual([])
      })
    ))

  it("documents are kept with a person's own chats alone", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const user = newUserId()
        const [own, visitors] = [newTurn(user), newTurn(newVisitor(user))]
        yield* chats.beginTurn(own)
        yield* chats.beginTurn(visitors)
        expect(yield* chats.keepDocuments(newUserId(), own.chatId, [crypto.randomUUID()])).toBe(false)
        expect(yield* chats.keepDocuments(user, visitors.chatId, [crypto.randomUUID()])).toBe(false)
        expect(yield* chats.rename(user, visitors.chatId, "Mine")).toBe(undefined)
        expect(yield* chats.keepDocuments(user, crypto.randomUUID(), [])).toBe(false)
        expect(yield* chats.keepDocuments(user, "no id", [])).toBe(false)
        const found = yield* chats.transcript({ ...own, limit: 1 })
        expect(found?.documentIds).toEqual([])
      })
    ))

  it("a search finds chats by title and by messages, in any case, page by page", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const user = newUserId()
        const said = (title: string, content: string) => newTurn(user, { title, messages: [{ role: "user", content }] })
        const byTitle = said("The annual REPORT", "Hello")
        const byMessage = said("Hello", "Which Report?")
        const byReply = said("Hello", "And then?")
        const other = said("Hello", "50% of it_")
        yield* beginInOrder([byTitle, byMessage, byReply, other])
        yield* endTurn({ ...byReply, replyId: byReply.reply.id, content: "It reports.", state: "complete" })
        yield* chats.beginTurn(newTurn(newUserId(), { title: "The report of somebody else" }))
        yield* chats.beginTurn(newTurn(newVisitor(user), { title: "A visitor's report" }))
        const search = (text: string, limit = 10, offset = 0) =>
          Effect.map(chats.list({ userId: user, limit, offset, search: text }), ({ chats: found, total }) => ({
            ids: found.map(({ id }) => id),
            total
          }))
        const reports = [byReply.chatId, byMessage.chatId, byTitle.chatId]
        expect(yield* search("rePORT")).toEqual({ ids: reports, total: 3 })
        expect(yield* search("report", 2, 1)).toEqual({ ids: reports.slice(1), total: 3 })
        expect(yield* search("report", 2, 3)).toEqual({ ids: [], total: 3 })
        expect(yield* search("nothing of the kind")).toEqual({ ids: [], total: 0 })
        expect((yield* search("")).total).toBe(4)
      })
    ))

  it("a search names the newest message with the words, of any branch, and an excerpt with their place", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const user = newUserId()
        const text = `${"before ".repeat(40)}\n\nThe  \u{1F4C8} STORK\n flies${" behind".repeat(40)}`
        const turn = newTurn(user, { title: "A stork", messages: [{ role: "user", content: text }] })
        const version = newTurn(user, { chatId: turn.chatId, continues: true, parentId: null })
        const titled = newTurn(user, { title: "The storks" })
        yield* chats.beginTurn(turn)
        yield* endTurn({ ...turn, replyId: turn.reply.id, content: "Herons.", state: "complete" })
        yield* chats.beginTurn(version)
        yield* chats.beginTurn(titled)
        const search = (words: string) =>
          Effect.map(
            chats.list({ userId: user, limit: 10, offset: 0, search: words }),
            ({ chats: found }) => new Map(found.map((chat) => [chat.id, chat.found]))
          )
        const { messages } = (yield* chats.transcript({ ...turn, branch: "all", limit: 10 })) ?? { messages: [] }
        const found = yield* search("stork")
        expect(found.get(titled.chatId)).toBe(undefined)
        const excerpt = `…${"before ".repeat(4)}The \u{1F4C8} STORK flies${" behind".repeat(16)}…`
        const start = excerpt.indexOf("STORK")
        expect(found.get(turn.chatId)).toEqual({ messageId: messages[0]?.id, excerpt, start, end: start + 5 })
        expect((yield* search("herons")).get(turn.chatId)).toEqual({
          messageId: turn.reply.id,
          excerpt: "Herons.",
          start: 0,
          end: 6
        })
      })
    ))

  it.each(["%", "_", "50% of", ".*", "\\", "(", "***=", "'", "\u{1F4C8}"])(
    "a search for %j finds what has exactly this in it",
    (text) =>
      run(
        Effect.gen(function* () {
          const chats = yield* ChatStore
          const user = newUserId()
          const title = `About 50% of ${text} it`
          const turn = newTurn(user, { title })
          yield* chats.beginTurn(turn)
          yield* chats.beginTurn(newTurn(user, { title: "Plain", messages: [{ role: "user", content: "words" }] }))
          const found = yield* chats.list({ userId: user, limit: 10, offset: 0, search: text })
          expect(found).toMatchObject({ total: 1, chats: [{ id: turn.chatId }] })
        })
      )
  )
}
