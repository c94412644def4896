import { Effect } from "effect"
import type { Bot } from "../bots/Bot.ts"
import { BotStore } from "../bots/BotStore.ts"
import { ChatStore } from "../chat/store/ChatStore.ts"
import type { VisitorOwner } from "../chat/store/StoredChat.ts"
import { failureFields } from "../storage/failureFields.ts"
import { retryStorage } from "../storage/retryStorage.ts"
import { hexDigest } from "./hexDigest.ts"

/**
 * The owner key of a visitor's conversations with a bot. A visitor proves their identity by an id of their own choice,
 * so a person who read it could continue the conversation. It is therefore stored as a digest with the bot's id, which
 * does not reveal the visitor to a bot's owner, to a reader of the database, or to another bot's owner.
 */
export const visitorOwner = (bot: Bot, visitorId: string): Effect.Effect<VisitorOwner> =>
  Effect.map(hexDigest([bot.id, visitorId]), (visitor) => ({ visitor, bot: bot.id, botOwner: bot.owner }))

const LEFT = "A conversation that began while its bot was deleted could not be deleted."

/**
 * Returns a function for a conversation that has begun: deletes it if its bot was deleted meanwhile, because the bot's owner
 * could neither see nor delete it. Never fails.
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
