import { Clock, Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { BotReports } from "../../chat/store/BotReports.ts"
import { ChatRecords, ChatStore } from "../../chat/store/ChatStore.ts"
import { Handovers } from "../../chat/store/Handovers.ts"
import type { Source } from "../../chat/store/StoredChat.ts"
import { newTurn, newUserId, newVisitor } from "../storage/storageFixtures.ts"
import { suiteOn } from "../suiteOn.ts"
import { type ChatStores, endTurn } from "./endTurn.ts"

type Stores = BotReports | ChatStores | Handovers

const sourceOf = (number: number, filename: string): Source => ({
  number,
  documentId: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
  filename,
  page: null,
  start: 0,
  end: 4,
  text: "Text"
})
const SOURCES = [sourceOf(1, "prices.md"), sourceOf(2, "hours.md"), sourceOf(3, "other.md")]

const SPAN_MS = 86_400_000
const span = (botOwner: string, bot: string) =>
  Effect.map(Clock.currentTimeMillis, (now) => ({ botOwner, bot, from: now - SPAN_MS, to: now + SPAN_MS }))

/** Tests the guarantees of a `BotReports`. `layer` is built once, for all tests. */
export const botReportsContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`BotReports: ${name}`, layer, (run) => {
    const said = Effect.fnUntraced(function* (
      owner: ReturnType<typeof newVisitor>,
      question: string,
      {
        chatId = crypto.randomUUID() as string,
        content = "",
        model = "model-a-mini" as string | undefined,
        sources = SOURCES
      } = {}
    ) {
      const chats = yield* ChatStore
      const isReply = model !== undefined
      const turn = newTurn(owner, {
        chatId,
        messages: [{ role: "user", content: question }],
        reply: { id: crypto.randomUUID(), model, sources, ...(isReply ? {} : { content }) }
      })
      yield* chats.beginTurn(turn)
      if (isReply) yield* endTurn({ ...turn, replyId: turn.reply.id, content, state: "complete" })
      return turn
    })

    it("questions count by day, and as unanswered if declined, rated bad, or answered without a citation", () =>
      run(
        Effect.gen(function* () {
          const reports = yield* BotReports
          const records = yield* ChatRecords
          const botOwner = newUserId()
          const visitor = newVisitor(botOwner)
          const cited = yield* said(visitor, "What is the price?", { content: "Two euros [1, 2]." })
          yield* said(visitor, "And on Sundays, too?", { chatId: cited.chatId, content: "I do not know." })
          yield* said(visitor, "Thank you", { chatId: cited.chatId, content: "You are welcome." })
          const other = newVisitor(botOwner, visitor.bot)
          const bad = yield* said(other, "When do you open?", { content: "At nine [2]." })
          yield* records.rate({ ...bad, messageId: bad.reply.id, rating: { rating: "bad" } })
          yield* said(other, "Are you closed now?", { content: "Later.", model: undefined, sources: [] })
          const good = yield* said(newVisitor(botOwner, visitor.bot), "Who are you then?", { content: "A shop [2]." })
          yield* records.rate({ ...good, messageId: good.reply.id, rating: { rating: "good" } })
          // Conversations of another bot, of another owner, and the person's own chats are not counted.
          yield* said(newVisitor(botOwner), "What is the price?", { content: "None." })
          yield* said(newVisitor(newUserId(), visitor.bot), "What is the price?", { content: "None." })
          const asked = yield* span(botOwner, visitor.bot)
          const days = yield* reports.days({ ...asked, hasDocuments: true })
          const sum = (key: keyof (typeof days)[number]) => days.reduce((total, day) => total + day[key], 0)
          expect(sum("questions")).toBe(6)
          expect(sum("unanswered")).toBe(3)
          expect(sum("good")).toBe(1)
          expect(sum("bad")).toBe(1)
          // If the test runs over midnight, a conversation counts on two days.
          expect(sum("conversations")).toBeGreaterThanOrEqual(4)
          expect(sum("unresolved")).toBeGreaterThanOrEqual(3)
          const questions = yield* reports.unanswered({ ...asked, hasDocuments: true, limit: 10 })
          expect(questions.map(({ question }) => question).toSorted()).toEqual([
            "And on Sundays, too?",
            "Are you closed now?",
            "When do you open?"
          ])
          expect(yield* reports.unanswered({ ...asked, hasDocuments: true, limit: 1 })).toHaveLength(1)
          expect(yield* reports.cited({ ...asked, limit: 10 })).toEqual([
            { documentId: SOURCES[1]?.documentId, filename: "hours.md", replies: 3 },
            { documentId: SOURCES[0]?.documentId, filename: "prices.md", replies: 1 }
          ])
          const before = { ...asked, from: asked.from - SPAN_MS, to: asked.from }
          expect(yield* reports.days({ ...before, hasDocuments: true })).toEqual([])
          expect(yield* reports.days({ ...(yield* span(newUserId(), visitor.bot)), hasDocuments: true })).toEqual([])
        })
      ))

    it("a bot without documents answers without citations, and a conversation that a person has is unresolved", () =>
      run(
        Effect.gen(function* () {
          const reports = yield* BotReports
          const handovers = yield* Handovers
          const botOwner = newUserId()
          const visitor = newVisitor(botOwner)
          const turn = yield* said(visitor, "What is the price?", { content: "Two euros.", sources: [] })
          const asked = { ...(yield* span(botOwner, visitor.bot)), hasDocuments: false }
          expect((yield* reports.days(asked)).map(({ unanswered, unresolved }) => [unanswered, unresolved])).toEqual([
            [0, 0]
          ])
          expect((yield* reports.days({ ...asked, hasDocuments: true })).map(({ unanswered }) => unanswered)).toEqual([
            1
          ])
          const { chatId } = turn
          yield* handovers.ask({
            owner: visitor,
            chatId,
            continues: true,
            email: undefined,
            page: undefined,
            language: "en"
          })
          expect((yield* reports.days(asked)).map(({ unanswered, unresolved }) => [unanswered, unresolved])).toEqual([
            [0, 1]
          ])
        })
      ))
  })
