import { Clock, Context, Effect, Layer } from "effect"
import { InMemoryEventLog } from "../../events/InMemoryEventLog.ts"
import type { UserId } from "../../identity/UserId.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { storableText } from "../../storage/storedForms.ts"
import { UNUSED_IMAGE_MS } from "../images/ImageStore.ts"
import {
  type ConversationOwner,
  type OwnerKey,
  ownerKey,
  type VisitorOwner,
  type Chat,
  type StoredMessage,
  MAX_TRANSCRIPT_BYTES,
  storedBytes
} from "./StoredChat.ts"
import { AROUND_WORDS, foundWordsOf } from "./foundWords.ts"
import { handoverOf, InMemoryChats, keyOf, type StoredChat, type StoredReply } from "./InMemoryChats.ts"
import {
  type BotConversation,
  ChatRecords,
  ChatStore,
  type ConversationCursor,
  type RemoveUnusedInput,
  type TranscriptInput,
  USED_AGAIN_MS
} from "./ChatStore.ts"

const isListed = ({ owner }: Chat, userId: UserId, bot: string): boolean => {
  const key = ownerKey(owner)
  return key.userId === userId && key.bot === bot
}

const lowerCase = (ids: ReadonlyArray<string>): ReadonlyArray<string> => ids.map((id) => id.toLowerCase())

const hasText = ({ chat, messages }: StoredChat, search: string): boolean => {
  const text = storableText(search).toLowerCase()
  return [chat.title, ...messages.map(({ content }) => content)].some((each) => each.toLowerCase().includes(text))
}

/** The newest message that contains this text, in upper or lower case. */
const foundIn = ({ messages }: StoredChat, search: string) => {
  if (search === "") return {}
  const words = new RegExp(storableText(search).replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu")
  const message = messages.findLast(({ content }) => words.test(content))
  const match = message && words.exec(message.content)
  if (message === undefined || !match) return {}
  const { 0: exact, index } = match
  const before = message.content.slice(Math.max(0, index - AROUND_WORDS), index)
  const behind = message.content.slice(index + exact.length, index + exact.length + AROUND_WORDS)
  const found = { messageId: message.id, before: before.toWellFormed(), words: exact, behind: behind.toWellFormed() }
  return { found: foundWordsOf(found) }
}

/**
 * Returns true if two owners share a quota: both keys are of a person's own chats, or both are of visitors of this
 * person's bots.
 */
const sharesQuota = (one: OwnerKey, other: OwnerKey): boolean =>
  one.userId === other.userId && (one.bot === "") === (other.bot === "")

/** The messages from the first one to `last`; none if `last` is undefined. */
const lineTo = (all: ReadonlyArray<StoredMessage>, last: StoredMessage | undefined) => {
  const byId = new Map(all.map((message) => [message.id, message]))
  const line: Array<StoredMessage> = []
  for (let each = last; each !== undefined; each = byId.get(each.parentId ?? "")) line.push(each)
  return line.toReversed()
}

/** The message that was stored last among this message and its direct and indirect followers. */
const newestUnder = (all: ReadonlyArray<StoredMessage>, id: string) => {
  const reached = new Set([id])
  for (const { id: each, parentId } of all) if (reached.has(parentId ?? "")) reached.add(each)
  return all.findLast((message) => reached.has(message.id))
}

const branchOf = (all: ReadonlyArray<StoredMessage>, { before, branch }: TranscriptInput) => {
  const find = (named: string) => all.find(({ id }) => id === named.toLowerCase())
  if (before !== undefined) {
    const until = find(before)
    return branch === "all"
      ? all.slice(
          0,
          Math.max(
            0,
            all.findIndex((each) => each === until)
          )
        )
      : lineTo(all, until).slice(0, -1)
  }
  if (branch === "all") return all
  if (branch === undefined) return lineTo(all, all.at(-1))
  return lineTo(all, "upTo" in branch ? find(branch.upTo) : newestUnder(all, branch.through.toLowerCase()))
}

const withVersions = (all: ReadonlyArray<StoredMessage>) => {
  const byParent = Map.groupBy(all, ({ parentId }) => parentId)
  return (message: StoredMessage): StoredMessage => {
    const versions = (byParent.get(message.parentId) ?? []).map(({ id }) => id)
    return versions.length < 2 ? message : { ...message, versions }
  }
}

/** The newest messages of a branch within all bounds, and whether the branch has earlier ones. */
const newest = (all: ReadonlyArray<StoredMessage>, input: TranscriptInput) => {
  const { limit, maxBytes = MAX_TRANSCRIPT_BYTES } = input
  const messages = branchOf(all, input)
  let bytes = 0
  const first = messages.findLastIndex((message, index) => {
    bytes += storedBytes(message.content, message.sources)
    return index < messages.length - 1 && bytes > maxBytes
  })
  const start = Math.max(first + 1, messages.length - limit)
  const page = messages.slice(start)
  return {
    messages: input.branch === "all" ? page : page.map(withVersions(all)),
    hasEarlier: start > 0 && start < messages.length
  }
}

const conversationOf = ({ chat, handover, messages }: StoredChat): BotConversation => ({
  ...chat,
  owner: chat.owner as VisitorOwner,
  ...(handover === undefined ? {} : { handover: handoverOf(handover) }),
  messageCount: messages.length,
  replyIds: messages.filter(({ model }) => model !== undefined).map(({ id }) => id)
})

const cursorOf = ({ id, updatedAt }: BotConversation): ConversationCursor => ({ usedAtMicros: updatedAt * 1_000, id })

const byUse = (a: BotConversation, b: BotConversation): number => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1)

