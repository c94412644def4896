import { Context, Effect, Layer, Schema, type Scope } from "effect"
import type { Account } from "../credits/Account.ts"
import { Accounts } from "../credits/Accounts.ts"
import type { HoldName } from "../credits/holds/Hold.ts"
import { CHAT_SPENDER } from "../credits/Spender.ts"
import { type DailyCapReached, type InsufficientCredits, KeyConflict } from "../credits/errors.ts"
import { DocumentStore } from "../documents/storing/DocumentStore.ts"
import { uniqueIds } from "../documents/searching/findReadableDocuments.ts"
import type { DocumentForbidden, DocumentNotFound } from "../documents/errors.ts"
import { UserId } from "../identity/UserId.ts"
import type { SessionInvalid } from "../identity/SessionVerifier.ts"
import type { UserBlocked } from "../sessions/errors.ts"
import { IdGenerator } from "../storage/IdGenerator.ts"
import { Id, inputsOf, PageLimit } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { ModelNotAllowed } from "../tiers/errors.ts"
import type { Tier } from "../tiers/Tier.ts"
import { AbandonedTries } from "./limits/AbandonedTries.ts"
import type { ChatMessage } from "../models/ChatMessage.ts"
import type { ModelFailed, ModelUnavailable } from "../models/ChatModel.ts"
import { type ChatRequest, decodeChatRequest } from "./ChatRequest.ts"
import { makeChatChanges, stillThere } from "./chatChanges.ts"
import { ChatQuota } from "./limits/ChatQuota.ts"
import { keptMessages } from "./prompt/prompt.ts"
import { type ChatList, ChatStore, ListChatsInput, type Transcript, type TranscriptInput } from "./store/ChatStore.ts"
import { ConversationOwner, ownerKey, type Chat, MAX_PAGE_BYTES, storedBytes } from "./store/StoredChat.ts"
import {
  ChatNotFound,
  type InvalidChatChange,
  type InvalidChatRequest,
  type PromptBuilderFailed,
  type PromptTooLong,
  RequestInProgress,
  type StorageQuotaExceeded,
  type TooManyAbandonedTries,
  type TooManyReplies
} from "./errors.ts"
import { fingerprintOf, idempotentChatId, idempotentMessageId, replayedReply } from "./reply/idempotency.ts"
import { makePrepareReply } from "./prepareReply.ts"
import type { OnDisconnect, Reply, ReplyParties, ReplyTerms } from "./reply/Reply.ts"
import { type JoinedReply, ReplyRunner } from "./reply/ReplyRunner.ts"
import type { RunningChat, RunningReply } from "./reply/RunningReplies.ts"
import { makeRefuseBlocked } from "./reply/blockedPeople.ts"
import { makeReserveReply } from "./reply/reserveReply.ts"
import { titleOf } from "./titleOf.ts"

/** The reasons why `send` returns no reply. In every case nothing was charged and nothing was stored. */
export type SendFailed =
  | InvalidChatRequest
  | ChatNotFound
  | DocumentNotFound
  | DocumentForbidden
  | ModelNotAllowed
  | ModelUnavailable
  | PromptBuilderFailed
  | PromptTooLong
  | InsufficientCredits
  | DailyCapReached
  | ModelFailed
  | KeyConflict
  | RequestInProgress
  | TooManyAbandonedTries
  | TooManyReplies
  | StorageFailed
  | StorageQuotaExceeded
  | SessionInvalid
  | UserBlocked

interface Asked {
  /** The body of a chat request as it came; it is checked here. */
  readonly request: unknown
  /**
   * Identifies the request, so that sending it again never charges twice. A repetition gets the first answer again;
   * `RequestInProgress` while that is being written, unless it continues without its reader and so can be joined; and
   * `KeyConflict` if its content differs.
   */
  readonly idempotencyKey?: string | undefined
  /**
   * The treatment of the reply if its reader leaves: the reply and its bill end, unless `continue` is given. Then the
   * reply is written and paid to its end, stored with its chat, and can be joined (`join`) and stopped (`stop`) on any
   * process.
   */
  readonly onDisconnect?: OnDisconnect | undefined
  /** The rules of a bot's owner or of a back end; none unless given. */
  readonly terms?: ReplyTerms | undefined
}

/** The question and its parties: one person who asks and pays, or three parties if they differ. */
export type SendInput = Asked & ({ readonly userId: UserId } | { readonly parties: ReplyParties })

