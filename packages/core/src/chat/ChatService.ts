import { Context, Effect, Layer, type Scope } from "effect"
import type { Account } from "../credits/Account.ts"
import { availableOf } from "../credits/Account.ts"
import { Accounts } from "../credits/Accounts.ts"
import { CreditLedger, type Reserved } from "../credits/CreditLedger.ts"
import { InsufficientCredits } from "../credits/errors.ts"
import { findReadableDocuments } from "../documents/findReadableDocuments.ts"
import { DocumentStore } from "../documents/DocumentStore.ts"
import type { DocumentForbidden, DocumentNotFound } from "../documents/errors.ts"
import { PassageIndex } from "../documents/PassageIndex.ts"
import type { UserId } from "../identity/UserId.ts"
import { IdGenerator } from "../storage/IdGenerator.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog, findModel, modelsOfTier, tiersAllowing } from "../tiers/Catalog.ts"
import { ModelNotAllowed } from "../tiers/errors.ts"
import { type Model, modelPrice } from "../tiers/Model.ts"
import type { Chat, ChatMessage, StoredMessage } from "./ChatMessage.ts"
import { ChatModels, type ModelFailed, type ModelUnavailable } from "./ChatModel.ts"
import { type ChatRequest, decodeChatRequest } from "./ChatRequest.ts"
import { ChatStore } from "./ChatStore.ts"
import { ChatNotFound, InvalidChatRequest, type PromptTooLong } from "./errors.ts"
import { meteredReply } from "./meteredReply.ts"
import { buildPrompt, type Prompt } from "./prompt.ts"
import { quoteReply } from "./quoteReply.ts"
import type { Reply } from "./Reply.ts"
import { sourcesFrom } from "./sourcesFrom.ts"

/** Why `send` gives no reply. In every case nothing was charged and nothing was stored. */
export type SendFailed =
  | InvalidChatRequest
  | ChatNotFound
  | DocumentNotFound
  | DocumentForbidden
  | ModelNotAllowed
  | ModelUnavailable
  | PromptTooLong
  | InsufficientCredits
  | ModelFailed
  | StorageFailed

export interface SendInput {
  readonly userId: UserId
  /** The body of a chat request as it came; it is checked here. */
  readonly request: unknown
}

/** How many stored messages are read back, and how many passages are offered to a model. */
const TRANSCRIPT_MESSAGES = 500
const PASSAGES = 8
const TITLE_CHARACTERS = 80
/** A reply whose process died is charged by the sweeper after this long. */
const HOLD_TTL_MS = 15 * 60_000

/** Conversations that cost credits. */
export class ChatService extends Context.Service<
  ChatService,
  {
    /**
     * Sends messages and gives the reply once its first words have arrived. Credits are held before the model is asked,
     * and settled once when the reply ends, fails, or the scope closes.
     */
    send(input: SendInput): Effect.Effect<Reply, SendFailed, Scope.Scope>
    /** A person's chats, last used first. */
    list(input: {
      readonly userId: UserId
      readonly limit: number
      readonly offset: number
    }): Effect.Effect<{ readonly chats: ReadonlyArray<Chat>; readonly total: number }, StorageFailed>
    /** A chat with its newest messages and the sources of its replies. */
    get(
      userId: UserId,
      chatId: string
    ): Effect.Effect<
      { readonly chat: Chat; readonly messages: ReadonlyArray<StoredMessage> },
      ChatNotFound | StorageFailed
    >
    remove(userId: UserId, chatId: string): Effect.Effect<void, ChatNotFound | StorageFailed>
  }
>()("@parley/core/chat/ChatService") {
  static readonly layer = Layer.effect(
    ChatService,
    Effect.gen(function* () {
      const send = yield* makeSend
      const chats = yield* ChatStore
      return ChatService.of({
        send,
        list: (input) => chats.list(input),
        get: Effect.fn("ChatService.get")(function* (userId, chatId) {
          const found = yield* chats.transcript({ userId, chatId, limit: TRANSCRIPT_MESSAGES })
          return found ?? (yield* new ChatNotFound({ chatId }))
        }),
        remove: Effect.fn("ChatService.remove")(function* (userId, chatId) {
          if (!(yield* chats.remove(userId, chatId))) return yield* new ChatNotFound({ chatId })
        })
      })
    })
  )
}

