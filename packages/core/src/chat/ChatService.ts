import { Context, Effect, Layer, Schema, type Scope } from "effect"
import { DocumentStore } from "../documents/storing/DocumentStore.ts"
import type { DocumentForbidden, DocumentNotFound } from "../documents/errors.ts"
import { UserId } from "../identity/UserId.ts"
import { Id, inputsOf, PageLimit } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { ModelFailed } from "../models/ChatModel.ts"
import { makeChatChanges, stillThere } from "./chatChanges.ts"
import { ChatQuota } from "./limits/chatLimits.ts"
import { type ChatList, ChatStore, ListChatsInput, type Transcript, type TranscriptInput } from "./store/ChatStore.ts"
import {
  ConversationOwner,
  ownerKey,
  type Chat,
  type ChatShare,
  MAX_PAGE_BYTES,
  ReplyRating
} from "./store/StoredChat.ts"
import { ChatNotFound, type InvalidChatChange } from "./errors.ts"
import type { Reply } from "./reply/Reply.ts"
import { type JoinedReply, ReplyRunner } from "./reply/ReplyRunner.ts"
import type { RunningChat, RunningReply } from "./reply/RunningReplies.ts"
import { makeShareChats, type SharedChat } from "./sharing/shareChats.ts"
import { makeSend, type SendFailed, type SendInput } from "./sendMessages.ts"

/** The owner of a conversation; a `UserId` alone stands for that person's own chats. */
export const ChatOwner = Schema.Union([UserId, ConversationOwner])
export type ChatOwner = UserId | ConversationOwner

const conversationOwner = (owner: ChatOwner): ConversationOwner =>
  typeof owner === "string" ? { person: owner } : owner

/** The page of messages to read. */
export const ChatPage = Schema.Struct({
  /** The maximum number of messages; 100 unless given. */
  limit: Schema.optional(PageLimit),
  /** The id of a message: only messages before it in its branch are returned. */
  before: Schema.optional(Id),
  /**
   * The id of a message: the newest branch that contains it is returned; the newest branch of the chat unless given.
   */
  leaf: Schema.optional(Id)
})
export type ChatPage = typeof ChatPage.Type

/** A page of a chat. */
export interface ReadChat extends Transcript {
  /**
   * The reply at the end of the branch that is written at the moment and continues without its reader; undefined if
   * there is none. Its message exists from its first words on, `streaming` and empty until the reply has ended. Before
   * its first words, the reply belongs to the newest branch.
   */
  readonly running: RunningReply | undefined
}

export const PAGE_MESSAGES = 100

/**
 * Reads a transcript and the running reply at its end, both as of one moment: waits for a turn that is being stored,
 * and reads again if a reply begins or ends between the two reads.
 */
const makeLook = Effect.gen(function* () {
  const chats = yield* ChatStore
  const replies = yield* ReplyRunner
  const isStored = Effect.fnUntraced(function* ({ owner, chatId }: RunningChat, messageId: string) {
    const found = yield* chats.transcript({ owner, chatId, branch: { upTo: messageId }, limit: 1 })
    return (found?.messages.length ?? 0) > 0
  })
  return Effect.fnUntraced(function* (input: TranscriptInput) {
    yield* replies.stored(input)
    const found = yield* chats.transcript(input)
    const last = found?.messages.at(-1)
    const replyId = last?.state === "streaming" ? last.id : undefined
    const running = yield* replies.find({ owner: input.owner, chatId: input.chatId, replyId })
    if (running === undefined) return { found: replyId === undefined ? found : yield* chats.transcript(input) }
    if (replyId !== undefined) return { found, running }
    // A running reply has no stored message before its first words.
    if (!(yield* isStored(input, running.messageId))) return input.branch === undefined ? { found, running } : { found }
    const again = yield* chats.transcript(input)
    return again?.messages.at(-1)?.id === running.messageId ? { found: again, running } : { found: again }
  })
})

