import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { Handovers, MAX_VISITOR_MAILS, type VisitorChat } from "../../chat/store/Handovers.ts"
import { ChatRecords, ChatStore } from "../../chat/store/ChatStore.ts"
import type { VisitorOwner } from "../../chat/store/StoredChat.ts"
import { Outbox } from "../../events/Outbox.ts"
import { newTurn, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../suiteOn.ts"
import type { ChatStores } from "./endTurn.ts"

type Parts = Handovers | ChatStores | Outbox

/**
 * Changes the stored time at which the visitor of a conversation last asked for new messages, to this many milliseconds
 * ago.
 */
export type AgeLook = (chat: VisitorChat, ms: number) => Effect.Effect<void, unknown, Parts>

const asking = { continues: true, email: undefined, page: undefined, language: "en" } as const

/** Stores a conversation of a visitor with one question and its reply. */
const talked = (visitor: VisitorOwner = newVisitor(newUserId())) =>
  Effect.gen(function* () {
    const turn = newTurn(visitor, {
      reply: { id: crypto.randomUUID(), model: "model-a", sources: [], content: "It grew." }
    })
    yield* (yield* ChatStore).beginTurn(turn)
    const { bot, botOwner } = visitor
    return { chat: { owner: visitor, chatId: turn.chatId }, owned: { botOwner, bot, chatId: turn.chatId } }
  })

const says = (chat: VisitorChat, content: string) =>
  Handovers.use((handovers) => handovers.say({ ...chat, content, title: content }))

const messagesOf = ({ chatId, owner }: VisitorChat) =>
  Effect.map(
    ChatStore.use((chats) => chats.transcript({ owner, chatId, limit: 50 })),
    (found) => found?.messages.map(({ author, content, role }) => [role, content, author]) ?? []
  )

const asks = (run: Run<Parts>) => {
  it("a visitor who asks waits once, and what they gave before stays", () =>
    run(
      Effect.gen(function* () {
        const handovers = yield* Handovers
        const { chat, owned } = yield* talked()
        expect(yield* says(chat, "Hello?")).toBeUndefined()
        const page = "https://shop.example/cart"
        const first = yield* handovers.ask({ ...chat, ...asking, email: "ada@example.org", page, language: "de" })
        expect(first).toMatchObject({
          isNew: true,
          handover: { state: "waiting", email: "ada@example.org", page, language: "de", assignee: undefined }
        })
        const second = yield* handovers.ask({ ...chat, ...asking })
        expect(second).toMatchObject({ isNew: false, handover: { email: "ada@example.org", page, language: "en" } })
        expect(second?.handover.askedAt).toBe(first?.handover.askedAt)
        const found = yield* (yield* ChatRecords).conversation(owned.botOwner, owned.bot, chat.chatId)
        expect(found).toMatchObject({ messageCount: 2, handover: { state: "waiting", email: "ada@example.org" } })
      })
    ))

  it("a conversation may begin by asking, and its first message is its title; a deleted one does not come back", () =>
    run(
      Effect.gen(function* () {
        const handovers = yield* Handovers
        const owner = newVisitor(newUserId())
        const chat = { owner, chatId: crypto.randomUUID() }
        expect(yield* handovers.ask({ ...chat, ...asking })).toBeUndefined()
        expect(yield* handovers.ask({ ...chat, ...asking, continues: false })).toMatchObject({ isNew: true })
        expect(yield* messagesOf(chat)).toEqual([])
        expect(yield* says(chat, "Is a person there?")).toBe("waiting")
        const found = yield* (yield* ChatStore).transcript({ ...chat, limit: 5 })
        expect(found?.chat.title).toBe("Is a person there?")
        yield* (yield* ChatStore).remove(owner, chat.chatId)
        expect(yield* handovers.ask({ ...chat, ...asking })).toBeUndefined()
        expect(yield* handovers.look(chat)).toBeUndefined()
      })
    ))

  it("no other visitor, bot or owner reaches a hand-over", () =>
    run(
      Effect.gen(function* () {
        const handovers = yield* Handovers
        const { chat, owned } = yield* talked()
        yield* handovers.ask({ ...chat, ...asking })
        const { bot, botOwner } = owned
        const others = [newVisitor(botOwner, bot), newVisitor(botOwner), newVisitor(newUserId(), bot)]
        for (const owner of others) {
          const foreign = { owner, chatId: chat.chatId }
          expect(yield* handovers.look(foreign)).toBeUndefined()
          expect(yield* says(foreign, "Let me in")).toBeUndefined()
          expect(yield* handovers.ask({ ...foreign, ...asking })).toBeUndefined()
        }
        for (const named of [
          { ...owned, botOwner: newUserId() },
          { ...owned, bot: crypto.randomUUID() }
        ]) {
          const id = crypto.randomUUID()
          expect(yield* handovers.answer({ ...named, id, content: "Hi", author: "" })).toBeUndefined()
          expect(yield* handovers.move({ ...named, to: "solved" })).toBeUndefined()
          expect(yield* handovers.counts(named.botOwner, named.bot)).toEqual({ waiting: 0, open: 0, solved: 0 })
        }
        expect(yield* messagesOf(chat)).toHaveLength(2)
        expect(yield* handovers.counts(botOwner, bot)).toEqual({ waiting: 1, open: 0, solved: 0 })
      })
    ))

  it("each time a visitor begins to wait there is one event", () =>
    run(
      Effect.gen(function* () {
        const handovers = yield* Handovers
        const outbox = yield* Outbox
        const destination = `hook:${crypto.randomUUID()}`
        const destinations = [{ id: destination, types: ["conversation.waiting"] }] as const
        yield* outbox.subscribe({ destinations, lowBelow: undefined })
        const { chat, owned } = yield* talked()
        const page = "https://shop.example/"
        yield* handovers.ask({ ...chat, ...asking, page })
        yield* handovers.ask({ ...chat, ...asking })
        yield* handovers.move({ ...owned, to: "solved" })
        yield* handovers.ask({ ...chat, ...asking })
        const claimed = yield* outbox.claim({ destination, limit: 10, leaseMs: 60_000 })
        const data = { account: owned.botOwner, botId: owned.bot, conversationId: chat.chatId, page }
        expect(claimed.map((each) => [each.event.type, each.event.data])).toEqual([
          ["conversation.waiting", data],
          ["conversation.waiting", data]
        ])
      })
    ))
}

const talks = (run: Run<Parts>, ageLook: AgeLook) => {
  it("messages of visitor and person are stored in order, and cost and model belong to none of them", () =>
    run(
      Effect.gen(function* () {
        const handovers = yield* Handovers
        const { chat, owned } = yield* talked()
        yield* handovers.ask({ ...chat, ...asking })
        expect(yield* says(chat, "Hello?")).toBe("waiting")
        const id = crypto.randomUUID()
        const answered = yield* handovers.answer({ ...owned, id, content: "I am here.", author: "Grace" })
        expect(answered).toMatchObject({ mailDue: false, message: { id, role: "assistant", author: "Grace" } })
        expect(yield* says(chat, "Great")).toBe("open")
        expect((yield* messagesOf(chat)).slice(2)).toEqual([
          ["user", "Hello?", undefined],
          ["assistant", "I am here.", "Grace"],
          ["user", "Great", undefined]
        ])
        const found = yield* (yield* ChatRecords).conversation(owned.botOwner, owned.bot, chat.chatId)
        expect(found).toMatchObject({
          messageCount: 5,
          replyIds: { length: 1 },
          handover: { state: "open", assignee: owned.botOwner }
        })
        const looked = yield* handovers.look(chat)
        const read = yield* (yield* ChatStore).transcript({ ...chat, limit: 1 })
        expect(looked).toMatchObject({ handover: { state: "open" }, newestId: read?.messages[0]?.id })
        expect(yield* (yield* ChatStore).usage(chat.owner)).toBe(
          ["What does the report say?", "It grew.", "Hello?", "I am here.", "Great"].join("").length
        )
      })
    ))

  it("a person takes, solves and opens a conversation again; a solved one is the bot's until the visitor asks again", () =>
    run(
      Effect.gen(function* () {
        const handovers = yield* Handovers
        const records = yield* ChatRecords
        const { chat, owned } = yield* talked()
        const { bot, botOwner } = owned
        yield* talked(newVisitor(botOwner, bot))
        const inState = (state: "waiting" | "open" | "solved", search = "") =>
          Effect.map(records.conversations({ botOwner, bot, limit: 5, state, search }), ({ conversations }) =>
            conversations.map(({ id }) => id)
          )
        expect(yield* handovers.move({ ...owned, to: "open" })).toMatchObject({ state: "open", assignee: botOwner })
        expect(yield* says(chat, "Who is there?")).toBe("open")
        expect(yield* inState("open")).toEqual([chat.chatId])
        expect(yield* inState("open", "report")).toEqual([chat.chatId])
        expect(yield* inState("open", "no such words")).toEqual([])
        expect(yield* handovers.move({ ...owned, to: "solved" })).toMatchObject({ state: "solved" })
        expect(yield* says(chat, "Thanks")).toBeUndefined()
        expect(yield* inState("open")).toEqual([])
        expect(yield* handovers.move({ ...owned, to: "open" })).toMatchObject({ state: "open" })
        yield* handovers.move({ ...owned, to: "solved" })
        expect(yield* handovers.ask({ ...chat, ...asking })).toMatchObject({ isNew: true })
        expect(yield* inState("waiting")).toEqual([chat.chatId])
        expect(yield* handovers.counts(botOwner, bot)).toEqual({ waiting: 1, open: 0, solved: 0 })
      })
    ))

  it("a mail is due if the visitor gave an address and is gone, and at most so often", () =>
    run(
      Effect.gen(function* () {
        const handovers = yield* Handovers
        const answer = (owned: object) =>
          Effect.map(
            handovers.answer({
              ...(owned as { botOwner: string; bot: string; chatId: string }),
              ...{ id: crypto.randomUUID(), content: "Hi", author: "" }
            }),
            (answered) => answered?.mailDue
          )
        const silent = yield* talked()
        yield* handovers.ask({ ...silent.chat, ...asking })
        yield* ageLook(silent.chat, 61_000)
        expect(yield* answer(silent.owned)).toBe(false)
        const { chat, owned } = yield* talked()
        yield* handovers.ask({ ...chat, ...asking, email: "ada@example.org" })
        expect(yield* answer(owned)).toBe(false)
        yield* ageLook(chat, 61_000)
        for (let sent = 0; sent < MAX_VISITOR_MAILS; sent++) expect(yield* answer(owned)).toBe(true)
        expect(yield* answer(owned)).toBe(false)
        const other = yield* talked()
        yield* handovers.ask({ ...other.chat, ...asking, email: "ada@example.org" })
        yield* ageLook(other.chat, 61_000)
        yield* handovers.look(other.chat)
        expect(yield* answer(other.owned)).toBe(false)
      })
    ))

  it("a message is for the bot or for a person, never for both, if a person takes the conversation meanwhile", () =>
    run(
      Effect.gen(function* () {
        const handovers = yield* Handovers
        const { chat, owned } = yield* talked()
        const words = Array.from({ length: 8 }, (_, place) => `Message ${place}`)
        const work = words.map((content) => says(chat, content))
        const moves = (["open", "solved", "open"] as const).map((to) =>
          Effect.as(handovers.move({ ...owned, to }), undefined)
        )
        const all = [...work.slice(0, 3), ...moves, ...work.slice(3)]
        const results = yield* Effect.all(all, { concurrency: "unbounded" })
        const taken = words.filter((_, place) => results[place < 3 ? place : place + moves.length] !== undefined)
        const stored = (yield* messagesOf(chat)).slice(2).map(([, content]) => content)
        expect(new Set(stored)).toEqual(new Set(taken))
        expect(stored).toHaveLength(taken.length)
      })
    ))
}

/**
 * Tests the guarantees of `Handovers`, together with a `ChatStore` and an `Outbox` of the same storage. Each test uses
 * people of its own. `layer` is built once, for all tests.
 */
export const handoversContract = (name: string, layer: Layer.Layer<Parts, unknown>, ageLook: AgeLook): void => {
  suiteOn(`Handovers (${name})`, layer, (run) => {
    asks(run)
    talks(run, ageLook)
  })
}
