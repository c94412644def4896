import { Context, Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { BotName } from "./Bot.ts"

/**
 * Further work for higher domains when a bot is deleted. `leaving` runs in the unit of work that deletes the bot, and
 * returns work for the time after the commit. Nothing unless provided.
 */
export class BotFarewell extends Context.Reference<{
  leaving(bot: BotName): Effect.Effect<Effect.Effect<void>, StorageFailed>
}>("@parley/core/bots/BotFarewell", { defaultValue: () => ({ leaving: () => Effect.succeed(Effect.void) }) }) {}
