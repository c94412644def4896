import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { type Source, MAX_TRANSCRIPT_BYTES } from "../../chat/store/StoredChat.ts"
import { ChatStore } from "../../chat/store/ChatStore.ts"
import { newTurn, newUserId } from "../storage/storageFixtures.ts"
import { type ChatStores, endTurn } from "./endTurn.ts"
import { type Run, suiteOn } from "../suiteOn.ts"
import { beginInOrder } from "./beginInOrder.ts"
import { chatChanges } from "./chatChanges.ts"
import { branches } from "./branches.ts"
import { botConversations } from "./botConversations.ts"
import { type Age, unusedChats } from "./unusedChats.ts"
import { visitorConversations } from "./visitorConversations.ts"

const source: Source = {
  number: 1,
  documentId: "5b0f9c7e-6f0e-4d0f-8a56-0d6c9f2d9a11",
  filename: "Jahresbericht \u{1F4C8}.pdf",
  page: 3,
  start: 10,
  end: 15,
  text: "'12%'"
}

const turns = (run: Run<ChatStores>) => {
  it("a turn stores its messages, in order, and an empty reply that is streaming", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const turn = newTurn(newUserId(), {
          messages: [
            { role: "system", content: "Be brief." },
            { role: "user", content: 'Hello; it\'s "quoted" \\ and \u{1F600}' }
          ],
          reply: { id: crypto.randomUUID(), model: "model-a", sources: [source], unread: ["a", "b"] }
        })
        yield* chats.beginTurn(turn)
        const found = yield* chats.transcript({ ...turn, limit: 10 })
        expect(found?.chat).toMatchObject({ id: turn.chatId, title: turn.title })
        expect(found?.messages.map(({ role, content, state, model }) => ({ role, content, state, model }))).toEqual([
          { ...turn.messages[0], state: "complete", model: undefined },
          { ...turn.messages[1], state: "complete", model: undefined },
          { role: "assistant", content: "", state: "streaming", model: "model-a" }
        ])
        expect(found?.messages.at(-1)).toMatchObject({ id: turn.reply.id, sources: [source] })
        expect(found?.messages.map(({ unread }) => unread)).toEqual([[], [], ["a", "b"]])
        expect(new Set(found?.messages.map((message) => message.id)).size).toBe(3)
      })
    ))

  it("a second turn continues the chat after the first and keeps its title", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const first = newTurn(newUserId())
        const second = newTurn(first.owner, { chatId: first.chatId, title: "Other" })
        yield* chats.beginTurn(first)
        yield* endTurn({ ...first, replyId: first.reply.id, content: "It grew.", state: "complete" })
        yield* chats.beginTurn(second)
        const found = yield* chats.transcript({ ...first, limit: 10 })
        expect(found?.chat.title).toBe(first.title)
        expect(found?.messages.map((message) => message.content)).toEqual([
          first.messages[0]?.content,
          "It grew.",
          second.messages[0]?.content,
          ""
        ])
      })
    ))

  it("beginning the same reply again, also at the same moment, adds nothing", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const turn = newTurn(newUserId())
        yield* Effect.all(
          Array.from({ length: 4 }, () => chats.beginTurn(turn)),
          { concurrency: "unbounded" }
        )
        yield* chats.beginTurn(turn)
        expect((yield* chats.transcript({ ...turn, limit: 10 }))?.messages).toHaveLength(2)
      })
    ))

  it("concurrent turns of one chat are all kept, none inside another", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const first = newTurn(newUserId())
        const later = Array.from({ length: 8 }, () => newTurn(first.owner, { chatId: first.chatId }))
        yield* Effect.all(
          [first, ...later].map((turn) => chats.beginTurn(turn)),
          { concurrency: "unbounded" }
        )
        const found = yield* chats.transcript({ ...first, limit: 100 })
        const roles = found?.messages.map((message) => message.role) ?? []
        expect(roles).toEqual(Array.from({ length: 9 }, () => ["user", "assistant"]).flat())
      })
    ))
}