/** The owner of the conversation: a person, if only a user is named. */
export const ChatOwner = Schema.Union([UserId, ConversationOwner])
export type ChatOwner = UserId | ConversationOwner

const conversationOwner = (owner: ChatOwner): ConversationOwner =>
  typeof owner === "string" ? { person: owner } : owner

/** The page of messages to read. */
export const ChatPage = Schema.Struct({
  /** The maximum number of messages: 100 unless given. */
  limit: Schema.optional(PageLimit),
  /** The id of a message: only the earlier messages of its branch are returned. */
  before: Schema.optional(Id),
  /** The id of a message: the newest branch with this message; the newest of all unless given. */
  leaf: Schema.optional(Id)
})
export type ChatPage = typeof ChatPage.Type

/** A page of a chat. */
export interface ReadChat extends Transcript {
  /**
   * The reply at the end of the branch that goes on without its reader at the moment, if any. Its message is there from
   * its first words on, as `streaming` and empty until it has ended. Before that the reply counts to the newest branch.
   */
  readonly running: RunningReply | undefined
}

export const PAGE_MESSAGES = 100
/** Tries that one idempotency key may have: those before the last came to nothing and were not charged. */
const MAX_KEY_TRIES = 20

/** Conversations that cost credits. */
export class ChatService extends Context.Service<
  ChatService,
  {
    /**
     * Sends messages and returns the reply once its first words have arrived. Credits are held before the model is
     * asked, and settled once when the reply ends, fails, or the scope closes.
     */
    send(input: SendInput): Effect.Effect<Reply, SendFailed, Scope.Scope>
    /**
     * A reply of a chat that continues without its reader (`onDisconnect`), from its beginning, whichever process writes
     * it: the one with this id, the one begun last unless given. Waits for its first words. Undefined if none is running.
     * A reader that leaves ends nothing.
     */
    join(
      owner: ChatOwner,
      chatId: string,
      messageId?: string
    ): Effect.Effect<JoinedReply | undefined, ChatNotFound | ModelFailed | StorageFailed, Scope.Scope>
    /**
     * Ends the replies of a chat that continue without their readers, whichever process writes them; the text written
     * so far is charged. Waits a few seconds for that.
     */
    stop(owner: ChatOwner, chatId: string): Effect.Effect<void, ChatNotFound | StorageFailed>
    /** A person's own chats, or the conversations that visitors have with one of their bots; last used first. */
    list(input: ListChatsInput): Effect.Effect<ChatList, StorageFailed>
    /**
     * A page of a branch of a chat, the newest one unless `leaf` is given, with the sources of its replies: the newest
     * messages, or those before a given one; 100 unless `limit` is given, and fewer if they are long. Includes the documents stored with the chat that still exist. A
     * bot's owner may name a visitor's conversation, as `list` returns it.
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
     * still being processed are accepted. Returns their ids. A reply still reads only the documents that its request
     * names.
     */
    keepDocuments(
      userId: UserId,
      chatId: string,
      documentIds: ReadonlyArray<string>
    ): Effect.Effect<
      ReadonlyArray<string>,
      InvalidChatChange | ChatNotFound | DocumentNotFound | DocumentForbidden | StorageFailed
    >
  }
