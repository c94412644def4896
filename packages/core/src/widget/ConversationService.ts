import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { BotNotFound } from "../bots/errors.ts"
import { BotStore } from "../bots/BotStore.ts"
import { ChatPage, ChatService } from "../chat/ChatService.ts"
import { HANDOVER_STATES } from "../chat/store/Handover.ts"
import { type BotConversation, ChatRecords, ChatStore, type ConversationCursor } from "../chat/store/ChatStore.ts"
import { type StoredMessage, MAX_TRANSCRIPT_BYTES } from "../chat/store/StoredChat.ts"
import { ConversationFiles, makeRemoveFiles } from "../chat/store/ConversationFiles.ts"
import type { Document } from "../documents/Document.ts"
import { CreditRecords } from "../credits/CreditLedger.ts"
import { replyCosts } from "../credits/CreditService.ts"
import { UserId } from "../identity/UserId.ts"
import { Id, inputsOf, PageLimit } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { ConversationNotFound } from "./botErrors.ts"

/** A conversation of a bot, as it is shown to the bot's owner. */
export interface OwnedConversation extends Omit<BotConversation, "replyIds" | "owner"> {
  /** Equal for all conversations of one visitor with the bot. A visitor cannot be contacted by it. */
  readonly visitor: string
  /** The cost of all replies of the conversation, in whole credits. */
  readonly credits: number
}

/** A message of a conversation, as it is shown to the bot's owner. */
export interface OwnedMessage extends StoredMessage {
  /** The cost of the reply after it was charged; undefined for a message that costs nothing. */
  readonly credits: number | undefined
}

/** A conversation with its messages, in order. */
export interface ReadConversation extends OwnedConversation {
  readonly messages: ReadonlyArray<OwnedMessage>
  /** True if there are messages before the first of `messages`. */
  readonly hasEarlier: boolean
}

/** A conversation as its owner opens it: with the files that its visitor attached, oldest first. */
export interface OpenedConversation extends ReadConversation {
  readonly files: ReadonlyArray<Document>
}

export const FindConversationsInput = Schema.Struct({
  limit: PageLimit,
  /** The `next` of the previous page. */
  before: Schema.optional(Schema.Struct({ usedAtMicros: Schema.Number, id: Id })),
  /** Only conversations that contain this text in their title or messages. */
  search: Schema.optional(Schema.String),
  /** Only conversations in this state. */
  state: Schema.optional(Schema.Literals(HANDOVER_STATES))
})
export type FindConversationsInput = typeof FindConversationsInput.Type

/** A page of conversations, and the position of the next page; undefined on the last page. */
export interface FoundConversations {
  readonly conversations: ReadonlyArray<OwnedConversation>
  readonly next: ConversationCursor | undefined
}

type Unreadable = BotNotFound | ConversationNotFound | StorageFailed

/** The number of conversations that are read together for an export; `EXPORTED_MESSAGES` is that of messages of one. */
const EXPORTED_AT_ONCE = 50
const EXPORTED_MESSAGES = 500
const VISITOR_DIGITS = 16

/** The conversations of visitors, for the owners of bots. Another person's bot is treated as missing. */
export class ConversationService extends Context.Service<
  ConversationService,
  {
    /**
     * Returns a page of a bot's conversations, last used first. A page of a search may be short or empty without being
     * the last.
     */
    find(
      owner: UserId,
      botId: string,
      input: FindConversationsInput
    ): Effect.Effect<FoundConversations, BotNotFound | StorageFailed>
    /** Returns a conversation with its newest messages, or with those before a given message. */
    get(owner: UserId, botId: string, id: string, page?: ChatPage): Effect.Effect<OpenedConversation, Unreadable>
    remove(owner: UserId, botId: string, id: string): Effect.Effect<void, Unreadable>
    /**
     * Returns all conversations of a bot, complete, each in its state at the time when it is read, in an order that
     * does not change meanwhile. Only a few are in memory at a time.
     */
    exported(
      owner: UserId,
      botId: string
    ): Effect.Effect<Stream.Stream<ReadConversation, StorageFailed>, BotNotFound | StorageFailed>
  }
>()("@parley/core/widget/ConversationService") {
  static readonly inputs = inputsOf<ConversationService["Service"]>()({
    find: [{ owner: UserId }, { botId: Id }, { input: FindConversationsInput }],
    get: [{ owner: UserId }, { botId: Id }, { id: Id }, { page: Schema.UndefinedOr(ChatPage) }],
    remove: [{ owner: UserId }, { botId: Id }, { id: Id }]
  })
  static readonly layer = Layer.effect(
    ConversationService,
    Effect.suspend(() => make)
  )
}

