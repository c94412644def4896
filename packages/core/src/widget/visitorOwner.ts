import { Effect } from "effect"
import type { Bot } from "../bots/Bot.ts"
import type { VisitorOwner } from "../chat/ConversationOwner.ts"

const utf8 = new TextEncoder()

/**
 * Whose the conversations of a visitor with a bot are. A visitor proves who they are by an id of their own choice, so that
 * a reader of it could go on in their place: it is kept as a digest with the bot's id, which tells neither a bot's
 * owner, nor who gets to see the database, nor another bot's owner who the visitor is.
 */
export const visitorOwner = (bot: Bot, visitorId: string): Effect.Effect<VisitorOwner> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", utf8.encode(JSON.stringify([bot.id, visitorId])))),
    (digest) => ({
      visitor: Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join(""),
      bot: bot.id,
      botOwner: bot.owner
    })
  )
