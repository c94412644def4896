import { Clock, Context, Effect, Layer, type Scope, Stream } from "effect"
import type { Bot } from "../bots/Bot.ts"
import { ActiveBots } from "../bots/BotService.ts"
import { botLanguage, botTexts } from "../bots/botTexts.ts"
import { BotMisconfigured, BotNotFound } from "../bots/errors.ts"
import { ChatService } from "../chat/ChatService.ts"
import type { SendFailed } from "../chat/sendMessages.ts"
import { type VisitorOwner, type MessageState, type Source, type StoredMessage } from "../chat/store/StoredChat.ts"
import { titleOf } from "../chat/titles/titleOf.ts"
import { ChatStore, type TranscriptInput } from "../chat/store/ChatStore.ts"
import { citedNumbers } from "../chat/sources/citedNumbers.ts"
import type { ReplyParties } from "../chat/reply/Reply.ts"
import { SessionIssuedAt } from "../identity/SessionIssuedAt.ts"
import { addressBucket } from "../limits/addressBucket.ts"
import type { ModelFailed, ModelUnavailable } from "../models/ChatModel.ts"
import { IdGenerator } from "../storage/IdGenerator.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { BotBusy, BotResting, ConversationNotFound } from "./botErrors.ts"
import {
  type VisitorChallengeRequired,
  VisitorDayUsedUp,
  type VisitorLimitReached,
  type VisitorMessageTooLong,
  type VisitorReadsLimited
} from "./errors.ts"
import type { ChallengeUnavailable } from "./VisitorChallenge.ts"
import { neutralDecline } from "./neutralDecline.ts"
import { instruments } from "../telemetry/instruments.ts"
import { VisitorGate } from "./VisitorGate.ts"
import type { VisitorConversation, VisitorMessage } from "./VisitorMessage.ts"
import { visitorOwner } from "./visitorOwner.ts"
import { visitorShares } from "./visitorShares.ts"

/** What a bot shows of itself to visitors. */
export interface WidgetConfig {
  readonly displayName: string
  readonly welcomeMessage: string
  readonly primaryColor: string
  readonly suggestedQuestions: ReadonlyArray<string>
  readonly showSources: boolean
}

/** What a visitor sent, and from where. */
export interface VisitorCallInput extends VisitorMessage {
  /** The address it came from, as the server knows it. */
  readonly address: string | undefined
}

/** Which conversation a visitor asks for, and from where. */
export interface VisitorReadInput extends VisitorConversation {
  /** The address the question came from, as the server knows it. */
  readonly address: string | undefined
}

/** What a visitor gets: a reply as it is written, or that the bot cannot answer at the moment. */
export interface WidgetReply {
  readonly conversationId: string
  /** To be read once, inside the scope of `send`. */
  readonly text: Stream.Stream<string, ModelFailed>
}

/** A source as visitors see it. */
export interface ShownToVisitor extends Pick<Source, "number" | "filename" | "page" | "text"> {}

/** A message of a conversation as its visitor sees it. */
export interface WidgetMessage {
  readonly role: "user" | "assistant"
  readonly content: string
  readonly state: MessageState
  /** Those that the reply cites, where the bot shows them. */
  readonly sources: ReadonlyArray<ShownToVisitor>
}

/** A conversation as its visitor sees it. */
export interface WidgetTranscript {
  readonly conversationId: string
  /** The newest, in order. */
  readonly messages: ReadonlyArray<WidgetMessage>
}

/** How addressing a bot fails. */
export type BotUnreachable = BotNotFound | BotMisconfigured | StorageFailed

/** Why a visitor gets no reply. */
export type WidgetSendFailed =
  | BotUnreachable
  | ConversationNotFound
  | VisitorMessageTooLong
  | VisitorLimitReached
  | BotBusy
  | BotResting
  | ChallengeUnavailable
  | VisitorChallengeRequired
  | VisitorDayUsedUp
  | ModelFailed
  | ModelUnavailable

const TRANSCRIPT_MESSAGES = 200
const TRANSCRIPT_BYTES = 256 * 1024

/** A call and whom it is for. */
interface Asked {
  /** When the visitor asked: before the bot was found. */
  readonly askedAt: number
  readonly bot: Bot
  readonly owner: VisitorOwner
  readonly call: VisitorCallInput
}

