import { Effect, Option } from "effect"
import type { Account } from "../credits/Account.ts"
import type { UserId } from "../identity/UserId.ts"
import type { Document } from "../documents/Document.ts"
import { DocumentStore } from "../documents/storing/DocumentStore.ts"
import { findReadableDocuments, type InConversation } from "../documents/searching/findReadableDocuments.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { fallbacksOf, findModel, tierOf, tiersAllowing } from "../tiers/CatalogData.ts"
import { ModelNotAllowed } from "../tiers/errors.ts"
import { type Model, seesImages } from "../models/Model.ts"
import { maxInputTokensFor } from "../models/messageTokens.ts"
import type { Tier } from "../tiers/Tier.ts"
import type { ChatMessage } from "../models/ChatMessage.ts"
import { ChatModels } from "../models/ChatModel.ts"
import type { ChatRequest } from "./ChatRequest.ts"
import { askPromptBuilder } from "./prompt/askPromptBuilder.ts"
import { ChatStore } from "./store/ChatStore.ts"
import { type Chat, type ConversationOwner, MOST_UNREAD, type StoredMessage } from "./store/StoredChat.ts"
import { countMessages } from "../models/messageTokens.ts"
import { Tokenizer } from "../tokens/Tokenizer.ts"
import { ChatNotFound, InvalidChatRequest } from "./errors.ts"
import { makeSeeImages, type SeeInput } from "./images/seeImages.ts"
import { buildPrompt, hasContent, MINIMUM_REPLY_TOKENS, type Prompt, withoutBlanks } from "./prompt/prompt.ts"
import { sourcesFrom } from "./prompt/quotedPassages.ts"
import { NO_PREFERENCES, PreferenceService } from "../preferences/Preferences.ts"
import { ProjectNotFound } from "./projects/Project.ts"
import { ProjectStore } from "./projects/ProjectStore.ts"
import { ReplySettings, type ReplySettingsData } from "./prompt/ReplySettings.ts"
import type { Candidate, ReserveReplyInput } from "./reply/replyCredits.ts"
import { makePlanRewriting } from "./rewriting/planRewriting.ts"
import { admitsDocument, makeFindSources, type OfferedPassages } from "./sources/findSources.ts"
import type { ReplyParties, ReplyTerms } from "./reply/Reply.ts"

/** The maximum number of stored messages that are read for a reply. */
export const TRANSCRIPT_MESSAGES = 500

/**
 * The largest part of a model's context window that found passages may take; whole documents may take the same part.
 */
const DOCUMENTS_SHARE = 1 / 4

/**
 * Treats messages with the role `system` according to the settings: removes them, refuses the request, or keeps them.
 */
const admitted = Effect.fnUntraced(function* (request: ChatRequest, { systemMessages }: ReplySettingsData) {
  const place = systemMessages === "allowed" ? -1 : request.messages.findIndex(({ role }) => role === "system")
  if (place < 0) return request
  if (systemMessages === "refused") {
    const issue = {
      path: `messages[${place}].role`,
      message: "Expected user or assistant: system messages are not taken"
    }
    return yield* new InvalidChatRequest({ issues: [issue] })
  }
  return { ...request, messages: request.messages.filter(({ role }) => role !== "system") }
})

/**
 * Returns the models that may answer instead of the chosen model: models of the tier that this server runs and whose
 * context window the prompt fits.
 */
const makeFallbacks = Effect.gen(function* () {
  const catalog = yield* Catalog
  const models = yield* ChatModels
  return Effect.fnUntraced(function* (model: Model, tier: Tier, prompt: Prompt) {
    const found: Array<Candidate> = []
    for (const fallback of fallbacksOf(catalog.models, model)) {
      if (prompt.images > 0 && !seesImages(fallback)) continue
      const maxInputTokens = maxInputTokensFor(fallback, prompt.maxTokens, prompt.images)
      const maxOutputTokens = Math.min(fallback.maxOutputTokens, fallback.contextTokens - maxInputTokens)
      if (maxOutputTokens < Math.min(MINIMUM_REPLY_TOKENS, fallback.maxOutputTokens)) continue
      if (!tier.models.includes(fallback.id)) continue
      const provider = Option.getOrUndefined(yield* Effect.option(models.resolve(fallback)))
      if (provider !== undefined) found.push({ model: fallback, provider, maxInputTokens, maxOutputTokens })
    }
    return found
  })
})

/** Returns the ids of a tier's models that this server can run, in the tier's order. */
export const runnableModels = Effect.gen(function* () {
  const catalog = yield* Catalog
  const models = yield* ChatModels
  return Effect.fnUntraced(function* (tier: Tier) {
    const ids: Array<string> = []
    for (const id of tier.models) {
      const model = findModel(catalog, id)
      if (model !== undefined && (yield* Effect.isSuccess(models.resolve(model)))) ids.push(id)
    }
    return ids
  })
})

