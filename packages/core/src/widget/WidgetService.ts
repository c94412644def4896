import { Clock, Context, Effect, Layer, type Scope, Stream } from "effect"
import type { Bot } from "../bots/Bot.ts"
import { ActiveBots } from "../bots/BotService.ts"
import { botLanguage, botTexts } from "../bots/botTexts.ts"
import { BotMisconfigured, BotNotFound } from "../bots/errors.ts"
import { ChatService } from "../chat/ChatService.ts"
import type { SendFailed } from "../chat/sendMessages.ts"
import type { VisitorOwner } from "../chat/store/StoredChat.ts"
import { titleOf } from "../chat/titles/ChatTitles.ts"
import { ChatStore, type TranscriptInput } from "../chat/store/ChatStore.ts"
import type { ReplyParties } from "../chat/reply/Reply.ts"
import { SessionIssuedAt } from "../identity/SessionIssuedAt.ts"
import { addressBucket } from "../limits/addressBucket.ts"
import type { ModelFailed, ModelUnavailable } from "../models/ChatModel.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { opensAt } from "../bots/openingHours.ts"
import type { HandoverState } from "../chat/store/Handover.ts"
import { ConversationFiles } from "../chat/store/ConversationFiles.ts"
import { Handovers } from "../chat/store/Handovers.ts"
import type { FileRejected } from "../documents/errors.ts"
import type { ScannerUnavailable } from "../documents/storing/MalwareScanner.ts"
import { mailAddressOf } from "../mail/mailAddress.ts"
import { BotBusy, BotResting, ConversationNotFound, HandOverOff } from "./botErrors.ts"
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
import { makeAskForPerson, makeSayToPerson } from "./handover/toPerson.ts"
import type { PersonWish, VisitorConversation, VisitorMessage } from "./VisitorMessage.ts"
import { makeAttachFile, type VisitorFileInput, type WidgetFile, widgetFile } from "./files/attachFile.ts"
import type {
  NoRoomForFile,
  TooManyConversationFiles,
  VisitorUploadsLimited,
  VisitorUploadsOff
} from "./files/fileErrors.ts"
import { makeRating, type VisitorRatingInput } from "./rateReply.ts"
import { makeLeaveDeletedBot, visitorOwner } from "./visitorOwner.ts"
import { visitorShares } from "./visitorShares.ts"
import { configOf, type WidgetConfig } from "./WidgetConfig.ts"
import { messagesAfter, shownMessage, type WidgetTranscript } from "./WidgetTranscript.ts"

/** A visitor's message, and the address from which it was sent. */
export interface VisitorCallInput extends VisitorMessage {
  /** The address from which the message was sent, as the server sees it. */
  readonly address: string | undefined
}

/** The conversation that a visitor reads, and the address of the request. */
export interface VisitorReadInput extends VisitorConversation {
  /** The address from which the request was sent, as the server sees it. */
  readonly address: string | undefined
}

/** A visitor's request for a person, and the address from which it was sent. */
export interface PersonWishInput extends PersonWish {
  /** The address from which the request was sent, as the server sees it. */
  readonly address: string | undefined
  /** The origin of the dashboard, if it is configured: the mail to the owner links to it. */
  readonly site?: string | undefined
}

/** The answer to a visitor who asks for a person. */
export interface PersonWished {
  readonly conversationId: string
  readonly state: HandoverState
  /** True if the server knows an e-mail address of the visitor. */
  readonly hasEmail: boolean
  /** Unix milliseconds: the time at which people answer again; undefined if they answer now. */
  readonly opensAt: number | undefined
}

/** The answer to a visitor: a reply while it is written, or a text that the bot cannot answer at the moment. */
export interface WidgetReply {
  readonly conversationId: string
  /** The text. Read it once, within the scope of `send`. */
  readonly text: Stream.Stream<string, ModelFailed>
  /** The reply's message; undefined unless the bot answers. */
  readonly messageId?: string | undefined
  /** `person`: the message waits for a person, and the text is empty. `none`: the text is the bot's decline. */
  readonly answeredBy: "bot" | "person" | "none"
}

/** The failures of finding the bot of a public key. */
export type BotUnreachable = BotNotFound | BotMisconfigured | StorageFailed

/** The reasons why a visitor gets no reply. */
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

/** The reasons why a visitor's file is not attached. */
export type AttachFailed =
  | BotUnreachable
  | ConversationNotFound
  | FileRejected
  | NoRoomForFile
  | ScannerUnavailable
  | TooManyConversationFiles
  | VisitorUploadsLimited
  | VisitorUploadsOff