>()("@parley/core/chat/ChatService") {
  static readonly inputs = inputsOf<ChatService["Service"]>()({
    stop: [{ owner: ChatOwner }, { chatId: Id }],
    list: [{ input: ListChatsInput }],
    get: [{ owner: ChatOwner }, { chatId: Id }, { page: Schema.UndefinedOr(ChatPage) }],
    remove: [{ owner: ChatOwner }, { chatId: Id }],
    rename: [{ userId: UserId }, { chatId: Id }, { title: Schema.String }],
    keepDocuments: [{ userId: UserId }, { chatId: Id }, { documentIds: Schema.Array(Schema.String) }]
  })
  static readonly layer = Layer.effect(
    ChatService,
    Effect.gen(function* () {
      const send = yield* makeSend
      const quota = yield* ChatQuota
      const chats = yield* ChatStore
      const documents = yield* DocumentStore
      const changes = yield* makeChatChanges
      const replies = yield* ReplyRunner
      const check = Effect.fnUntraced(function* (owner: ConversationOwner, chatId: string) {
        if ((yield* chats.transcript({ owner, chatId, limit: 1 })) === undefined) {
          return yield* new ChatNotFound({ chatId })
        }
      })
      const isStored = Effect.fnUntraced(function* ({ owner, chatId }: RunningChat, messageId: string) {
        const found = yield* chats.transcript({ owner, chatId, branch: { upTo: messageId }, limit: 1 })
        return (found?.messages.length ?? 0) > 0
      })
      /**
       * A transcript and the reply that runs at its end, as they are at one moment: a turn that is being stored is waited
       * for, and a reply that begins or ends between the two looks is read again.
       */
      const look = Effect.fnUntraced(function* (input: TranscriptInput) {
        yield* replies.stored(input)
        const found = yield* chats.transcript(input)
        const last = found?.messages.at(-1)
        const replyId = last?.state === "streaming" ? last.id : undefined
        const running = yield* replies.find({ owner: input.owner, chatId: input.chatId, replyId })
        if (running === undefined) return { found: replyId === undefined ? found : yield* chats.transcript(input) }
        if (replyId !== undefined) return { found, running }
        // A reply without words has no message yet.
        if (!(yield* isStored(input, running.messageId)))
          return input.branch === undefined ? { found, running } : { found }
        const again = yield* chats.transcript(input)
        return again?.messages.at(-1)?.id === running.messageId ? { found: again, running } : { found: again }
      })
      return ChatService.of({
        send,
        ...changes,
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
          // The chat of a reply that has just begun may not be stored yet.
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

/** The key, the look-up and the repeated answer of a request under an idempotency key. */
const makeRepetition = Effect.gen(function* () {
  const chats = yield* ChatStore
  const replies = yield* ReplyRunner
  const ids = yield* IdGenerator

  const find = Effect.fnUntraced(function* (chat: RunningChat, messageId: string) {
    const found = yield* chats.transcript({ ...chat, branch: { upTo: messageId }, limit: 1 })
    return { isChat: found !== undefined, message: found?.messages[0] }
  })

  /**
   * The ids of the chat, if it is new, and of the reply: random, or derived from the idempotency key. `isStored` is
   * true if an earlier try under the key has its reply: returning it again stores and costs nothing.
   */
  const identify = Effect.fnUntraced(function* (
    owner: ConversationOwner,
    key: string | undefined,
    request: ChatRequest,
    terms: ReplyTerms | undefined
  ) {
    if (key === undefined) {
      const chatId = request.chatId ?? (yield* ids.next)
      return { chatId, fingerprint: undefined, messageId: () => ids.next, isStored: Effect.succeed(false) }
    }
    const chatId = request.chatId ?? (yield* idempotentChatId(owner, key))
    const messageId = (keyTry: number) => idempotentMessageId(owner, key, keyTry)
    const isStored = Effect.gen(function* () {
      for (let keyTry = 1; keyTry <= MAX_KEY_TRIES; keyTry++) {
        const { message } = yield* find({ owner, chatId }, yield* messageId(keyTry))
        if (message !== undefined) return true
      }
      return false
    })
    return { chatId, fingerprint: yield* fingerprintOf(request, terms), messageId, isStored }
  })

  /** The stored answer of an earlier request with the same key, whose hold is open or, with `ended`, charged. */
  const replay = Effect.fnUntraced(function* (
    hold: HoldName,
    { owner, chatId }: RunningChat,
    messageId: string,
    ended: boolean
  ) {
    const { isChat, message } = yield* find({ owner, chatId }, messageId)
    if (!isChat && ended) return yield* new ChatNotFound({ chatId })
    if (message === undefined || message.state === "streaming") {
      const joined = yield* replies.join({ owner, chatId, replyId: messageId })
      return joined === undefined
        ? yield* new RequestInProgress()
        : {
            ...joined,
            sources: message?.sources ?? [],
            pendingDocuments: [],
            unreadDocuments: message?.unread ?? [],
            limitedTo: undefined
          }
    }
    return replayedReply(chatId, message)
  })

  return { identify, replay }
})

/** Refuses a message over the limits of stored bytes and of abandoned tries, unless its reply is stored already. */
const makeCheckLimits = Effect.gen(function* () {
  const abandoned = yield* AbandonedTries
  const quota = yield* ChatQuota
  return (
    { askedFrom, conversationOwner: owner, payer, source }: ReplyParties,
    tier: Tier,
    bytes: number,
    isStored: Effect.Effect<boolean, StorageFailed>
  ) =>
    quota.check({ owner, tier, bytes }).pipe(
      Effect.andThen(abandoned.check({ payer, source, askedFrom, perMinute: tier.abandonedTriesPerMinute })),
      Effect.catchTag(["StorageQuotaExceeded", "TooManyAbandonedTries"], (refusal) =>
        Effect.flatMap(isStored, (stored) => (stored ? Effect.void : Effect.fail(refusal)))
      )
    )
})

/** What a person or a visitor said, and its place. The conversation of a visitor is a line: the widget shows no branches. */
const turnOf = (
  owner: ConversationOwner,
  {
    added,
    documentIds,
    kept,
    parentId
  }: {
    readonly added: ReadonlyArray<ChatMessage>
    readonly documentIds: ReadonlyArray<string>
    readonly kept: ReadonlyArray<ChatMessage>
    readonly parentId: string | null
  }
) => ({ owner, title: titleOf(added), messages: kept, documentIds, ...("person" in owner ? { parentId } : {}) })

const makeSend = Effect.gen(function* () {
  const accounts = yield* Accounts
  const refuseBlocked = yield* makeRefuseBlocked
  const replies = yield* ReplyRunner
  const checkLimits = yield* makeCheckLimits
  const { identify, replay } = yield* makeRepetition
  const prepareReply = yield* makePrepareReply
  const reserveReply = yield* makeReserveReply

  return Effect.fn("ChatService.send")(function* (input: SendInput): Effect.fn.Return<Reply, SendFailed, Scope.Scope> {
    const parties = "parties" in input ? input.parties : onePerson(input.userId)
    const { conversationOwner: owner, payer } = parties
    const request = yield* decodeChatRequest(input.request)
    yield* refuseBlocked([payer, ownerKey(owner).userId])
    const named = yield* identify(owner, input.idempotencyKey, request, input.terms)
    const { chatId, fingerprint, messageId: nextMessageId } = named

    /** The models to ask and their requests, within all limits of this account's tier. */
    const prepareFor = Effect.fnUntraced(function* (account: Account) {
      const prepared = yield* prepareReply(parties, account, request, input.terms)
      const { added, prompt, tier } = prepared
      const kept = keptMessages(added, prompt.conversation)
      const bytes = kept.reduce((sum, { content }) => sum + storedBytes(content), storedBytes("", prompt.sources))
      yield* checkLimits(parties, tier, bytes, named.isStored)
      return { ...prepared, kept, documentIds: uniqueIds(request.documentIds ?? []) }
    })
    const sendAs = Effect.fnUntraced(function* (
      prepared: Effect.Success<ReturnType<typeof prepareFor>>,
      keyTry: number
    ): Effect.fn.Return<Reply, SendFailed, Scope.Scope> {
      const { account, candidates, pending, prompt, unread } = prepared
      const messageId = yield* nextMessageId(keyTry)
      const reserved = yield* reserveReply({ account, parties, candidates, prompt, chatId, messageId, fingerprint })
      if (reserved._tag === "OnOtherTier") {
        return yield* sendAs(yield* Effect.interruptible(prepareFor(reserved.account)), keyTry)
      }
      const { hold, earlier, calls, limited, share } = reserved
      // An earlier try failed without a charge: start this one.
      if (earlier === "released" && keyTry === MAX_KEY_TRIES) return yield* new KeyConflict({ key: hold.key })
      if (earlier === "released") return yield* sendAs(prepared, keyTry + 1)
      if (earlier !== undefined) {
        return yield* Effect.interruptible(replay(hold, { owner, chatId }, messageId, earlier === "settled"))
      }
      const chosen = calls[0].request
      const reply = { id: messageId, model: chosen.model.id, sources: prompt.sources, unread }
      const turn = { ...turnOf(owner, prepared), chatId, continues: request.chatId !== undefined, reply }
      const joinable = input.onDisconnect === "continue"
      const { model, text } = yield* replies.run({ calls, hold, share, turn, spending: parties, joinable })
      return {
        chatId,
        messageId,
        model,
        sources: prompt.sources,
        pendingDocuments: pending,
        unreadDocuments: unread,
        limitedTo: limited ? chosen.maxOutputTokens : undefined,
        text
      }
    })

    const prepared = yield* accounts.prepare(payer, prepareFor)
    // The scope owns the hold: an interruption between holding and opening must not leave it behind.
    return yield* Effect.uninterruptible(sendAs(prepared, 1))
  })
})

/** One person who asks, pays and owns everything. */
export const onePerson = (userId: UserId): ReplyParties => ({
  payer: userId,
  documentsOwner: userId,
  conversationOwner: { person: userId },
  source: CHAT_SPENDER
})
