import { Effect, Layer } from "effect"
import { dayOf } from "../../credits/Spender.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { citedNumbers } from "../sources/citedNumbers.ts"
import { type BotDay, BotReports, type BotSpan, LEAST_WORDS } from "./BotReports.ts"
import { InMemoryChats, type StoredChat } from "./InMemoryChats.ts"
import { ownerKey, type StoredMessage } from "./StoredChat.ts"

interface Answered {
  readonly chat: StoredChat
  readonly question: StoredMessage
  readonly reply: StoredMessage
}

/** The ended replies in the span that were not written by a person, each with its question. */
const answersIn = (chats: Iterable<StoredChat>, { bot, botOwner, from, to }: BotSpan): ReadonlyArray<Answered> =>
  [...chats].flatMap((chat) => {
    const key = ownerKey(chat.chat.owner)
    if (bot === "" || key.userId !== botOwner || key.bot !== bot) return []
    return chat.messages.flatMap((reply) => {
      const { author, createdAt, parentId, role, state } = reply
      const question = chat.messages.find(({ id }) => id === parentId)
      const counts = role === "assistant" && author === undefined && state !== "streaming"
      return counts && question?.role === "user" && createdAt >= from && createdAt < to
        ? [{ chat, question, reply }]
        : []
    })
  })

const isUnanswered = ({ question, reply }: Answered, hasDocuments: boolean): boolean => {
  if (question.content.trim().split(/\s+/).length < LEAST_WORDS) return false
  if (reply.model === undefined || reply.rating?.rating === "bad") return true
  return (hasDocuments || reply.sources.length > 0) && citedNumbers(reply.content).size === 0
}

const countDay = (day: number, answers: ReadonlyArray<Answered>, hasDocuments: boolean): BotDay => {
  const open = answers.filter((each) => isUnanswered(each, hasDocuments))
  const ratedAs = (rating: string) => answers.filter(({ reply }) => reply.rating?.rating === rating).length
  const troubled = [...open.map(({ chat }) => chat), ...answers.flatMap(({ chat }) => (chat.handover ? [chat] : []))]
  return {
    day,
    conversations: new Set(answers.map(({ chat }) => chat)).size,
    unresolved: new Set(troubled).size,
    questions: answers.length,
    unanswered: open.length,
    good: ratedAs("good"),
    bad: ratedAs("bad")
  }
}

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const { chats } = yield* InMemoryChats
  const read = <A>(work: (answers: ReadonlyArray<Answered>) => A, span: BotSpan) =>
    storage.exclusive(Effect.sync(() => work(answersIn(chats.values(), span))))

  return BotReports.of({
    days: ({ hasDocuments, ...span }) =>
      read((answers) => {
        const byDay = Map.groupBy(answers, ({ reply }) => dayOf(reply.createdAt))
        return [...byDay]
          .map(([day, those]) => countDay(day, those, hasDocuments))
          .toSorted((one, other) => one.day - other.day)
      }, span),
    unanswered: ({ hasDocuments, limit, ...span }) =>
      read(
        (answers) =>
          answers
            .filter((each) => isUnanswered(each, hasDocuments))
            .toSorted((one, other) => other.reply.createdAt - one.reply.createdAt)
            .slice(0, limit)
            .map(({ chat, question, reply }) => ({
              conversationId: chat.chat.id,
              question: question.content,
              at: reply.createdAt
            })),
        span
      ),
    cited: ({ limit, ...span }) =>
      read((answers) => {
        const found = answers.flatMap(({ reply }) => {
          const cited = citedNumbers(reply.content)
          const sources = reply.sources.filter(({ number }) => cited.has(number))
          return [...new Map(sources.map((source) => [source.documentId, source])).values()]
        })
        return [...Map.groupBy(found, ({ documentId }) => documentId)]
          .map(([documentId, those]) => ({
            documentId,
            filename: those[0]?.filename ?? "",
            replies: those.length
          }))
          .toSorted((one, other) => other.replies - one.replies || (one.documentId < other.documentId ? -1 : 1))
          .slice(0, limit)
      }, span)
  })
})

/** Reports over the chats of `InMemoryChatStore`, in memory. */
export const InMemoryBotReports = {
  layer: Layer.effect(BotReports, make).pipe(Layer.provide(Layer.merge(InMemoryChats.layer, InMemoryStorage.layer)))
}