const TRANSCRIPT_MESSAGES = 200
const TRANSCRIPT_BYTES = 256 * 1024

/** A visitor's call, with its bot and its conversation. */
interface Asked {
  /** The time at which the visitor asked, before the bot was found. */
  readonly askedAt: number
  readonly bot: Bot
  readonly owner: VisitorOwner
  readonly call: VisitorCallInput
}

/** The calls for visitors, who prove no identity. */
export class WidgetService extends Context.Service<
  WidgetService,
  {
    /** Returns the public settings of the active bot with this public key; its texts are in `lang` (BCP 47). */
    config(publicKey: string, lang?: string): Effect.Effect<WidgetConfig, BotUnreachable>
    /**
     * Answers a visitor, at the owner's expense and by the owner's settings alone. If the owner's credits or the room
     * for conversations are used up, or the owner is blocked, the reply is the bot's decline, which costs nothing.
     */
    send(call: VisitorCallInput): Effect.Effect<WidgetReply, WidgetSendFailed, Scope.Scope>
    /** Makes a visitor wait for a person. From then on the bot does not answer until the person is done. */
    askForPerson(
      wish: PersonWishInput
    ): Effect.Effect<
      PersonWished,
      | BotUnreachable
      | ConversationNotFound
      | HandOverOff
      | VisitorLimitReached
      | VisitorChallengeRequired
      | ChallengeUnavailable
    >
    /** Attaches a visitor's file to a conversation, at the owner's expense, and queues its reading. */
    attach(
      file: VisitorFileInput
    ): Effect.Effect<{ readonly conversationId: string; readonly file: WidgetFile }, AttachFailed>
    /** Stores a visitor's rating of a reply of the bot, or removes it; costs nothing. */
    rate(rating: VisitorRatingInput): Effect.Effect<void, BotUnreachable | ConversationNotFound | VisitorReadsLimited>
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

/** Makes the answers without a reply: the bot's decline, or a failure that reveals nothing about the owner. */
const makeInsteadOfReply = Effect.gen(function* () {
  const chats = yield* ChatStore
  const ids = yield* IdGenerator

  const declineTo = ({ bot, call }: Asked): string => {
    const language = botLanguage(call.lang)
    return botTexts(bot, language).declineText ?? neutralDecline(language)
  }

  /** Stores the question and its decline: the visitor may continue, and the owner sees declined questions. */
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

  /** Returns the answer in place of a reply. It reveals nothing about the owner's plans, balances and caps. */
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
        return { conversationId: chatId, text: Stream.succeed(declineTo(asked)), answeredBy: "none" }
      }
      case "ChatNotFound":
        return yield* new ConversationNotFound()
      // The owner was erased after the bot was found.
      case "SessionInvalid":
        return yield* new BotNotFound({ botId: "" })
      case "DailyCapReached":
        return error.share === "address"
          ? yield* new VisitorDayUsedUp({ retryAfterMs: error.retryAfterMs })
          : yield* new BotResting({ retryAfterMs: error.retryAfterMs })
      case "TooManyReplies":
      case "TooManyAbandonedTries":
        return yield* new BotBusy({ retryAfterMs: error.retryAfterMs })
      // A visitor's message fits into any context window, but the owner's instructions or a builder's prompt may not.
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

/** Makes a function that sends a message to the chat at the owner's expense and by the owner's settings. */
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
      // An owner who was erased after the visitor asked gets no new account.
      Effect.provideService(SessionIssuedAt, askedAt)
    )
})

/** Finds the bots and the conversations of visitors. */
const makeFinding = Effect.gen(function* () {
  const bots = yield* ActiveBots
  const chats = yield* ChatStore

  const botOf = Effect.fnUntraced(function* (publicKey: string, held?: "held") {
    const bot = yield* bots.findByKey(publicKey, held)
    // The error does not contain the key: an unknown, a malformed and a retired key get the same answer.
    return bot ?? (yield* new BotNotFound({ botId: "" }))
  })

  const conversationOf = Effect.fnUntraced(function* (
    input: Pick<TranscriptInput, "owner" | "chatId" | "limit" | "toContinue">
  ) {
    const found = yield* chats.transcript({ ...input, maxBytes: TRANSCRIPT_BYTES })
    return found ?? (yield* new ConversationNotFound())
  })

  return { botOf, conversationOf }
})