const makeSend = Effect.gen(function* () {
  const accounts = yield* Accounts
  const catalog = yield* Catalog
  const chats = yield* ChatStore
  const documents = yield* DocumentStore
  const ledger = yield* CreditLedger
  const models = yield* ChatModels
  const passages = yield* PassageIndex
  const ids = yield* IdGenerator

  const chooseModel = Effect.fnUntraced(function* (modelId: string | undefined) {
    const id = modelId ?? catalog.models[0]?.id ?? ""
    const model = findModel(catalog, id)
    if (model === undefined) {
      const message = `Expected one of ${catalog.models.map((each) => each.id).join(", ")}`
      return yield* new InvalidChatRequest({ issues: [{ path: "modelId", message }] })
    }
    return { model, allowedTiers: tiersAllowing(catalog, model.id) }
  })

  const transcriptOf = Effect.fnUntraced(function* (userId: UserId, chatId: string | undefined) {
    if (chatId === undefined) return []
    const found = yield* chats.transcript({ userId, chatId, limit: TRANSCRIPT_MESSAGES })
    return found?.messages ?? (yield* new ChatNotFound({ chatId }))
  })

  const reserve = Effect.fnUntraced(function* (account: Account, model: Model, prompt: Prompt, messageId: string) {
    const quote = quoteReply(model, prompt.inputTokensAtMost, prompt.maxOutputTokens)
    const usage = { freshInput: prompt.inputTokensAtMost, cacheRead: 0, cacheWrite: 0, output: 0 }
    const reserved = yield* ledger
      .reserve({
        userId: account.userId,
        key: `reply:${messageId}`,
        amount: quote.amount,
        atLeast: quote.atLeast,
        ttlMs: HOLD_TTL_MS,
        draft: { model: model.id, price: modelPrice(model), usage, estimated: true, ended: "expired" }
      })
      .pipe(Effect.catchTag(["AccountNotFound", "KeyConflict", "InvalidAmount"], Effect.die))
    if (reserved._tag === "Refused") return yield* refusal(account, prompt, quote.atLeast, reserved)
    const bought = quote.outputTokensFor(reserved.hold.amount)
    return { hold: reserved.hold, maxOutputTokens: bought, limited: reserved.hold.amount < quote.amount }
  })

  const refusal = (
    account: Account,
    prompt: Prompt,
    required: number,
    { buckets, nextResetAt }: Extract<Reserved, { readonly _tag: "Refused" }>
  ) => {
    const available = availableOf(buckets)
    const fits = (model: Model) =>
      quoteReply(model, prompt.inputTokensAtMost, model.maxOutputTokens).atLeast <= available
    return new InsufficientCredits({
      required,
      available,
      allowance: buckets.allowance - buckets.heldAllowance,
      topup: buckets.topup - buckets.heldTopup,
      held: buckets.heldAllowance + buckets.heldTopup,
      debt: buckets.debt,
      nextResetAt: new Date(nextResetAt).toISOString(),
      affordableModels: modelsOfTier(catalog, account.tier)
        .filter(fits)
        .map((model) => model.id)
    })
  }

  /** Everything of a request that can be refused before credits are held. */
  const prepare = Effect.fnUntraced(function* ({ userId, request }: SendInput) {
    const decoded = yield* decodeChatRequest(request)
    const account = yield* accounts.of(userId)
    const { model, allowedTiers } = yield* chooseModel(decoded.modelId)
    const stored = yield* transcriptOf(userId, decoded.chatId)
    const { ready, pending } = yield* findReadableDocuments(documents, userId, decoded.documentIds ?? [])
    if (!allowedTiers.includes(account.tier)) {
      return yield* new ModelNotAllowed({ model: model.id, tier: account.tier, allowedTiers })
    }
    const provider = yield* models.resolve(model)
    const added = decoded.chatId === undefined ? decoded.messages : afterLastReply(decoded.messages)
    const question = added.at(-1)?.content ?? ""
    const found =
      ready.length === 0 ? [] : yield* passages.search({ userId, documentIds: ready, query: question, limit: PASSAGES })
    const messages = [...stored.filter((message) => message.content !== ""), ...added]
    const prompt = yield* Effect.fromResult(buildPrompt({ model, messages, sources: sourcesFrom(found) }))
    return { account, model, provider, added, pending, prompt, chatId: decoded.chatId }
  })

  return Effect.fn("ChatService.send")(function* (input: SendInput): Effect.fn.Return<Reply, SendFailed, Scope.Scope> {
    const prepared = yield* prepare(input)
    const { account, model, provider, added, pending, prompt } = prepared
    const chatId = prepared.chatId ?? (yield* ids.next)
    const messageId = yield* ids.next
    const { userId } = account
    // From here on the scope owns the hold: an interruption between holding and opening must not leave it behind.
    return yield* Effect.uninterruptible(
      Effect.gen(function* () {
        const { hold, maxOutputTokens, limited } = yield* reserve(account, model, prompt, messageId)
        const reply = { id: messageId, model: model.id, sources: prompt.sources }
        const text = yield* meteredReply({
          ledger,
          chats,
          model: provider,
          request: { model, messages: prompt.messages, maxOutputTokens },
          hold,
          turn: { userId, chatId, title: titleOf(added), messages: added, reply }
        })
        return {
          chatId,
          messageId,
          model: model.id,
          sources: prompt.sources,
          pendingDocuments: pending,
          limitedTo: limited ? maxOutputTokens : undefined,
          text
        }
      })
    )
  })
})

/** Of the messages sent along with a stored chat, only what follows the last reply is new. */
const afterLastReply = (messages: ChatRequest["messages"]): ReadonlyArray<ChatMessage> =>
  messages.slice(messages.findLastIndex((message) => message.role === "assistant") + 1)

const titleOf = (messages: ReadonlyArray<ChatMessage>): string => {
  const words =
    messages
      .find((message) => message.role === "user")
      ?.content.trim()
      .replaceAll(/\s+/g, " ") ?? ""
  const characters = Array.from(words)
  return characters.length <= TITLE_CHARACTERS ? words : `${characters.slice(0, TITLE_CHARACTERS - 1).join("")}…`
}