/** The public side of bots: what visitors, who prove nothing, can ask. */
export class WidgetService extends Context.Service<
  WidgetService,
  {
    /** What the active bot with this public key shows of itself, in the language of a tag (BCP 47) if it has texts in it. */
    config(publicKey: string, lang?: string): Effect.Effect<WidgetConfig, BotUnreachable>
    /**
     * Answers a visitor, at the owner's expense and by the owner's settings alone. Where the owner's credits or the room
     * for conversations are used up, or the owner is blocked, the reply is the bot's decline, which costs nothing.
     */
    send(call: VisitorCallInput): Effect.Effect<WidgetReply, WidgetSendFailed, Scope.Scope>
    /** A visitor's own conversation with a bot. */
    conversation(
      asked: VisitorReadInput
    ): Effect.Effect<WidgetTranscript, BotUnreachable | ConversationNotFound | VisitorReadsLimited>
  }
>()("@parley/core/widget/WidgetService") {
  static readonly layer = Layer.effect(
    WidgetService,
    Effect.suspend(() => make)
  )
}

const configOf = (bot: Bot, lang: string | undefined): WidgetConfig => {
  const { displayName, primaryColor, showSources } = bot
  const { suggestedQuestions, welcomeMessage } = botTexts(bot, botLanguage(lang))
  return { displayName, welcomeMessage, primaryColor, suggestedQuestions, showSources }
}

const shownOf = (bot: Bot, { content, sources }: StoredMessage): ReadonlyArray<ShownToVisitor> => {
  if (!bot.showSources || sources.length === 0) return []
  const cited = citedNumbers(content)
  return sources
    .filter(({ number }) => cited.has(number))
    .map(({ filename, number, page, text }) => ({ number, filename, page, text }))
}

/** A message as its visitor sees it: nothing of one with the role `system`. */
const shownMessage = (bot: Bot, message: StoredMessage): ReadonlyArray<WidgetMessage> => {
  const { content, role, state } = message
  return role === "system" ? [] : [{ role, content, state, sources: shownOf(bot, message) }]
}

/** Answers visitors who get no reply, in words of the bot, or as a failure that says nothing of its owner. */
const makeInsteadOfReply = Effect.gen(function* () {
  const chats = yield* ChatStore
  const ids = yield* IdGenerator

  const declineTo = ({ bot, call }: Asked): string => {
    const language = botLanguage(call.lang)
    return botTexts(bot, language).declineText ?? neutralDecline(language)
  }

  /** Keeps what was asked and that it was declined: the visitor may go on, and the owner sees what was missed. */
  const keepDeclined = Effect.fnUntraced(function* (asked: Asked, chatId: string) {
    const { call, owner } = asked
    yield* chats.beginTurn({
      owner,
      chatId,
      continues: call.conversationId !== undefined,
      title: titleOf([{ role: "user", content: call.message }]),
      messages: [{ role: "user", content: call.message }],
      reply: { id: yield* ids.next, model: undefined, sources: [], content: declineTo(asked) }
    })
  })

  /** What a visitor gets in place of a reply. What only the owner may know is not told: plans, balances, caps. */
  return Effect.fnUntraced(function* (
    asked: Asked,
    error: SendFailed | BotUnreachable
  ): Effect.fn.Return<WidgetReply, WidgetSendFailed> {
    const { bot, call } = asked
    instruments.widgetDeclined.record(1, { reason: error._tag })
    switch (error._tag) {
      case "InsufficientCredits":
      case "UserBlocked":
      case "StorageQuotaExceeded": {
        const chatId = call.conversationId ?? (yield* ids.next)
        if (error._tag !== "StorageQuotaExceeded") yield* keepDeclined(asked, chatId)
        return { conversationId: chatId, text: Stream.succeed(declineTo(asked)) }
      }
      case "ChatNotFound":
        return yield* new ConversationNotFound()
      // The owner was erased since the bot was found.
      case "SessionInvalid":
        return yield* new BotNotFound({ botId: "" })
      case "DailyCapReached":
        return error.share === "address"
          ? yield* new VisitorDayUsedUp({ retryAfterMs: error.retryAfterMs })
          : yield* new BotResting({ retryAfterMs: error.retryAfterMs })
      case "TooManyReplies":
      case "TooManyAbandonedTries":
        return yield* new BotBusy({ retryAfterMs: error.retryAfterMs })
      // What visitors may write fits into any window: it is the instructions, or what a prompt builder makes of them, that do not.
      case "PromptBuilderFailed":
      case "PromptTooLong":
        return yield* new BotMisconfigured({ botId: bot.id })
      case "BotMisconfigured":
      case "BotNotFound":
      case "ModelFailed":
      case "ModelUnavailable":
      case "StorageFailed":
        return yield* error
      default:
        return yield* Effect.die(error)
    }
  })
})