/** Makes a function that lets a visitor wait for a person. */
const makeAskingForPerson = Effect.gen(function* () {
  const askForPerson = yield* makeAskForPerson
  const gate = yield* VisitorGate
  const leaveDeletedBot = yield* makeLeaveDeletedBot
  const { botOf, conversationOf } = yield* makeFinding
  return Effect.fn("WidgetService.askForPerson")(function* (wish: PersonWishInput) {
    const { address, conversationId: chatId, email, language = "en", page, site } = wish
    const bot = yield* botOf(wish.publicKey)
    if (!bot.handOver) return yield* new HandOverOff()
    const owner = yield* visitorOwner(bot, wish.visitorId)
    if (chatId !== undefined) yield* conversationOf({ owner, chatId, limit: 1, toContinue: true })
    const visit = { address, botId: bot.id, conversationId: chatId?.toLowerCase() }
    yield* gate.enter(visit)
    yield* gate.prove(visit, wish.challengeToken)
    const canonical = email === undefined ? undefined : mailAddressOf(email)
    const asked = yield* askForPerson({ bot, owner, chatId, email: canonical, page, language, site })
    const now = yield* Clock.currentTimeMillis
    const { conversationId, state } = asked
    if (chatId === undefined) yield* leaveDeletedBot(owner, conversationId)
    return { conversationId, state, hasEmail: asked.email !== undefined, opensAt: opensAt(bot.openingHours, now) }
  }, Effect.scoped)
})

/** Makes a function that returns the bot's reply, or an empty one if a person answers. */
const makeAnswered = Effect.gen(function* () {
  const ask = yield* makeAsk
  const sayToPerson = yield* makeSayToPerson
  const { botOf } = yield* makeFinding
  return Effect.fnUntraced(function* (asked: Asked) {
    const { bot, call, owner } = asked
    const { conversationId, message } = call
    const state = yield* sayToPerson(bot, owner, conversationId, message)
    if (state !== undefined) {
      return { conversationId: (conversationId ?? "").toLowerCase(), text: Stream.empty, answeredBy: "person" } as const
    }
    const { chatId, messageId, text } = yield* ask(asked).pipe(
      // A document was deleted, or the plan has changed meanwhile: try again with the present state.
      Effect.catchTag(["DocumentNotFound", "DocumentForbidden", "ModelNotAllowed"], () =>
        Effect.flatMap(botOf(call.publicKey), (again) => ask({ ...asked, bot: again }))
      )
    )
    return { conversationId: chatId, messageId, text, answeredBy: "bot" } as const
  })
})

const make = Effect.gen(function* () {
  const answered = yield* makeAnswered
  const askForPerson = yield* makeAskingForPerson
  const gate = yield* VisitorGate
  const conversationFiles = yield* ConversationFiles
  const handovers = yield* Handovers
  const insteadOfReply = yield* makeInsteadOfReply
  const leaveDeletedBot = yield* makeLeaveDeletedBot
  const { botOf, conversationOf } = yield* makeFinding

  return WidgetService.of({
    askForPerson,
    rate: yield* makeRating(botOf),
    attach: yield* makeAttachFile(botOf),
    config: Effect.fn("WidgetService.config")(function* (publicKey, lang) {
      return configOf(yield* botOf(publicKey), lang, yield* Clock.currentTimeMillis)
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
      const reply = yield* Effect.catch(answered(asked), (error) => insteadOfReply(asked, error))
      if (conversationId !== undefined) return reply
      return { ...reply, text: Stream.ensuring(reply.text, leaveDeletedBot(owner, reply.conversationId)) }
    }),
    conversation: Effect.fn("WidgetService.conversation")(function* ({
      address,
      after,
      conversationId,
      publicKey,
      visitorId
    }) {
      yield* gate.enterReading(address)
      const bot = yield* botOf(publicKey)
      const owner = yield* visitorOwner(bot, visitorId)
      const looked = bot.handOver ? yield* handovers.look({ owner, chatId: conversationId }) : undefined
      const state = looked?.handover.state ?? "bot"
      const hasEmail = looked?.handover.email !== undefined
      // Nearly all of these requests find nothing new; then no messages are read.
      if (after !== undefined && looked?.newestId === after.toLowerCase()) {
        return { conversationId: conversationId.toLowerCase(), state, hasEmail, messages: [] }
      }
      const asked = { owner, chatId: conversationId }
      const { chat: found, documentIds, messages } = yield* conversationOf({ ...asked, limit: TRANSCRIPT_MESSAGES })
      // The files are among the documents that are stored with the conversation.
      const files = documentIds.length === 0 ? [] : yield* conversationFiles.list(asked)
      const shown = messagesAfter(messages, after).flatMap((message) => shownMessage(bot, message))
      return { conversationId: found.id, state, hasEmail, messages: shown, files: files.map(widgetFile) }
    })
  })
})
