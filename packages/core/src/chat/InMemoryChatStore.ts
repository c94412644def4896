import { Clock, Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { IdGenerator } from "../storage/IdGenerator.ts"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import { storableText } from "../storage/storableText.ts"
import { type ConversationOwner, type OwnerKey, ownerKey } from "./ConversationOwner.ts"
import type { Chat, StoredMessage } from "./StoredMessage.ts"
import type { ChatMessage } from "../models/ChatMessage.ts"
import {
  type BeginTurnInput,
  ChatStore,
  type EndTurnInput,
  MAX_TRANSCRIPT_BYTES,
  storedBytes,
  type TranscriptInput
} from "./ChatStore.ts"

interface StoredChat {
  readonly chat: Chat
  readonly messages: ReadonlyArray<StoredMessage>
  /** Orders chats used within the same millisecond. */
  readonly use: number
}

const keyOf = (owner: ConversationOwner, chatId: string): string => {
  const { userId, bot, visitor } = ownerKey(owner)
  return JSON.stringify([userId, bot, visitor, chatId.toLowerCase()])
}

const isListed = ({ owner }: Chat, userId: UserId, bot: string): boolean => {
  const key = ownerKey(owner)
  return key.userId === userId && key.bot === bot
}

/** Both a person's own chats, or both of visitors of this person's bots. */
const sharesQuota = (one: OwnerKey, other: OwnerKey): boolean =>
  one.userId === other.userId && (one.bot === "") === (other.bot === "")

const written = (message: ChatMessage, id: string, createdAt: number): StoredMessage => ({
  id,
  role: message.role,
  content: storableText(message.content),
  state: "complete",
  model: undefined,
  sources: [],
  createdAt
})

const begun = ({ id, model, sources }: BeginTurnInput["reply"], createdAt: number): StoredMessage => ({
  id: id.toLowerCase(),
  role: "assistant",
  content: "",
  state: "streaming",
  model,
  sources: sources.map((source) => ({
    ...source,
    filename: storableText(source.filename),
    text: storableText(source.text)
  })),
  createdAt
})

const ended = (message: StoredMessage, input: EndTurnInput): StoredMessage =>
  message.id === input.replyId.toLowerCase() && message.state === "streaming"
    ? { ...message, content: storableText(input.content), state: input.state }
    : message

/** The newest messages within all bounds, and whether there are earlier ones. */
const newest = (
  all: ReadonlyArray<StoredMessage>,
  { before, limit, maxBytes = MAX_TRANSCRIPT_BYTES }: TranscriptInput
) => {
  const end = before === undefined ? all.length : all.findIndex(({ id }) => id === before.toLowerCase())
  const messages = all.slice(0, Math.max(0, end))
  let bytes = 0
  const first = messages.findLastIndex((message, index) => {
    bytes += storedBytes(message.content, message.sources)
    return index < messages.length - 1 && bytes > maxBytes
  })
  const start = Math.max(first + 1, messages.length - limit)
  return { messages: messages.slice(start), hasEarlier: start > 0 && start < messages.length }
}

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const chats = yield* storage.table<string, StoredChat>()
  const ids = yield* IdGenerator
  let uses = 0

  const beginTurn = Effect.fnUntraced(function* (input: BeginTurnInput) {
    const key = keyOf(input.owner, input.chatId)
    const existing = chats.get(key)
    if (existing?.messages.some((message) => message.id === input.reply.id.toLowerCase())) return
    if (input.continues && existing === undefined) return
    const now = yield* Clock.currentTimeMillis
    const added: Array<StoredMessage> = []
    for (const message of input.messages) added.push(written(message, yield* ids.next, now))
    const chat = existing?.chat ?? {
      id: input.chatId.toLowerCase(),
      owner: input.owner,
      title: storableText(input.title),
      createdAt: now,
      updatedAt: now
    }
    chats.set(key, {
      chat: { ...chat, updatedAt: now },
      messages: [...(existing?.messages ?? []), ...added, begun(input.reply, now)],
      use: ++uses
    })
  })

  yield* storage.addPersonalPart({
    count: (userId) => ({
      chats: [...chats.values()].filter(({ chat }) => ownerKey(chat.owner).userId === userId).length
    }),
    erase: (userId) => {
      for (const [key, { chat }] of chats) if (ownerKey(chat.owner).userId === userId) chats.delete(key)
    }
  })

  return ChatStore.of({
    beginTurn: (input) => storage.exclusive(beginTurn(input)),
    endTurn: (input) =>
      storage.exclusive(
        Effect.sync(() => {
          const key = keyOf(input.owner, input.chatId)
          const stored = chats.get(key)
          if (stored === undefined) return
          chats.set(key, { ...stored, messages: stored.messages.map((message) => ended(message, input)) })
        })
      ),
    transcript: (input) =>
      storage.exclusive(
        Effect.sync(() => {
          const stored = chats.get(keyOf(input.owner, input.chatId))
          return stored && { chat: stored.chat, ...newest(stored.messages, input) }
        })
      ),
    list: ({ userId, bot = "", limit, offset }) =>
      storage.exclusive(
        Effect.sync(() => {
          const found = [...chats.values()]
            .filter(({ chat }) => isListed(chat, userId, bot))
            .toSorted((a, b) => b.use - a.use)
          return { chats: found.slice(offset, offset + limit).map(({ chat }) => chat), total: found.length }
        })
      ),
    usage: (owner) =>
      storage.exclusive(
        Effect.sync(() =>
          [...chats.values()]
            .filter(({ chat }) => sharesQuota(ownerKey(chat.owner), ownerKey(owner)))
            .flatMap((stored) => stored.messages)
            .reduce((sum, { content, sources }) => sum + storedBytes(content, sources), 0)
        )
      ),
    remove: (owner, chatId) => storage.exclusive(Effect.sync(() => chats.delete(keyOf(owner, chatId))))
  })
})

/** Chats in the memory of one process: for tests, and for trying the product out without a database. */
export const InMemoryChatStore = {
  layer: Layer.effect(ChatStore, make).pipe(Layer.provide(InMemoryStorage.layer))
}