const isBehind = (each: BotConversation, { id, usedAtMicros }: ConversationCursor): boolean => {
  const used = each.updatedAt * 1_000
  return used < usedAtMicros || (used === usedAtMicros && each.id > id)
}

/** The keys of the chats that one call deletes; those that have not been used for the longest time come first. */
export const unusedKeys = (
  chats: Iterable<readonly [string, StoredChat]>,
  running: Iterable<StoredReply>,
  { limit, unusedForMs, whose }: RemoveUnusedInput,
  now: number
): ReadonlyArray<string> => {
  const busy = new Set(Array.from(running, ({ chatId, owner }) => keyOf(owner, chatId)))
  let messages = 0
  return [...chats]
    .filter(
      ([key, { chat }]) =>
        chat.updatedAt < now - unusedForMs && "person" in chat.owner === (whose === "people") && !busy.has(key)
    )
    .toSorted(([, a], [, b]) => a.use - b.use)
    .filter(([, chat], index) => {
      messages += chat.messages.length
      return index === 0 || messages <= limit
    })
    .map(([key]) => key)
}

const makeTable = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const { begin, chats, imagesOf, running, use } = yield* InMemoryChats
  const events = yield* InMemoryEventLog
  const remove = (key: string): boolean => {
    const removed = chats.get(key)?.chat
    if (removed !== undefined) storage.chatRemoved({ ...ownerKey(removed.owner), chatId: removed.id })
    return chats.delete(key)
  }
  yield* storage.addPersonalPart({
    count: (userId) => ({
      chats: [...chats.values()].filter(({ chat }) => ownerKey(chat.owner).userId === userId).length
    }),
    erase: (userId) => {
      for (const [key, { chat }] of chats) if (ownerKey(chat.owner).userId === userId) remove(key)
    }
  })
  return {
    storage,
    begin,
    chats,
    events,
    imagesOf,
    remove,
    running,
    use,
    atOnce: <A>(work: () => A) => storage.exclusive(Effect.sync(work))
  }
})
type Table = Effect.Success<typeof makeTable>

/** The bytes of a person's images, except those that the next sweep deletes. */
const bytesOf = (owner: ConversationOwner, imagesOf: Table["imagesOf"], now: number): number => {
  const all = "person" in owner ? imagesOf(owner.person) : []
  const counted = all.filter(({ addedAt, chatId }) => chatId !== undefined || addedAt >= now - UNUSED_IMAGE_MS)
  return counted.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
}

const makeStore = ({ atOnce, begin, chats, imagesOf, remove, storage, use }: Table) => {
  const change = (owner: ConversationOwner, chatId: string, how: (stored: StoredChat) => StoredChat | undefined) =>
    atOnce(() => {
      const key = keyOf(owner, chatId)
      const stored = chats.get(key)
      const changed = stored && how(stored)
      if (changed !== undefined) chats.set(key, changed)
      return changed
    })

  return ChatStore.of({
    beginTurn: (input) => storage.exclusive(Effect.map(Clock.currentTimeMillis, (now) => begin(input, now))),
    transcript: (input) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const key = keyOf(input.owner, input.chatId)
          const stored = chats.get(key)
          if (stored === undefined) return undefined
          const { chat, messages, share } = stored
          if (input.toContinue === true && chat.updatedAt < now - USED_AGAIN_MS) {
            chats.set(key, { ...stored, chat: { ...chat, updatedAt: now }, use: use() })
          }
          return { chat, share, ...newest(messages, input), documentIds: stored.kept ?? stored.asked }
        })
      ),
    list: ({ userId, bot = "", limit, offset, projectId, search = "" }) =>
      atOnce(() => {
        const found = [...chats.values()]
          .filter((stored) => isListed(stored.chat, userId, bot) && hasText(stored, search))
          .filter(({ chat }) => projectId === undefined || chat.projectId === projectId.toLowerCase())
          .toSorted((a, b) => b.use - a.use)
        return {
          chats: found.slice(offset, offset + limit).map((each) => ({ ...each.chat, ...foundIn(each, search) })),
          total: found.length
        }
      }),
    rename: (userId, chatId, title, from) =>
      change({ person: userId }, chatId, (stored) =>
        from !== undefined && stored.chat.title !== storableText(from)
          ? undefined
          : { ...stored, chat: { ...stored.chat, title: storableText(title) } }
      ).pipe(Effect.map((stored) => stored?.chat)),
    keepDocuments: (userId, chatId, documentIds) =>
      Effect.map(
        change({ person: userId }, chatId, (stored) => ({ ...stored, kept: lowerCase(documentIds) })),
        (stored) => stored !== undefined
      ),
    usage: (owner) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        atOnce(() =>
          [...chats.values()]
            .filter(({ chat }) => sharesQuota(ownerKey(chat.owner), ownerKey(owner)))
            .flatMap((stored) => stored.messages)
            .reduce((sum, { content, sources }) => sum + storedBytes(content, sources), bytesOf(owner, imagesOf, now))
        )
      ),
    remove: (owner, chatId) => atOnce(() => remove(keyOf(owner, chatId)))
  })
}

