import { Effect } from "effect"
import type { Bot } from "../../bots/Bot.ts"
import { ChatQuota } from "../../chat/limits/chatLimits.ts"
import { type HandoverLanguage, type HandoverState } from "../../chat/store/Handover.ts"
import { Handovers } from "../../chat/store/Handovers.ts"
import { type VisitorOwner, storedBytes } from "../../chat/store/StoredChat.ts"
import { titleOf } from "../../chat/titles/ChatTitles.ts"
import { Accounts } from "../../credits/Accounts.ts"
import { JobQueue } from "../../jobs/JobQueue.ts"
import { IdGenerator } from "../../storage/storedForms.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { Catalog } from "../../tiers/Catalog.ts"
import { tierOf } from "../../tiers/CatalogData.ts"
import { ConversationNotFound } from "../botErrors.ts"
import { SendHandoverMail } from "./handoverMailJob.ts"

/** Makes a check that a message without a reply fits into the owner's quota for conversations. */
export const makeCheckRoom = Effect.gen(function* () {
  const accounts = yield* Accounts
  const catalog = yield* Catalog
  const quota = yield* ChatQuota
  return (owner: VisitorOwner, content: string) =>
    accounts.prepare(owner.botOwner, ({ tier }) =>
      quota.check({ owner, tier: tierOf(catalog, tier), bytes: storedBytes(content) })
    )
})

/**
 * Makes a function that stores a visitor's message for a person, if a person answers the conversation or is asked for;
 * it returns undefined if the bot answers.
 */
export const makeSayToPerson = Effect.gen(function* () {
  const checkRoom = yield* makeCheckRoom
  const handovers = yield* Handovers
  return Effect.fnUntraced(function* (bot: Bot, owner: VisitorOwner, chatId: string | undefined, content: string) {
    if (!bot.handOver || chatId === undefined) return undefined
    const found = yield* handovers.look({ owner, chatId })
    if (found === undefined || found.handover.state === "solved") return undefined
    yield* checkRoom(owner, content)
    // The state may have changed since the check above; this call decides.
    return yield* handovers.say({ owner, chatId, content, title: titleOf([{ role: "user", content }]) })
  })
})

/**
 * Returns the address of a page without the parts that may identify a person; undefined if the text is not an address.
 */
export const pageOf = (text: string | undefined): string | undefined => {
  const url = text === undefined ? null : URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return undefined
  const page = `${url.origin}${url.pathname}`
  return page.length <= MAX_PAGE ? page : url.origin
}
const MAX_PAGE = 1_000

export interface AskedForPerson {
  readonly bot: Bot
  readonly owner: VisitorOwner
  /** The id of the conversation; undefined if a new one begins. */
  readonly chatId: string | undefined
  readonly email: string | undefined
  readonly page: string | undefined
  readonly language: HandoverLanguage
  /** The origin of the dashboard, if it is configured. */
  readonly site: string | undefined
}

/** Makes a function that lets a visitor wait for a person and queues the owner's mail, in one commit. */
export const makeAskForPerson = Effect.gen(function* () {
  const handovers = yield* Handovers
  const ids = yield* IdGenerator
  const jobs = yield* JobQueue
  const unitOfWork = yield* UnitOfWork
  return Effect.fnUntraced(function* ({ bot, chatId, owner, page, site, ...asked }: AskedForPerson) {
    const id = chatId?.toLowerCase() ?? (yield* ids.next)
    const asking = { ...asked, owner, chatId: id, continues: chatId !== undefined, page: pageOf(page) }
    const payload = { botId: bot.id, conversationId: id, ...(site === undefined ? {} : { site }) }
    const found = yield* unitOfWork.run(
      bot.owner,
      Effect.tap(handovers.ask(asking), (answer) =>
        answer?.isNew === true && bot.handOverEmail !== null
          ? jobs.enqueue(bot.owner, SendHandoverMail, payload)
          : Effect.void
      )
    )
    if (found === undefined) return yield* new ConversationNotFound()
    const state: HandoverState = found.handover.state
    return { conversationId: id, state, email: found.handover.email }
  })
})