/** Asks the chat at the owner's expense and by the owner's settings. */
const makeAsk = Effect.gen(function* () {
  const { widget: limits } = yield* Catalog
  const chat = yield* ChatService

  const partiesOf = Effect.fnUntraced(function* (bot: Bot, owner: VisitorOwner, address: string | undefined) {
    return {
      payer: bot.owner,
      documentsOwner: bot.owner,
      conversationOwner: owner,
      source: `bot:${bot.id}`,
      dailyCap: limits.ownerDailyCredits,
      shares: yield* visitorShares(bot, address, limits),
      askedFrom: addressBucket(address)
    } satisfies ReplyParties
  })

  return ({ askedAt, bot, call, owner }: Asked) =>
    Effect.flatMap(partiesOf(bot, owner, call.address), (parties) =>
      chat.send({
        parties,
        terms: { instructions: bot.instructions, modelId: bot.modelId, maxOutputTokens: limits.maxReplyTokens },
        request: {
          messages: [{ role: "user", content: call.message }],
          documentIds: bot.documentIds,
          ...(call.conversationId === undefined ? {} : { chatId: call.conversationId })
        }
      })
    ).pipe(
      // The bot stands for its owner, and an owner who was erased since gets no new account.
      Effect.provideService(SessionIssuedAt, askedAt)
    )
})

const make = Effect.gen(function* () {
  const bots = yield* ActiveBots
  const ask = yield* makeAsk
  const chats = yield* ChatStore
  const gate = yield* VisitorGate
  const insteadOfReply = yield* makeInsteadOfReply

  const botOf = Effect.fnUntraced(function* (publicKey: string) {
    const bot = yield* bots.findByKey(publicKey)
    // What was sent is not repeated: an unknown, a malformed and a retired key are one to who asks.
    return bot ?? (yield* new BotNotFound({ botId: "" }))
  })

  const conversationOf = Effect.fnUntraced(function* (
    input: Pick<TranscriptInput, "owner" | "chatId" | "limit" | "toContinue">
  ) {
    const found = yield* chats.transcript({ ...input, maxBytes: TRANSCRIPT_BYTES })
    return found ?? (yield* new ConversationNotFound())
  })

  return WidgetService.of({
    config: Effect.fn("WidgetService.config")(function* (publicKey, lang) {
      return configOf(yield* botOf(publicKey), lang)
    }),
    send: Effect.fn("WidgetService.send")(function* (call) {
      const { address, conversationId, message } = call
      yield* gate.checkMessage(message)
      const askedAt = yield* Clock.currentTimeMillis
      const bot = yield* botOf(call.publicKey)
      const owner = yield* visitorOwner(bot, call.visitorId)
      if (conversationId !== undefined) {
        yield* conversationOf({ owner, chatId: conversationId, limit: 1, toContinue: true })
      }
      const visit = { address, botId: bot.id, conversationId: conversationId?.toLowerCase() }
      yield* gate.enter(visit)
      yield* gate.prove(visit, call.challengeToken)
      const asked = { askedAt, bot, owner, call }
      return yield* ask(asked).pipe(
        // A document or a plan that was there a moment ago: what is there now decides.
        Effect.catchTag(["DocumentNotFound", "DocumentForbidden", "ModelNotAllowed"], () =>
          Effect.flatMap(botOf(call.publicKey), (again) => ask({ ...asked, bot: again }))
        ),
        Effect.map(({ chatId, text }): WidgetReply => ({ conversationId: chatId, text })),
        Effect.catch((error) => insteadOfReply(asked, error))
      )
    }),
    conversation: Effect.fn("WidgetService.conversation")(function* ({
      address,
      conversationId,
      publicKey,
      visitorId
    }) {
      yield* gate.enterReading(address)
      const bot = yield* botOf(publicKey)
      const owner = yield* visitorOwner(bot, visitorId)
      const { chat: found, messages } = yield* conversationOf({
        owner,
        chatId: conversationId,
        limit: TRANSCRIPT_MESSAGES
      })
      return { conversationId: found.id, messages: messages.flatMap((message) => shownMessage(bot, message)) }
    })
  })
})