/**
 * Returns the model for a request that names none: the preferred model if it can run, otherwise the first model of the
 * tier that can.
 */
export const defaultModel =
  (tier: Tier, preferred: string | null) =>
  (runnable: ReadonlyArray<string>): string | undefined =>
    runnable.find((id) => id === preferred) ?? runnable[0] ?? tier.models[0]

/** Chooses the model of a reply. */
const makeChooseModel = Effect.gen(function* () {
  const catalog = yield* Catalog
  const runnable = yield* runnableModels

  /**
   * Returns the id of the model that the request names or a bot's owner chose; otherwise the model that the person
   * prefers, if the tier includes it and this server runs it; otherwise the first model of the tier that this server
   * runs.
   */
  const decidedModel = Effect.fnUntraced(function* (
    tier: Tier,
    request: ChatRequest,
    terms: ReplyTerms | undefined,
    preferred: string | null
  ) {
    const { modelId } = terms ?? {}
    if (modelId === undefined && request.modelId !== undefined) return request.modelId
    if (typeof modelId === "string" && tier.models.includes(modelId)) return modelId
    return yield* Effect.map(runnable(tier), defaultModel(tier, preferred))
  })

  return Effect.fnUntraced(function* (
    tier: Tier,
    request: ChatRequest,
    terms: ReplyTerms | undefined,
    preferred: string | null
  ) {
    const id = (yield* decidedModel(tier, request, terms, preferred)) ?? ""
    const model = findModel(catalog, id)
    if (model === undefined) {
      const message = `Expected one of ${catalog.models.map((each) => each.id).join(", ")}`
      return yield* new InvalidChatRequest({ issues: [{ path: "modelId", message }] })
    }
    return model
  })
})

/** Returns the smallest context window among the model and those of its fallbacks that the tier allows. */
const smallestWindow = (catalog: Catalog["Service"], model: Model, tier: Tier): number => {
  const fallbacks = fallbacksOf(catalog.models, model).filter(({ id }) => tier.models.includes(id))
  return Math.min(model.contextTokens, ...fallbacks.map(({ contextTokens }) => contextTokens))
}

const notAllowed = (catalog: Catalog["Service"], model: Model, tier: Tier) => {
  const allowedTiers = tiersAllowing(catalog, model.id)
  return new ModelNotAllowed({
    model: model.id,
    modelName: model.displayName ?? model.vendorModel,
    tier: tier.name,
    tierName: tier.displayName,
    allowedTiers,
    allowedTierNames: allowedTiers.map((name) => tierOf(catalog, name).displayName)
  })
}

/**
 * Returns the branch that the request continues, up to the message that the new messages follow. That message is never
 * a reply that is still being written, because its text cannot be in the prompt: then the new messages follow the
 * question of that reply, as another version.
 */
const makeBranchOf = Effect.map(ChatStore, (chats) =>
  Effect.fnUntraced(function* (owner: ConversationOwner, request: ChatRequest) {
    const { chatId, messages, parentMessageId: parent } = request
    if (chatId === undefined) return { chat: undefined, messages: [], documentIds: [], parentId: null }
    const branch = typeof parent === "string" ? { upTo: parent } : undefined
    const found = yield* chats.transcript({ owner, chatId, branch, limit: TRANSCRIPT_MESSAGES, toContinue: true })
    if (found === undefined) return yield* new ChatNotFound({ chatId })
    if (parent === null) return { ...found, messages: [], parentId: null }
    const last = found.messages.at(-1)
    if (branch !== undefined && (last === undefined || (messages.length === 0 && last.role !== "user"))) {
      const message = last === undefined ? "Expected a message of the chat" : "Expected a message of the user"
      return yield* new InvalidChatRequest({ issues: [{ path: "parentMessageId", message }] })
    }
    if (last?.state !== "streaming" || !("person" in owner)) return { ...found, parentId: last?.id ?? null }
    return { ...found, messages: found.messages.slice(0, -1), parentId: last.parentId }
  })
)

/** Describes the files of a visitor's conversation: which of the documents stored with the conversation may be read. */
const filesOf = (owner: ConversationOwner, id: string, attached: ReadonlyArray<string>): InConversation | undefined =>
  "person" in owner ? undefined : { conversation: { bot: owner.bot, visitor: owner.visitor, id }, attached }

/**
 * Returns the project of a reply's chat and the documents that the reply may read: those of the request and of the
 * project, or those of the request and the files of a visitor's conversation.
 */