/** Makes functions that add to conversations the costs of their replies, from the ledger. */
const makeCosts = Effect.gen(function* () {
  const records = yield* CreditRecords

  /** Returns the conversations with their costs, which are read from the ledger for all of them together. */
  const withCosts = Effect.fnUntraced(function* (owner: UserId, found: ReadonlyArray<BotConversation>) {
    const ids = found.flatMap(({ replyIds }) => replyIds)
    const costs = ids.length === 0 ? new Map() : yield* replyCosts(records, owner, ids)
    return found.map(({ owner: { visitor }, replyIds, ...conversation }): OwnedConversation => {
      const credits = replyIds.reduce((sum, id) => sum + (costs.get(id)?.credits ?? 0), 0)
      return { ...conversation, visitor: visitor.slice(0, VISITOR_DIGITS), credits }
    })
  })

  const withMessages = Effect.fnUntraced(function* (
    found: BotConversation,
    messages: ReadonlyArray<StoredMessage>,
    hasEarlier: boolean
  ) {
    const { botOwner } = found.owner
    const [conversation] = yield* withCosts(botOwner, [found])
    const ids = messages.filter(({ model }) => model !== undefined).map(({ id }) => id)
    const costs = ids.length === 0 ? new Map() : yield* replyCosts(records, botOwner, ids)
    return {
      ...(conversation as OwnedConversation),
      messages: messages.map((message): OwnedMessage => ({ ...message, credits: costs.get(message.id)?.credits })),
      hasEarlier
    }
  })

  return { withCosts, withMessages }
})

/** Makes a function that reads whole conversations, page by page. */
const makeExport = Effect.gen(function* () {
  const chats = yield* ChatStore
  const chatRecords = yield* ChatRecords
  const { withMessages } = yield* makeCosts

  /** Returns all messages of a conversation, read from its end; undefined if it was deleted meanwhile. */
  const allMessages = Effect.fnUntraced(function* ({ id: chatId, owner }: BotConversation) {
    let messages: ReadonlyArray<StoredMessage> = []
    for (let before: string | undefined; ; before = messages[0]?.id) {
      const input = { owner, chatId, limit: EXPORTED_MESSAGES, maxBytes: MAX_TRANSCRIPT_BYTES, before }
      const page = yield* chats.transcript(input)
      if (page === undefined) return undefined
      messages = [...page.messages, ...messages]
      if (!page.hasEarlier) return messages
    }
  })

  return Effect.fnUntraced(function* (botOwner: UserId, bot: string, after: string | undefined) {
    const found = yield* chatRecords.conversationsById({ botOwner, bot, after, limit: EXPORTED_AT_ONCE })
    const read = yield* Effect.forEach(found, (each) =>
      Effect.flatMap(allMessages(each), (messages) =>
        messages === undefined
          ? Effect.succeed<ReadonlyArray<ReadConversation>>([])
          : Effect.map(withMessages(each, messages, false), (whole) => [whole])
      )
    )
    const last = found.length < EXPORTED_AT_ONCE ? undefined : found.at(-1)?.id
    return [read.flat(), Option.fromUndefinedOr(last)] as const
  })
})

const make = Effect.gen(function* () {
  const bots = yield* BotStore
  const chat = yield* ChatService
  const chatRecords = yield* ChatRecords
  const files = yield* ConversationFiles
  const { withCosts, withMessages } = yield* makeCosts
  const removeFiles = yield* makeRemoveFiles
  const exportPage = yield* makeExport

  const checkBot = Effect.fnUntraced(function* (owner: UserId, botId: string) {
    if ((yield* bots.find({ owner, botId })) === undefined) return yield* new BotNotFound({ botId })
  })

  const find = Effect.fnUntraced(function* (owner: UserId, botId: string, id: string) {
    yield* checkBot(owner, botId)
    return (yield* chatRecords.conversation(owner, botId.toLowerCase(), id)) ?? (yield* new ConversationNotFound())
  })

  return ConversationService.of({
    find: Effect.fn("ConversationService.find")(function* (owner, botId, input) {
      yield* checkBot(owner, botId)
      const { conversations, next } = yield* chatRecords.conversations({
        ...input,
        botOwner: owner,
        bot: botId.toLowerCase()
      })
      return { conversations: yield* withCosts(owner, conversations), next }
    }),
    get: Effect.fn("ConversationService.get")(function* (owner, botId, id, page) {
      const found = yield* find(owner, botId, id)
      const { hasEarlier, messages } = yield* Effect.catchTag(
        chat.get(found.owner, found.id, page),
        "ChatNotFound",
        () => Effect.fail(new ConversationNotFound())
      )
      const attached = yield* files.list({ owner: found.owner, chatId: found.id })
      return { ...(yield* withMessages(found, messages, hasEarlier)), files: attached }
    }),
    remove: Effect.fn("ConversationService.remove")(function* (owner, botId, id) {
      const found = yield* find(owner, botId, id)
      yield* removeFiles({ owner: found.owner, chatId: found.id })
      yield* Effect.catchTag(chat.remove(found.owner, found.id), "ChatNotFound", () =>
        Effect.fail(new ConversationNotFound())
      )
    }),
    exported: Effect.fn("ConversationService.exported")(function* (owner, botId) {
      yield* checkBot(owner, botId)
      const bot = botId.toLowerCase()
      return Stream.paginate(undefined as string | undefined, (after) => exportPage(owner, bot, after))
    })
  })
})
