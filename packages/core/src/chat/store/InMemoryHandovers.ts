import { Clock, Effect, Layer } from "effect"
import { InMemoryEventLog } from "../../events/InMemoryEventLog.ts"
import { IdGenerator, storableText } from "../../storage/storedForms.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { isWithPerson } from "./Handover.ts"
import { type AskForPersonInput, GONE_AFTER_MS, Handovers, MAX_VISITOR_MAILS, type OwnedChat } from "./Handovers.ts"
import { handoverOf, InMemoryChats, keyOf, type StoredChat, type StoredHandover, written } from "./InMemoryChats.ts"
import { ownerKey, type StoredMessage } from "./StoredChat.ts"

const authorOf = ({ author }: Pick<StoredMessage, "author">) => (author === undefined ? {} : { author })

/** Returns a conversation with one more message at its end. */
const withMessage = (
  stored: StoredChat,
  { id, ...message }: Pick<StoredMessage, "id" | "role" | "content" | "author">,
  now: number
) => {
  const added = { ...written(message, id, stored.messages.at(-1)?.id ?? null, now), ...authorOf(message) }
  return { ...stored, chat: { ...stored.chat, updatedAt: now }, messages: [...stored.messages, added] }
}

/** Returns the hand-over of a conversation after its visitor has asked for a person. */
const asked = ({ email, language, page }: AskForPersonInput, before: StoredHandover | undefined, now: number) => {
  const isNew = !isWithPerson(before?.state)
  const handover: StoredHandover = {
    assignee: before?.assignee,
    mails: before?.mails ?? 0,
    state: isNew ? "waiting" : (before?.state ?? "waiting"),
    email: email ?? before?.email,
    page: page ?? before?.page,
    language,
    askedAt: isNew ? now : (before?.askedAt ?? now),
    seenAt: now
  }
  return { handover, isNew }
}

/** Returns the hand-over of a conversation after a person has taken it. */
const taken = (before: StoredHandover | undefined, assignee: string, now: number): StoredHandover => ({
  email: undefined,
  page: undefined,
  language: "en",
  mails: 0,
  askedAt: now,
  seenAt: now,
  ...before,
  state: "open",
  assignee
})

const makeTable = Effect.gen(function* () {
  const { chats, use } = yield* InMemoryChats
  const events = yield* InMemoryEventLog
  const ids = yield* IdGenerator
  const storage = yield* InMemoryStorage
  const now = <A>(work: (now: number) => A) => storage.exclusive(Effect.map(Clock.currentTimeMillis, work))
  return { chats, use, events, ids, now }
})
type Table = Effect.Success<typeof makeTable>

/** The operations of visitors. */
const makeVisitors = ({ chats, events, ids, now, use }: Table): Pick<Handovers["Service"], "ask" | "say" | "look"> => ({
  ask: (input) =>
    now((at) => {
      const key = keyOf(input.owner, input.chatId)
      const chat = { id: input.chatId.toLowerCase(), owner: input.owner, title: "", createdAt: at, updatedAt: at }
      const found = chats.get(key)
      if (found === undefined && input.continues) return undefined
      const stored: StoredChat = found ?? { chat, messages: [], asked: [], kept: undefined, use: use() }
      const { handover, isNew } = asked(input, stored.handover, at)
      chats.set(key, { ...stored, chat: { ...stored.chat, updatedAt: at }, handover })
      if (isNew) {
        const { bot, botOwner } = input.owner
        const page = handover.page === undefined ? {} : { page: handover.page }
        const data = { account: botOwner, botId: bot, conversationId: stored.chat.id, ...page }
        events.tell({ type: "conversation.waiting", at, data })
      }
      return { handover: handoverOf(handover), isNew }
    }),
  say: ({ chatId, content, owner, title: newTitle }) =>
    now((at) => {
      const key = keyOf(owner, chatId)
      const stored = chats.get(key)
      if (stored?.handover === undefined || !isWithPerson(stored.handover.state)) return undefined
      const next = withMessage(stored, { id: Effect.runSync(ids.next), role: "user", content }, at)
      const title = stored.chat.title === "" ? storableText(newTitle) : stored.chat.title
      const handover = { ...stored.handover, seenAt: at }
      chats.set(key, { ...next, chat: { ...next.chat, title }, handover, use: use() })
      return handover.state
    }),
  look: ({ chatId, owner }) =>
    now((at) => {
      const key = keyOf(owner, chatId)
      const stored = chats.get(key)
      if (stored?.handover === undefined) return undefined
      const handover = { ...stored.handover, seenAt: at }
      chats.set(key, { ...stored, handover })
      return { handover: handoverOf(handover), newestId: stored.messages.at(-1)?.id }
    })
})

/** The operations of the owners of bots. */
const makeOwners = ({ chats, now, use }: Table): Pick<Handovers["Service"], "answer" | "move" | "counts"> => {
  const keyOfOwned = ({ bot, botOwner, chatId }: OwnedChat) =>
    [...chats].find(([, { chat }]) => {
      const key = ownerKey(chat.owner)
      return bot !== "" && key.userId === botOwner && key.bot === bot && chat.id === chatId.toLowerCase()
    })

  return {
    answer: ({ author, content, id, ...chat }) =>
      now((at) => {
        const [key, stored] = keyOfOwned(chat) ?? []
        if (key === undefined || stored === undefined) return undefined
        const next = withMessage(stored, { id, role: "assistant", content, author }, at)
        const before = taken(stored.handover, chat.botOwner, at)
        const isGone = before.seenAt < at - GONE_AFTER_MS
        const mailDue = isGone && before.email !== undefined && before.mails < MAX_VISITOR_MAILS
        chats.set(key, { ...next, handover: { ...before, mails: before.mails + (mailDue ? 1 : 0) }, use: use() })
        const [message] = next.messages.slice(-1)
        return message && { message, mailDue }
      }),
    move: ({ to, ...chat }) =>
      now((at) => {
        const [key, stored] = keyOfOwned(chat) ?? []
        if (key === undefined || stored === undefined) return undefined
        const handover = { ...taken(stored.handover, chat.botOwner, at), state: to }
        chats.set(key, { ...stored, handover })
        return handoverOf(handover)
      }),
    counts: (botOwner, bot) =>
      now(() => {
        const counts = { waiting: 0, open: 0, solved: 0 }
        for (const { chat, handover } of chats.values()) {
          const key = ownerKey(chat.owner)
          if (handover !== undefined && key.userId === botOwner && key.bot === bot) counts[handover.state] += 1
        }
        return counts
      })
  }
}

const make = Effect.map(makeTable, (table) => Handovers.of({ ...makeVisitors(table), ...makeOwners(table) }))

/** Hand-overs in the memory of one process. */
export const InMemoryHandovers = {
  layer: Layer.effect(Handovers, make).pipe(
    Layer.provide(Layer.mergeAll(InMemoryChats.layer, InMemoryEventLog.layer, InMemoryStorage.layer))
  )
}
