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
import { buildPrompt, MINIMUM_REPLY_TOKENS, type Prompt, withoutBlanks } from "./prompt/prompt.ts"
import { sourcesFrom } from "./prompt/quotedPassages.ts"
import { NO_PREFERENCES, PreferenceService } from "../preferences/Preferences.ts"
import { ProjectNotFound } from "./projects/Project.ts"
import { ProjectStore } from "./projects/ProjectStore.ts"
import { ReplySettings, type ReplySettingsData } from "./prompt/ReplySettings.ts"
import type { Candidate, ReserveReplyInput } from "./reply/replyCredits.ts"
import { makePlanRewriting } from "./rewriting/planRewriting.ts"
import { admitsDocument, makeFindSources, type OfferedPassages } from "./sources/findSources.ts"
import type { ReplyParties, ReplyTerms } from "./reply/Reply.ts"

/** The number of stored messages that are read back. */
export const TRANSCRIPT_MESSAGES = 500

/** The largest part of a model's window that found passages may take, and the same for whole documents. */
const DOCUMENTS_SHARE = 1 / 4

/** The messages of a request that count, depending on the treatment of messages with the role `system`. */
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

/** The models that may answer instead: those the tier allows, that a provider runs, and that take the prompt. */
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

/** Returns the ids of a tier's models that a provider of this server runs, in the tier's order. */
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

/** The model that answers a request that names none: the preferred one if it can run, else the first of the tier that can. */
export const defaultModel =
  (tier: Tier, preferred: string | null) =>
  (runnable: ReadonlyArray<string>): string | undefined =>
    runnable.find((id) => id === preferred) ?? runnable[0] ?? tier.models[0]

/** Chooses the model of a reply. */
const makeChooseModel = Effect.gen(function* () {
  const catalog = yield* Catalog
  const runnable = yield* runnableModels

  /**
   * The id that a request names or a bot's owner chose; else the one that the person prefers, if the tier has it and this
   * server runs it; else the first such one.
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

/** The window of the model, or of a fallback that the tier allows and that has a smaller one. */
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
 * The branch that the request continues, up to the message that the new ones follow. That is never a reply that is being
 * written, because the prompt cannot have its text: the new messages then stand beside it, after its question.
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

/** Where the files of a visitor's conversation are: among the documents that are stored with it. */
const filesOf = (owner: ConversationOwner, id: string, attached: ReadonlyArray<string>): InConversation | undefined =>
  "person" in owner ? undefined : { conversation: { bot: owner.bot, visitor: owner.visitor, id }, attached }

/**
 * The scope of a reply: the project of its chat, and the documents of the request and of the project, or those of the
 * request and the files of a visitor's conversation.
 */
const makeScopeOf = Effect.gen(function* () {
  const documents = yield* DocumentStore
  const projects = yield* ProjectStore

  /** The project of the conversation; of a new one, the project that the request names. */
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
    // A project has documents of its own person, and these parties may read those of another one.
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

/** The prompt for these passages, the models that may be asked with it, and the documents of which it has nothing. */
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
 * Every check of a request that can refuse it before credits are held: ownership, tier, model, length. Each party is
 * checked for its own part. Of the payer's account only the tier is used.
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
    const messages = [...told, ...stored.filter(terms === undefined ? hasContent : isOfModel), ...said]
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

/** The most tokens of found passages, and of whole documents, in a prompt for a window of so many tokens. */
const documentRoom = ({ passageTokens, wholeTokens }: ReplySettingsData, windowTokens: number) => {
  const most = Math.floor(windowTokens * DOCUMENTS_SHARE)
  return { passageTokens: Math.min(passageTokens, most), wholeTokens: Math.min(wholeTokens, most) }
}

/** The ids of the first documents of which the prompt has nothing. */
const unreadOf = (ready: ReadonlyArray<{ readonly id: string }>, { sources }: Prompt, found: OfferedPassages) => {
  const read = new Set(sources.flatMap(({ documentId, text }) => [documentId, ...(found.documentsOf.get(text) ?? [])]))
  return ready.flatMap(({ id }) => (read.has(id) ? [] : [id])).slice(0, MOST_UNREAD)
}

/** The instructions of the operator or the bot's owner, then those of the person, then those of the project. */
const instructionsOf = (...texts: ReadonlyArray<string | undefined>): ReadonlyArray<ChatMessage> =>
  texts.flatMap((text) =>
    text === undefined || text === "" ? [] : [{ role: "system" as const, content: withoutBlanks(text) }]
  )

/** The candidates with at most so many output tokens. */
const bounded = (
  [chosen, ...fallbacks]: ReserveReplyInput["candidates"],
  most = Infinity
): ReserveReplyInput["candidates"] => {
  const bound = (each: Candidate) => ({ ...each, maxOutputTokens: Math.min(each.maxOutputTokens, most) })
  return [bound(chosen), ...fallbacks.map(bound)]
}

/**
 * The passages as the prompt takes them. Those of whole documents keep their numbers and their place from a chat's second
 * question on, for the vendors' caches; the first question reads the best one as number 1.
 */
const passagesOf = ({ offered, outlines, whole }: OfferedPassages, continues: boolean) => ({
  sources: sourcesFrom(offered, continues ? whole : undefined),
  isWhole: continues && whole !== undefined,
  outlines
})

const hasImages = ({ said, stored }: Pick<SeeInput, "said" | "stored">): boolean =>
  [...stored, ...said].some(({ imageIds }) => imageIds !== undefined)

const hasContent = ({ content }: StoredMessage): boolean => content !== ""

/** Leaves out, of a visitor's conversation, the replies that neither a model nor a person wrote: the bot's declines. */
const isOfModel = ({ author, content, model, role }: StoredMessage): boolean =>
  content !== "" && (role !== "assistant" || model !== undefined || author !== undefined)

/** Of the messages of a conversation that is stored, or that its client keeps, only those after the last reply are new. */
const afterLastReply = <M extends ChatMessage>(messages: ReadonlyArray<M>): ReadonlyArray<M> =>
  messages.slice(messages.findLastIndex((message) => message.role === "assistant") + 1)
