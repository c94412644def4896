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

/** A visitor's message, and the address it came from. */
export interface VisitorCallInput extends VisitorMessage {
  /** The address it came from, as the server knows it. */
  readonly address: string | undefined
}

/** Which conversation a visitor asks for, and from where. */
export interface VisitorReadInput extends VisitorConversation {
  /** The address the question came from, as the server knows it. */
  readonly address: string | undefined
}

/** A visitor's wish for a person, and its origin. */
export interface PersonWishInput extends PersonWish {
  /** The address it came from, as the server knows it. */
  readonly address: string | undefined
  /** The origin of the dashboard, if it is configured: the mail to the owner leads there. */
  readonly site?: string | undefined
}

/** The answer to a visitor who asks for a person. */
export interface PersonWished {
  readonly conversationId: string
  readonly state: HandoverState
  /** The server knows an address of the visitor. */
  readonly hasEmail: boolean
  /** When people are back, in Unix milliseconds; undefined if they are there. */
  readonly opensAt: number | undefined
}

/** The answer to a visitor: a reply as it is written, or that the bot cannot answer at the moment. */
export interface WidgetReply {
  readonly conversationId: string
  /** To be read once, inside the scope of `send`. */
  readonly text: Stream.Stream<string, ModelFailed>
  /** The reply's message; undefined unless the bot answers. */
  readonly messageId?: string | undefined
  /** `person`: the message waits for a person, and the text is empty. `none`: the text is the bot's decline. */
  readonly answeredBy: "bot" | "person" | "none"
}

/** The failures of naming a bot. */
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

/** Why a visitor's file is not attached. */
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
    /** The facts that the active bot with this public key shows, in the language of a tag (BCP 47) if it has texts in it. */
    config(publicKey: string, lang?: string): Effect.Effect<WidgetConfig, BotUnreachable>
    /**
     * Answers a visitor, at the owner's expense and by the owner's settings alone. Where the owner's credits or the room
     * for conversations are used up, or the owner is blocked, the reply is the bot's decline, which costs nothing.
     */
    send(call: VisitorCallInput): Effect.Effect<WidgetReply, WidgetSendFailed, Scope.Scope>
    /** Has a visitor wait for a person of the bot's owner. From then on the bot is silent until the person is done. */
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

  /** The answer to a visitor in place of a reply. It says nothing of the owner's plans, balances and caps. */
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
      // A visitor's message fits into any window: the instructions, or the prompt of a prompt builder, do not.
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

/** Finds the bots and the conversations of visitors. */
const makeFinding = Effect.gen(function* () {
  const bots = yield* ActiveBots
  const chats = yield* ChatStore

  const botOf = Effect.fnUntraced(function* (publicKey: string, held?: "held") {
    const bot = yield* bots.findByKey(publicKey, held)
    // The sent key is not repeated: an unknown, a malformed and a retired key get the same answer.
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

/** Returns a function that has a visitor wait for a person. */
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

/** Returns the reply of the bot, or none if a person answers. */
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
      // A document or a plan that was there a moment ago: what is there now decides.
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
      // Nearly all looks find nothing new, and read no messages.
      if (after !== undefined && looked?.newestId === after.toLowerCase()) {
        return { conversationId: conversationId.toLowerCase(), state, hasEmail, messages: [] }
      }
      const asked = { owner, chatId: conversationId }
      const { chat: found, documentIds, messages } = yield* conversationOf({ ...asked, limit: TRANSCRIPT_MESSAGES })
      // Files are among the documents that are stored with the conversation.
      const files = documentIds.length === 0 ? [] : yield* conversationFiles.list(asked)
      const shown = messagesAfter(messages, after).flatMap((message) => shownMessage(bot, message))
      return { conversationId: found.id, state, hasEmail, messages: shown, files: files.map(widgetFile) }
    })
  })
})
