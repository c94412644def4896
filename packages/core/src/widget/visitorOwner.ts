import { Effect } from "effect"
import type { Bot } from "../bots/Bot.ts"
import type { VisitorOwner } from "../chat/store/StoredChat.ts"
import { hexDigest } from "./hexDigest.ts"

/**
 * Whose the conversations of a visitor with a bot are. A visitor proves who they are by an id of their own choice, so that
 * a reader of it could go on in their place: it is kept as a digest with the bot's id, which tells neither a bot's
 * owner, nor who gets to see the database, nor another bot's owner who the visitor is.
 */
export const visitorOwner = (bot: Bot, visitorId: string): Effect.Effect<VisitorOwner> =>
  Effect.map(hexDigest([bot.id, visitorId]), (visitor) => ({ visitor, bot: bot.id, botOwner: bot.owner }))