const makeScopeOf = Effect.gen(function* () {
  const documents = yield* DocumentStore
  const projects = yield* ProjectStore

  /** Returns the project that the request names, or else the project of the chat. */
  const projectOf = Effect.fnUntraced(function* (
    owner: ConversationOwner,
    named: string | undefined,
    chat: Chat | undefined
  ) {
    const projectId = named ?? chat?.projectId
    if (projectId === undefined || !("person" in owner)) return undefined
    const project = yield* projects.get(owner.person, projectId)
    if (project === undefined && named !== undefined) return yield* new ProjectNotFound({ projectId })
    return project
  })

  return Effect.fnUntraced(function* (
    { conversationOwner, documentsOwner }: ReplyParties,
    { documentIds: named = [], projectId }: ChatRequest,
    { chat, documentIds: known }: { readonly chat: Chat | undefined; readonly documentIds: ReadonlyArray<string> }
  ) {
    const project = yield* projectOf(conversationOwner, projectId, chat)
    // A project contains documents of its own person; these parties may read documents of another person, so the
    // documents of the project are left out then.
    const areOwn = "person" in conversationOwner && conversationOwner.person === documentsOwner
    const shared = areOwn ? (project?.documentIds ?? []) : []
    const asked = [...named, ...shared]
    const within = chat === undefined ? undefined : filesOf(conversationOwner, chat.id, known)
    const found = yield* findReadableDocuments(documents, documentsOwner, asked, [...known, ...shared], within)
    return { ...found, project }
  })
})

/** A request, and the chat that its reply continues or begins. */
interface Named {
  readonly request: ChatRequest
  readonly chatId: string
}

/**
 * Builds the prompt for the found passages. Returns it with the models that may be asked and with the documents of
 * which the prompt contains nothing.
 */
const makePromptFrom = Effect.map(makeFallbacks, (fallbacksFor) =>
  Effect.fnUntraced(function* (
    of: Pick<Candidate, "model" | "provider"> & {
      readonly tier: Tier
      readonly payer: UserId
      readonly messages: ReadonlyArray<ChatMessage>
      readonly ready: ReadonlyArray<Document>
      readonly continues: boolean
      readonly searched: boolean
      readonly isClientKept: boolean
      readonly mostOutput: number | undefined
      readonly settings: ReplySettingsData
    },
    found: OfferedPassages
  ) {
    const { isClientKept, messages, model, payer, provider, ready, searched, settings, tier } = of
    const tokenizer = yield* Tokenizer
    const given = { model, messages, ...passagesOf(found, of.continues), searched }
    const ours = yield* Effect.fromResult(buildPrompt({ ...given, isClientKept, tokenizer }))
    const prompt = settings.prompt === undefined ? ours : yield* askPromptBuilder(settings.prompt, ours, model, payer)
    const { maxInputTokens, maxOutputTokens } = prompt
    const chosen: Candidate = { model, provider, maxInputTokens, maxOutputTokens }
    const fallbacks = model.fallback === undefined ? [] : yield* fallbacksFor(model, tier, prompt)
    const candidates = bounded([chosen, ...fallbacks], of.mostOutput)
    return { candidates, prompt, unread: unreadOf(ready, prompt, found) }
  })
)

/**
 * Does all checks that can refuse a request before credits are held: ownership, tier, model, length. Each party is
 * checked for what it provides. Only the tier of the payer's account is used.
 */