const endings = (run: Run<ChatStores>) => {
  it("a reply ends once: what ended it first stays", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const turn = newTurn(newUserId())
        const end = { owner: turn.owner, chatId: turn.chatId, replyId: turn.reply.id }
        yield* chats.beginTurn(turn)
        yield* endTurn({ ...end, content: "Half of", state: "stopped" })
        yield* endTurn({ ...end, content: "Half of it", state: "complete" })
        const found = yield* chats.transcript({ ...turn, limit: 1 })
        expect(found?.messages).toMatchObject([{ id: turn.reply.id, content: "Half of", state: "stopped" }])
      })
    ))

  it("ending a reply of a deleted chat does nothing", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const turn = newTurn(newUserId())
        yield* chats.beginTurn(turn)
        expect(yield* chats.remove(turn.owner, turn.chatId)).toBe(true)
        yield* endTurn({ ...turn, replyId: turn.reply.id, content: "Late", state: "complete" })
        expect(yield* chats.transcript({ ...turn, limit: 10 })).toBeUndefined()
        expect(yield* chats.remove(turn.owner, turn.chatId)).toBe(false)
      })
    ))

  it("a turn that continues a chat deleted meanwhile stores nothing", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const turn = newTurn(newUserId())
        const next = () => newTurn(turn.owner, { chatId: turn.chatId, continues: true })
        yield* chats.beginTurn(turn)
        yield* chats.beginTurn(next())
        expect((yield* chats.transcript({ ...turn, limit: 10 }))?.messages).toHaveLength(4)
        yield* chats.remove(turn.owner, turn.chatId)
        yield* chats.beginTurn(next())
        expect(yield* chats.transcript({ ...turn, limit: 10 })).toBeUndefined()
      })
    ))

  it("characters that no text can hold are stored as U+FFFD", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const broken = "a\0b\uD800c\uDC00"
        const turn = newTurn(newUserId(), {
          title: broken,
          messages: [{ role: "user", content: broken }],
          reply: { id: crypto.randomUUID(), model: "model-a-mini", sources: [{ ...source, text: broken }] }
        })
        yield* chats.beginTurn(turn)
        yield* endTurn({ ...turn, replyId: turn.reply.id, content: broken, state: "complete" })
        const found = yield* chats.transcript({ ...turn, limit: 10 })
        const clean = "a\uFFFDb\uFFFDc\uFFFD"
        expect(found?.chat.title).toBe(clean)
        expect(found?.messages.map((message) => message.content)).toEqual([clean, clean])
        expect(found?.messages[1]?.sources[0]?.text).toBe(clean)
      })
    ))
}

