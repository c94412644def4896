import { Effect } from "effect"
import type { Bot } from "../bots/Bot.ts"
import type { VisitorOwner } from "../chat/store/StoredChat.ts"
import { hexDigest } from "./hexDigest.ts"

/**
 * The owner key of a visitor's conversations with a bot. A visitor proves their identity by an id of their own choice,
 * so a person who read it could continue the conversation. It is therefore stored as a digest with the bot's id, which
 * does not reveal the visitor to a bot's owner, to a reader of the database, or to another bot's owner.
 */
export const visitorOwner = (bot: Bot, visitorId: string): Effect.Effect<VisitorOwner> =>
  Effect.map(hexDigest([bot.id, visitorId]), (visitor) => ({ visitor, bot: bot.id, botOwner: bot.owner }))