export const makePrepareReply = Effect.gen(function* () {
  const catalog = yield* Catalog
  const branchOf = yield* makeBranchOf
  const scopeOf = yield* makeScopeOf
  const models = yield* ChatModels
  const preferred = yield* PreferenceService
  const promptFrom = yield* makePromptFrom
  const findSources = yield* makeFindSources
  const planRewriting = yield* makePlanRewriting
  const chooseModel = yield* makeChooseModel
  const seeImages = yield* makeSeeImages

  return Effect.fnUntraced(function* (parties: ReplyParties, account: Account, sent: Named, terms?: ReplyTerms) {
    const settings = yield* ReplySettings
    const request = yield* admitted(sent.request, settings)
    const { conversationOwner, documentsOwner, payer } = parties
    const tier = tierOf(catalog, account.tier)
    const [branch, preferences] = yield* Effect.all(
      [
        branchOf(conversationOwner, request),
        terms === undefined ? preferred.ofReply(payer) : Effect.succeed(NO_PREFERENCES)
      ],
      { concurrency: 2 }
    )
    const { parentId } = branch
    const { documentFilter: filter = {} } = request
    const model = yield* chooseModel(tier, request, terms, preferences.modelId)
    const { pending, project, ready: all } = yield* scopeOf(parties, request, branch)
    const ready = all.filter((document) => admitsDocument(filter, document))
    if (!tier.models.includes(model.id)) return yield* notAllowed(catalog, model, tier)
    const provider = yield* models.resolve(model)
    const isClientKept = terms?.isClientKept === true
    const spoken = request.chatId === undefined ? request.messages : afterLastReply(request.messages)
    const known = { stored: branch.messages, said: spoken }
    const see = { owner: conversationOwner, chatId: sent.chatId, model, tier, ...known }
    const { said, stored } = hasImages(known) ? yield* seeImages(see) : known
    const newest = afterLastReply(said)
    const added = isClientKept ? newest : said
    const conversation = [...stored, ...said]
    const room = documentRoom(settings, smallestWindow(catalog, model, tier))
    const found = yield* findSources({ userId: documentsOwner, documents: ready, filter, conversation, ...room })
    const { instructions } = terms ?? settings
    const told = instructionsOf(instructions, preferences.instructions, project?.instructions)
    const read = terms === undefined ? stored : stored.filter(isOfModel)
    const messages = [...told, ...[...read, ...said].filter(hasContent)]
    yield* countMessages(payer, messages, model.contextTokens)
    const mostOutput = terms?.maxOutputTokens
    const of = { model, provider, tier, payer, messages, ready, isClientKept, mostOutput, settings }
    const continued = { continues: stored.length > 0, searched: all.length > 0 }
    const promptOf = (offered: OfferedPassages) => promptFrom({ ...of, ...continued }, offered)
    const prepared = yield* promptOf(found)
    const { besides } = found
    const { passageTokens } = room
    const rewriting = besides && (yield* planRewriting({ tier, conversation, passageTokens, besides, promptOf }))
    return { account, tier, added, parentId, project, pending, rewriting, ...prepared }
  })
})

/**
 * Returns the maximum numbers of tokens for found passages and for whole documents, for a context window of this size.
 */
const documentRoom = ({ passageTokens, wholeTokens }: ReplySettingsData, windowTokens: number) => {
  const most = Math.floor(windowTokens * DOCUMENTS_SHARE)
  return { passageTokens: Math.min(passageTokens, most), wholeTokens: Math.min(wholeTokens, most) }
}

/** Returns the ids of the documents of which the prompt contains nothing, at most `MOST_UNREAD`. */
const unreadOf = (ready: ReadonlyArray<{ readonly id: string }>, { sources }: Prompt, found: OfferedPassages) => {
  const read = new Set(sources.flatMap(({ documentId, text }) => [documentId, ...(found.documentsOf.get(text) ?? [])]))
  return ready.flatMap(({ id }) => (read.has(id) ? [] : [id])).slice(0, MOST_UNREAD)
}

/**
 * Returns the instructions as system messages, in the given order: the operator's or the bot owner's, the person's, the
 * project's.
 */
const instructionsOf = (...texts: ReadonlyArray<string | undefined>): ReadonlyArray<ChatMessage> =>
  texts.flatMap((text) =>
    text === undefined || text === "" ? [] : [{ role: "system" as const, content: withoutBlanks(text) }]
  )

/** Returns the candidates with at most `most` output tokens each. */
const bounded = (
  [chosen, ...fallbacks]: ReserveReplyInput["candidates"],
  most = Infinity
): ReserveReplyInput["candidates"] => {
  const bound = (each: Candidate) => ({ ...each, maxOutputTokens: Math.min(each.maxOutputTokens, most) })
  return [bound(chosen), ...fallbacks.map(bound)]
}

/**
 * Returns the passages in the form that the prompt needs. From a chat's second question on, passages of whole documents
 * keep their numbers and their order, so that vendors can cache the beginning of the prompt. For the first question the
 * best passage is number 1.
 */
const passagesOf = ({ offered, outlines, whole }: OfferedPassages, continues: boolean) => ({
  sources: sourcesFrom(offered, continues ? whole : undefined),
  isWhole: continues && whole !== undefined,
  outlines
})

const hasImages = ({ said, stored }: Pick<SeeInput, "said" | "stored">): boolean =>
  [...stored, ...said].some(({ imageIds }) => imageIds !== undefined)

/**
 * Returns false for the replies in a visitor's conversation that neither a model nor a person wrote: the bot's
 * declines.
 */
const isOfModel = ({ author, model, role }: StoredMessage): boolean =>
  role !== "assistant" || model !== undefined || author !== undefined

/**
 * Returns the messages after the last reply: in a stored conversation, or one that its client keeps, only these are
 * new.
 */
const afterLastReply = <M extends ChatMessage>(messages: ReadonlyArray<M>): ReadonlyArray<M> =>
  messages.slice(messages.findLastIndex((message) => message.role === "assistant") + 1)