const reading = (run: Run<ChatStores>) => {
  it("a transcript returns the newest messages, oldest of them first", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const messages = ["1", "2", "3"].map((content) => ({ role: "user" as const, content }))
        const turn = newTurn(newUserId(), { messages })
        yield* chats.beginTurn(turn)
        const contents = (limit: number) =>
          Effect.map(chats.transcript({ ...turn, limit }), (found) => found?.messages.map((each) => each.content))
        expect(yield* contents(2)).toEqual(["3", ""])
        expect(yield* contents(4)).toEqual(["1", "2", "3", ""])
        expect(yield* contents(0)).toEqual([])
      })
    ))

  it("a transcript leaves out older messages if its contents are too long together, but never the newest", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const part = "x".repeat(MAX_TRANSCRIPT_BYTES / 2)
        const messages = [part, part, "é", part].map((content) => ({ role: "user" as const, content }))
        const turn = newTurn(newUserId(), { messages })
        yield* chats.beginTurn(turn)
        const lengths = Effect.map(chats.transcript({ ...turn, limit: 10 }), (found) =>
          found?.messages.map(({ content }) => content.length)
        )
        expect(yield* lengths).toEqual([1, part.length, 0])
        yield* endTurn({ ...turn, replyId: turn.reply.id, content: `${part}${part}!`, state: "complete" })
        expect(yield* lengths).toEqual([MAX_TRANSCRIPT_BYTES + 1])
      })
    ))

  it("pages before a message, one after the other, contain every message once and in order, and mark the last page", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const messages = Array.from({ length: 10 }, (_, index) => ({ role: "user" as const, content: String(index) }))
        const turn = newTurn(newUserId(), { messages })
        yield* chats.beginTurn(turn)
        const pages: Array<ReadonlyArray<string>> = []
        let before: string | undefined
        do {
          const page = yield* chats.transcript({ ...turn, limit: 4, before })
          pages.unshift(page?.messages.map(({ content }) => content) ?? [])
          before = page?.hasEarlier === true ? page.messages[0]?.id.toUpperCase() : undefined
        } while (before !== undefined)
        expect(pages).toEqual([
          ["0", "1", "2"],
          ["3", "4", "5", "6"],
          ["7", "8", "9", ""]
        ])
      })
    ))

  it("a page ends before its contents become too long together; the next one continues before it", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const messages = ["a", "bé", "c"].map((letters) => ({ role: "user" as const, content: letters.repeat(100) }))
        const turn = newTurn(newUserId(), { messages })
        yield* chats.beginTurn(turn)
        const page = yield* chats.transcript({ ...turn, limit: 10, maxBytes: 399 })
        expect(page).toMatchObject({ hasEarlier: true, messages: [{ content: "c".repeat(100) }, { content: "" }] })
        const earlier = yield* chats.transcript({ ...turn, limit: 10, maxBytes: 299, before: page?.messages[0]?.id })
        expect(earlier).toMatchObject({ hasEarlier: true, messages: [{ content: "bé".repeat(100) }] })
        const first = yield* chats.transcript({ ...turn, limit: 10, maxBytes: 1, before: earlier?.messages[0]?.id })
        expect(first).toMatchObject({ hasEarlier: false, messages: [{ content: "a".repeat(100) }] })
      })
    ))

  it("a page ends before the sources of its replies become too long together", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const turn = newTurn(newUserId())
        for (const said of ["one", "two", "three"]) {
          // Random characters, so that no store can compress them.
          const text = Array.from({ length: 600 }, () => crypto.randomUUID()).join("")
          const reply = { id: crypto.randomUUID(), model: "model-a", sources: [{ ...source, text }] }
          yield* chats.beginTurn({ ...turn, messages: [{ role: "user", content: said }], reply })
        }
        const page = yield* chats.transcript({ ...turn, limit: 10, maxBytes: 22_000 })
        expect(page).toMatchObject({ hasEarlier: true, messages: [{ content: "three" }, { content: "" }] })
      })
    ))

  it("nothing is before a message that the chat does not have", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const [turn, other] = [newTurn(newUserId()), newTurn(newUserId())]
        yield* chats.beginTurn(turn)
        yield* chats.beginTurn(other)
        for (const before of [other.reply.id, crypto.randomUUID(), "nonsense'"]) {
          const found = yield* chats.transcript({ ...turn, limit: 10, before })
          expect(found).toMatchObject({ chat: { id: turn.chatId }, messages: [], hasEarlier: false })
        }
      })
    ))

  it("the chats of a person count with their messages, replies and sources, until they are deleted", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const userId = newUserId()
        const reply = { id: crypto.randomUUID(), model: "model-a", sources: [{ ...source, text: "é".repeat(10) }] }
        const first = newTurn(userId, { messages: [{ role: "user", content: "é".repeat(100) }], reply })
        const second = newTurn(userId, { messages: [{ role: "user", content: "x" }] })
        expect(yield* chats.usage({ person: userId })).toBe(0)
        yield* chats.beginTurn(first)
        yield* chats.beginTurn(first)
        yield* chats.beginTurn(second)
        yield* chats.beginTurn(newTurn(newUserId()))
        expect(yield* chats.usage({ person: userId })).toBe(221)
        const end = { ...first, replyId: first.reply.id, content: "It is 12\u202f%.", state: "complete" as const }
        yield* endTurn(end)
        yield* endTurn({ ...end, content: "again" })
        expect(yield* chats.usage({ person: userId })).toBe(221 + new TextEncoder().encode(end.content).byteLength)
        yield* chats.remove({ person: userId }, first.chatId)
        expect(yield* chats.usage({ person: userId })).toBe(1)
      })
    ))

  it("chats are listed by last use, in pages, with the count of all", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const userId = newUserId()
        const [a, b, c] = [newTurn(userId), newTurn(userId), newTurn(userId)]
        yield* beginInOrder([a, b, c, newTurn(userId, { chatId: a.chatId })])
        const page = (limit: number, offset: number) =>
          Effect.map(chats.list({ userId, limit, offset }), ({ chats, total }) => [chats.map(({ id }) => id), total])
        expect(yield* page(10, 0)).toEqual([[a.chatId, c.chatId, b.chatId], 3])
        expect(yield* page(1, 1)).toEqual([[c.chatId], 3])
        expect(yield* page(10, 3)).toEqual([[], 3])
      })
    ))

  it("another person's chat is as one that does not exist", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const turn = newTurn(newUserId())
        const stranger = newUserId()
        yield* chats.beginTurn(turn)
        yield* endTurn({
          ...turn,
          owner: { person: stranger },
          replyId: turn.reply.id,
          content: "Taken",
          state: "complete"
        })
        expect(yield* chats.transcript({ owner: { person: stranger }, chatId: turn.chatId, limit: 10 })).toBeUndefined()
        expect(yield* chats.remove({ person: stranger }, turn.chatId)).toBe(false)
        expect((yield* chats.list({ userId: stranger, limit: 10, offset: 0 })).total).toBe(0)
        const found = yield* chats.transcript({ ...turn, limit: 10 })
        expect(found?.messages.at(-1)).toMatchObject({ content: "", state: "streaming" })
      })
    ))

  it("an id that is no UUID names no chat", () =>
    run(
      Effect.gen(function* () {
        const chats = yield* ChatStore
        const userId = newUserId()
        expect(yield* chats.transcript({ owner: { person: userId }, chatId: "nonsense'", limit: 10 })).toBeUndefined()
        expect(yield* chats.remove({ person: userId }, "nonsense'")).toBe(false)
      })
    ))
}

/** Tests the guarantees of a `ChatStore`. Each test uses people of its own. `layer` is built once, for all tests. */
export const chatStoreContract = <R = never>(
  name: string,
  layer: Layer.Layer<ChatStores | R, unknown>,
  age: Age<R>
): void =>
  suiteOn(`ChatStore: ${name}`, layer, (run) => {
    turns(run)
    endings(run)
    reading(run)
    branches(run)
    visitorConversations(run)
    botConversations(run)
    chatChanges(run)
    unusedChats(run, age)
  })
