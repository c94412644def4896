import { Effect, type Scope } from "effect"
import type { Account } from "../credits/Account.ts"
import { Accounts } from "../credits/Accounts.ts"
import type { HoldName } from "../credits/holds/Hold.ts"
import { CHAT_SPENDER } from "../credits/Spender.ts"
import { type DailyCapReached, type InsufficientCredits, KeyConflict } from "../credits/errors.ts"
import { uniqueIds } from "../documents/searching/findReadableDocuments.ts"
import type { DocumentForbidden, DocumentNotFound } from "../documents/errors.ts"
import type { UserId } from "../identity/UserId.ts"
import type { SessionInvalid } from "../identity/SessionVerifier.ts"
import type { UserBlocked } from "../sessions/errors.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { ModelNotAllowed } from "../tiers/errors.ts"
import type { Tier, TierName } from "../tiers/Tier.ts"
import { AbandonedTries, ChatQuota } from "./limits/chatLimits.ts"
import type { ChatMessage } from "../models/ChatMessage.ts"
import type { ModelFailed, ModelUnavailable } from "../models/ChatModel.ts"
import { type ChatRequest, decodeChatRequest } from "./ChatRequest.ts"
import { keptMessages } from "./prompt/prompt.ts"
import { type BeginTurnInput, ChatStore } from "./store/ChatStore.ts"
import { type ConversationOwner, ownerKey, storedBytes } from "./store/StoredChat.ts"
import {
  ChatNotFound,
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
import { ReplyRunner, makeRefuseBlocked } from "./reply/ReplyRunner.ts"
import type { RunningChat } from "./reply/RunningReplies.ts"
import { makeReserveReply } from "./reply/replyCredits.ts"
import type { Project, ProjectNotFound } from "./projects/Project.ts"
import { titleOf } from "./titles/ChatTitles.ts"

/** The reasons why `send` returns no reply. In all cases nothing was charged and nothing was stored. */
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
  | ProjectNotFound
  | RequestInProgress
  | TooManyAbandonedTries
  | TooManyReplies
  | StorageFailed
  | StorageQuotaExceeded
  | SessionInvalid
  | UserBlocked

interface Asked {
  /** The body of a chat request as the client sent it; `send` checks it. */
  readonly request: unknown
  /**
   * Identifies the request, so that sending it again never charges twice. A repetition returns the first answer. While
   * that answer is being written, it can be joined if it continues without its reader; otherwise the repetition fails
   * with `RequestInProgress`. It fails with `KeyConflict` if its content differs.
   */
  readonly idempotencyKey?: string | undefined
  /**
   * The treatment of the reply if its reader leaves. Unless `continue` is given, the reply ends and is charged up to
   * then. With `continue` the reply is written and charged to its end, stored with its chat, and can be joined (`join`)
   * and stopped (`stop`) on any process.
   */
  readonly onDisconnect?: OnDisconnect | undefined
  /** The rules of a bot's owner or of a back end for the reply; none unless given. */
  readonly terms?: ReplyTerms | undefined
}

/** The question and its parties: one person who asks and pays, or several parties. */
export type SendInput = Asked & ({ readonly userId: UserId } | { readonly parties: ReplyParties })

/** The maximum number of tries for one idempotency key; tries before the last failed without a charge. */
const MAX_KEY_TRIES = 20

/**
 * Makes the functions that derive ids from an idempotency key, look up the reply of an earlier try, and return it
 * again.
 */
const makeRepetition = Effect.gen(function* () {
  const chats = yield* ChatStore
  const replies = yield* ReplyRunner
  const ids = yield* IdGenerator

  const find = Effect.fnUntraced(function* (chat: RunningChat, messageId: string) {
    const found = yield* chats.transcript({ ...chat, branch: { upTo: messageId }, limit: 1 })
    return { isChat: found !== undefined, message: found?.messages[0] }
  })

  /**
   * Returns the ids of the chat, if it is new, and of the reply: random, or derived from the idempotency key.
   * `isStored` returns true if an earlier try with the key has stored its reply; returning that reply again stores and
   * costs nothing.
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

  /** Returns the stored answer of an earlier request with the same key, whose hold is open or, if `ended`, charged. */
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

/**
 * Makes a check that refuses a message over the limits of stored bytes and of abandoned tries, unless its reply is
 * already stored.
 */
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

/**
 * The turn to store, with its position in the chat. A visitor's conversation has only one branch, because the widget
 * shows no versions.
 */
const turnOf = (
  owner: ConversationOwner,
  {
    added,
    documentIds,
    kept,
    parentId,
    project
  }: {
    readonly added: ReadonlyArray<ChatMessage>
    readonly documentIds: ReadonlyArray<string>
    readonly kept: ReadonlyArray<ChatMessage>
    readonly parentId: string | null
    readonly project: Project | undefined
  }
) => ({
  owner,
  title: titleOf(added),
  projectId: project?.id,
  messages: kept,
  documentIds,
  ...("person" in owner ? { parentId } : {})
})

/** The payer's tier, if the reply begins a person's own chat that the server keeps; otherwise undefined. */
const titledOn = (
  { continues, owner }: Pick<BeginTurnInput, "continues" | "owner">,
  { name }: Tier,
  terms: ReplyTerms | undefined
): TierName | undefined => (!continues && "person" in owner && terms?.isClientKept !== true ? name : undefined)

/** Makes `send`: checks a request, holds its credits, and returns a reply whose first words have arrived. */
export const makeSend = Effect.gen(function* () {
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

    /** Prepares the prompt and the candidate models, within all limits of this account's tier. */
    const prepareFor = Effect.fnUntraced(function* (account: Account) {
      const prepared = yield* prepareReply(parties, account, { request, chatId }, input.terms)
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
      const { prompt, rewriting } = prepared
      const messageId = yield* nextMessageId(keyTry)
      const reserved = yield* reserveReply({ ...prepared, parties, chatId, messageId, fingerprint })
      if (reserved._tag === "OnOtherTier") {
        return yield* sendAs(yield* Effect.interruptible(prepareFor(reserved.account)), keyTry)
      }
      const { hold, earlier, calls, coversAll, limited, share } = reserved
      // An earlier try with the same key failed without a charge, so the next try begins.
      if (earlier === "released" && keyTry === MAX_KEY_TRIES) return yield* new KeyConflict({ key: hold.key })
      if (earlier === "released") return yield* sendAs(prepared, keyTry + 1)
      if (earlier !== undefined) {
        return yield* Effect.interruptible(replay(hold, { owner, chatId }, messageId, earlier === "settled"))
      }
      const chosen = calls[0].request
      const reply = { id: messageId, model: chosen.model.id, sources: prompt.sources, unread: prepared.unread }
      const turn = { ...turnOf(owner, prepared), chatId, continues: request.chatId !== undefined, reply }
      // If the hold is smaller than requested, there are no credits for a rewrite.
      const revise = coversAll ? rewriting?.revise(hold) : undefined
      const run = { calls, hold, revise, share, turn, spending: parties, joinable: input.onDisconnect === "continue" }
      const { model, sources, text, unread } = yield* replies.run({
        ...run,
        titledOn: titledOn(turn, prepared.tier, input.terms)
      })
      const limitedTo = limited ? chosen.maxOutputTokens : undefined
      const documents = { pendingDocuments: prepared.pending, unreadDocuments: unread }
      return { chatId, messageId, model, sources, ...documents, limitedTo, text }
    })

    const prepared = yield* accounts.prepare(payer, prepareFor)
    // The scope owns the hold: an interruption between the reservation and the start of the reply must not leave the
    // hold open.
    return yield* Effect.uninterruptible(sendAs(prepared, 1))
  })
})

/** The parties of a reply if one person asks, pays and owns everything. */
export const onePerson = (userId: UserId): ReplyParties => ({
  payer: userId,
  documentsOwner: userId,
  conversationOwner: { person: userId },
  source: CHAT_SPENDER
})
