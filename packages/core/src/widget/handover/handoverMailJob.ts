import { Effect, Schema } from "effect"
import type { Bot } from "../../bots/Bot.ts"
import { BotService } from "../../bots/BotService.ts"
import { type BotConversation, ChatRecords, ChatStore } from "../../chat/store/ChatStore.ts"
import { handledJob, jobKind, type JobTry } from "../../jobs/JobKind.ts"
import { CallGate } from "../../limits/CallGate.ts"
import { Mailer } from "../../mail/Mailer.ts"
import { ownerMail, visitorMail } from "./handoverMail.ts"

/** The number of a visitor's messages in a mail. */
const MAILED_MESSAGES = 3
/** The maximum number of mails an hour to the owner about one bot; further visitors are only shown in the dashboard. */
const OWNER_MAILS_PER_HOUR = 20
const HOUR_MS = 3_600_000

/**
 * Sends one mail of a hand-over. The payload contains the ids of the texts, and no text. If the process dies just after
 * the mail server has accepted a mail, the mail is sent again.
 */
export const SendHandoverMail = jobKind("SendHandoverMail", {
  payload: Schema.Struct({
    botId: Schema.String,
    conversationId: Schema.String,
    /** The id of the answer that is mailed to the visitor; absent for a mail to the owner. */
    messageId: Schema.optionalKey(Schema.String),
    /** The origin of the dashboard, if it is configured. */
    site: Schema.optionalKey(Schema.String)
  }),
  // Tries over about an hour and a half; a later mail would not help much.
  tries: 8,
  retryDelayMs: { first: 30_000, longest: 1_800_000 },
  timeLimitMs: 60_000,
  twinKey: ({ conversationId, messageId = "" }) => `${conversationId} ${messageId}`
})
type Payload = typeof SendHandoverMail.payload.Type

const makeMails = Effect.gen(function* () {
  const chats = yield* ChatStore
  const gate = yield* CallGate

  const toOwner = Effect.fnUntraced(function* (bot: Bot, found: BotConversation, site: string | undefined) {
    const { handOverEmail: to } = bot
    // The conversation no longer waits: a person has taken it, so no mail is needed.
    if (to === null || found.handover?.state !== "waiting") return undefined
    const limits = [{ name: "handover-mails", subject: bot.id, calls: OWNER_MAILS_PER_HOUR }]
    const isRefused = yield* Effect.scoped(gate.enter({ limits, windowMs: HOUR_MS })).pipe(
      Effect.as(false),
      Effect.catchTag("CallRefused", () => Effect.succeed(true))
    )
    if (isRefused) return undefined
    const read = yield* chats.transcript({ owner: found.owner, chatId: found.id, limit: 2 * MAILED_MESSAGES })
    const messages = (read?.messages ?? []).filter(({ role }) => role === "user").slice(-MAILED_MESSAGES)
    const link = site === undefined ? undefined : `${site}/dashboard/bots/${bot.id}/conversations/${found.id}`
    return ownerMail({ to, bot, handover: found.handover, messages, link })
  })

  const toVisitor = Effect.fnUntraced(function* (bot: Bot, found: BotConversation, messageId: string) {
    const { email: to, language, seenAt } = found.handover ?? {}
    if (to === undefined || language === undefined || seenAt === undefined) return undefined
    const branch = { upTo: messageId }
    const read = yield* chats.transcript({ owner: found.owner, chatId: found.id, branch, limit: 1 })
    const [answer] = read?.messages ?? []
    // The visitor has returned before the mail was sent.
    if (answer === undefined || seenAt > answer.createdAt) return undefined
    return visitorMail({ to, bot, language, answer })
  })

  return { toOwner, toVisitor }
})

const makeSend = Effect.gen(function* () {
  const bots = yield* BotService
  const mailer = yield* Mailer
  const records = yield* ChatRecords
  const { toOwner, toVisitor } = yield* makeMails

  return Effect.fn("sendHandoverMail")(function* ({ owner, payload }: JobTry<Payload>) {
    const { botId, conversationId, messageId, site } = payload
    if (mailer === undefined) return
    const bot = yield* Effect.catchTag(bots.get(owner, botId), "BotNotFound", () => Effect.succeed(undefined))
    const found = yield* records.conversation(owner, botId, conversationId)
    if (bot === undefined || found === undefined) return
    const mail = yield* messageId === undefined ? toOwner(bot, found, site) : toVisitor(bot, found, messageId)
    if (mail !== undefined) yield* mailer.send(mail)
  })
})

/** Sends the mails of hand-overs. */
export const handoverMailing = handledJob(SendHandoverMail, makeSend)
