import { Effect, Schema } from "effect"
import type { Bot } from "../../bots/Bot.ts"
import { BotService } from "../../bots/BotService.ts"
import { type BotConversation, ChatRecords, ChatStore } from "../../chat/store/ChatStore.ts"
import { handledJob, jobKind, type JobTry } from "../../jobs/JobKind.ts"
import { CallGate } from "../../limits/CallGate.ts"
import { Mailer } from "../../mail/Mailer.ts"
import { ownerMail, visitorMail } from "./handoverMail.ts"

/** The messages of a visitor in a mail. */
const MAILED_MESSAGES = 3
/** The most mails to the owner about one bot in an hour; further visitors are found in the dashboard. */
const OWNER_MAILS_PER_HOUR = 20
const HOUR_MS = 3_600_000

/**
 * Sends one mail of a hand-over. The payload names the texts and contains none. A mail server that took a mail at the
 * moment at which the process died gets it again.
 */
export const SendHandoverMail = jobKind("SendHandoverMail", {
  payload: Schema.Struct({
    botId: Schema.String,
    conversationId: Schema.String,
    /** The person's answer that goes to the visitor; absent of a mail to the owner. */
    messageId: Schema.optionalKey(Schema.String),
    /** The origin of the dashboard, if it is configured. */
    site: Schema.optionalKey(Schema.String)
  }),
  // For about an hour and a half: later, the mail would help little.
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
    // A person who has the conversation needs no mail.
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
    // The visitor came back before the mail was sent.
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