/** Chats that cost credits: messages and their replies, and the stored chats. */
export class ChatService extends Context.Service<
  ChatService,
  {
    /**
     * Sends messages and returns the reply once its first words have arrived. Credits are held before the model is
     * asked. The hold is settled once, when the reply ends, fails, or the scope closes.
     */
    send(input: SendInput): Effect.Effect<Reply, SendFailed, Scope.Scope>
    /**
     * Returns a running reply of a chat that continues without its reader (`onDisconnect`), from its beginning, even if
     * another process writes it: the reply with this id, or the one begun last unless given. Waits for its first words.
     * Undefined if none is running. The reply continues after a reader has left.
     */
    join(
      owner: ChatOwner,
      chatId: string,
      messageId?: string
    ): Effect.Effect<JoinedReply | undefined, ChatNotFound | ModelFailed | StorageFailed, Scope.Scope>
    /**
     * Ends the replies of a chat that continue without their readers, even if other processes write them; the text
     * written so far is charged. Waits a few seconds until they have ended.
     */
    stop(owner: ChatOwner, chatId: string): Effect.Effect<void, ChatNotFound | StorageFailed>
    /** Lists a person's own chats, or the conversations that visitors have with one of their bots; last used first. */
    list(input: ListChatsInput): Effect.Effect<ChatList, StorageFailed>
    /**
     * Returns a page of a branch of a chat, with the sources of its replies and with the documents stored with the chat
     * that still exist. The branch is the newest one unless `leaf` is given. The page contains the newest messages, or
     * those before a given one: 100 unless `limit` is given, and fewer if they are long. A bot's owner may name a
     * visitor's conversation, as `list` returns it.
     */
    get(owner: ChatOwner, chatId: string, page?: ChatPage): Effect.Effect<ReadChat, ChatNotFound | StorageFailed>
    remove(owner: ChatOwner, chatId: string): Effect.Effect<void, ChatNotFound | StorageFailed>
    /** Changes the title of one of a person's own chats: trimmed, 1 to 200 characters, in one line. */
    rename(
      userId: UserId,
      chatId: string,
      title: string
    ): Effect.Effect<Chat, InvalidChatChange | ChatNotFound | StorageFailed>
    /**
     * Stores documents with one of a person's own chats, at most 1,000, in place of earlier ones; documents that are
     * still being processed are accepted. Returns their ids. A reply still reads only the documents that its own
     * request names.
     */
    keepDocuments(
      userId: UserId,
      chatId: string,
      documentIds: ReadonlyArray<string>
    ): Effect.Effect<
      ReadonlyArray<string>,
      InvalidChatChange | ChatNotFound | DocumentNotFound | DocumentForbidden | StorageFailed
    >
    /**
     * Stores a reader's rating of a reply that has ended; removes the rating if `rating` is undefined. Also fails with
     * `ChatNotFound` if the chat has no such reply of a model.
     */
    rate(
      owner: ChatOwner,
      chatId: string,
      messageId: string,
      rating: ReplyRating | undefined
    ): Effect.Effect<void, InvalidChatChange | ChatNotFound | StorageFailed>
    /**
     * Shares one of a person's own chats: anyone with the id of the share can read the branch with the message `leaf`
     * (the newest branch unless given) up to its last message. Later messages are not shared until `share` is called
     * again, which does not change the id.
     */
    share(
      userId: UserId,
      chatId: string,
      leaf?: string
    ): Effect.Effect<ChatShare, InvalidChatChange | ChatNotFound | StorageFailed>
    /** Ends the share of one of a person's own chats. A later share has another id. */
    unshare(userId: UserId, chatId: string): Effect.Effect<void, ChatNotFound | StorageFailed>
    /** Returns the shared branch by the id of a share; undefined if there is no such share, or it has ended. */
    shared(id: string): Effect.Effect<SharedChat | undefined, StorageFailed>
  }
>()("@parley/core/chat/ChatService") {
  static readonly inputs = inputsOf<ChatService["Service"]>()({
    stop: [{ owner: ChatOwner }, { chatId: Id }],
    list: [{ input: ListChatsInput }],
    get: [{ owner: ChatOwner }, { chatId: Id }, { page: Schema.UndefinedOr(ChatPage) }],
    remove: [{ owner: ChatOwner }, { chatId: Id }],
    rename: [{ userId: UserId }, { chatId: Id }, { title: Schema.String }],
    keepDocuments: [{ userId: UserId }, { chatId: Id }, { documentIds: Schema.Array(Schema.String) }],
    rate: [{ owner: ChatOwner }, { chatId: Id }, { messageId: Id }, { rating: Schema.UndefinedOr(ReplyRating) }],
    share: [{ userId: UserId }, { chatId: Id }, { leaf: Schema.UndefinedOr(Id) }],
    unshare: [{ userId: UserId }, { chatId: Id }],
    shared: [{ id: Id }]
  })
  static readonly layer = Layer.effect(
    ChatService,
    Effect.gen(function* () {
      const send = yield* makeSend
      const quota = yield* ChatQuota
      const chats = yield* ChatStore
      const documents = yield* DocumentStore
      const { rate, ...changes } = yield* makeChatChanges
      const sharing = yield* makeShareChats
      const replies = yield* ReplyRunner
      const check = Effect.fnUntraced(function* (owner: ConversationOwner, chatId: string) {
        if ((yield* chats.transcript({ owner, chatId, limit: 1 })) === undefined) {
          return yield* new ChatNotFound({ chatId })
        }
      })
      const look = yield* makeLook
      return ChatService.of({
        send,
        ...changes,
        ...sharing,
        rate: (of, ...rated) => rate(conversationOwner(of), ...rated),
        list: (input) => chats.list(input),
        get: Effect.fn("ChatService.get")(function* (of, chatId, { before, leaf, limit = PAGE_MESSAGES } = {}) {
          const owner = conversationOwner(of)
          const branch = leaf === undefined ? undefined : { through: leaf }
          const { found, running } = yield* look({ owner, chatId, branch, limit, before, maxBytes: MAX_PAGE_BYTES })
          const isMissing = before === undefined && leaf !== undefined && found?.messages.length === 0
          if (found === undefined || isMissing) return yield* new ChatNotFound({ chatId })
          const documentIds = yield* stillThere(documents, ownerKey(owner).userId, found.documentIds)
          return { ...found, documentIds, running }
        }),
        join: Effect.fn("ChatService.join")(function* (of, chatId, replyId) {
          const owner = conversationOwner(of)
          const joined = yield* replies.join({ owner, chatId, replyId })
          if (joined === undefined) yield* check(owner, chatId)
          return joined
        }),
        stop: Effect.fn("ChatService.stop")(function* (of, chatId) {
          const owner = conversationOwner(of)
          // A reply that has just begun may belong to a chat that is not stored yet.
          if ((yield* replies.find({ owner, chatId })) === undefined) yield* check(owner, chatId)
          yield* replies.stop({ owner, chatId })
        }),
        remove: Effect.fn("ChatService.remove")(function* (of, chatId) {
          const owner = conversationOwner(of)
          quota.forget(owner)
          if (!(yield* chats.remove(owner, chatId))) return yield* new ChatNotFound({ chatId })
        })
      })
    })
  )
}