const rateIn =
  ({ chats, events, storage }: Table): ChatRecords["Service"]["rate"] =>
  ({ chatId, messageId, owner, rating }) =>
    storage.exclusive(
      Effect.map(Clock.currentTimeMillis, (at) => {
        const key = keyOf(owner, chatId)
        const stored = chats.get(key)
        const reply = stored?.messages.find(({ id }) => id === messageId.toLowerCase())
        if (stored === undefined || reply?.model === undefined || reply.state === "streaming") return false
        chats.set(key, {
          ...stored,
          messages: stored.messages.map((each) => (each === reply ? { ...reply, rating } : each))
        })
        const { bot, userId: account } = ownerKey(owner)
        const source = bot === "" ? "chat" : `bot:${bot}`
        const rated = { account, source, replyId: reply.id, chatId: stored.chat.id, model: reply.model }
        const data = { ...rated, ...(rating ?? { rating: "none" as const }) }
        events.tell({ type: "reply.rated", at, data })
        return true
      })
    )

const makeRecords = (table: Table) => {
  const { atOnce, chats, remove, running, storage } = table
  return ChatRecords.of({
    listById: ({ userId, after = "", limit }) =>
      atOnce(() =>
        [...chats.values()]
          .map(({ chat }) => chat)
          .filter((chat) => isListed(chat, userId, "") && chat.id > after.toLowerCase())
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .slice(0, limit)
      ),
    conversations: ({ before, bot, botOwner, limit, search = "", state }) =>
      atOnce(() => {
        const found = [...chats.values()]
          .filter((stored) => bot !== "" && isListed(stored.chat, botOwner, bot) && hasText(stored, search))
          .filter(({ handover }) => state === undefined || handover?.state === state)
          .map(conversationOf)
          .toSorted(byUse)
          .filter((each) => before === undefined || isBehind(each, before))
        const conversations = found.slice(0, limit)
        const last = conversations.at(-1)
        return { conversations, next: last !== undefined && found.length > limit ? cursorOf(last) : undefined }
      }),
    conversation: (botOwner, bot, id) =>
      atOnce(() => {
        const found = [...chats.values()].find(
          ({ chat }) => bot !== "" && isListed(chat, botOwner, bot) && chat.id === id.toLowerCase()
        )
        return found && conversationOf(found)
      }),
    conversationsById: ({ after = "", bot, botOwner, limit }) =>
      atOnce(() =>
        [...chats.values()]
          .filter(({ chat }) => bot !== "" && isListed(chat, botOwner, bot) && chat.id > after.toLowerCase())
          .map(conversationOf)
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .slice(0, limit)
      ),
    rate: rateIn(table),
    removeOfBot: (userId, bot) =>
      atOnce(() => {
        for (const [key, { chat }] of chats) if (bot !== "" && isListed(chat, userId, bot)) remove(key)
      }),
    removeUnused: (input) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const keys = unusedKeys(chats.entries(), running.values(), input, now)
          for (const key of keys) remove(key)
          return keys.length
        })
      )
  })
}

const make = Effect.map(makeTable, (table) =>
  Context.make(ChatStore, makeStore(table)).pipe(Context.add(ChatRecords, makeRecords(table)))
)

/** Chats in the memory of one process: for tests, and for trying the product out without a database. */
export const InMemoryChatStore = {
  layer: Layer.effectContext(make).pipe(
    Layer.provide(Layer.mergeAll(InMemoryChats.layer, InMemoryEventLog.layer, InMemoryStorage.layer))
  )
}
