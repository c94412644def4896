import { Effect } from "effect"
import type { Bot } from "../bots/Bot.ts"
import { BotStore } from "../bots/BotStore.ts"
import { ChatStore } from "../chat/store/ChatStore.ts"
import type { VisitorOwner } from "../chat/store/StoredChat.ts"
import { failureFields } from "../storage/failureFields.ts"
import { retryStorage } from "../storage/retryStorage.ts"
import { hexDigest } from "./hexDigest.ts"

/**
 * Returns the owner key of a visitor's conversations with a bot. A visitor is identified only by an id that the
 * visitor's browser has chosen, so a person who read this id could continue the conversation. It is therefore stored as
 * a digest together with the bot's id, which does not reveal the id to a bot's owner, to a reader of the database, or
 * to another bot's owner.
 */
export const visitorOwner = (bot: Bot, visitorId: string): Effect.Effect<VisitorOwner> =>
  Effect.map(hexDigest([bot.id, visitorId]), (visitor) => ({ visitor, bot: bot.id, botOwner: bot.owner }))

const LEFT = "A conversation that began while its bot was deleted could not be deleted."

/**
 * Returns a function that deletes a new conversation if its bot was deleted meanwhile, because the bot's owner could
 * neither see nor delete it. The function never fails.
 */
export const makeLeaveDeletedBot = Effect.gen(function* () {
  const bots = yield* BotStore
  const chats = yield* ChatStore
  return ({ bot: botId, botOwner: owner, visitor }: VisitorOwner, chatId: string): Effect.Effect<void> =>
    retryStorage(bots.find({ owner, botId })).pipe(
      Effect.flatMap((bot) =>
        bot === undefined ? retryStorage(chats.remove({ bot: botId, botOwner: owner, visitor }, chatId)) : Effect.void
      ),
      Effect.catch((failed) => Effect.annotateLogs(Effect.logWarning(LEFT), failureFields(failed))),
      Effect.asVoid
    )
})
