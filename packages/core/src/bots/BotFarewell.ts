import { Context, Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { BotName } from "./Bot.ts"

/**
 * Further work of higher domains when a bot is deleted. `leaving` is part of the unit of work that deletes it, and
 * returns work to do after the commit. Default: nothing.
 */
export class BotFarewell extends Context.Reference<{
  leaving(bot: BotName): Effect.Effect<Effect.Effect<void>, StorageFailed>
}>("@parley/core/bots/BotFarewell", { defaultValue: () => ({ leaving: () => Effect.succeed(Effect.void) }) }) {}
