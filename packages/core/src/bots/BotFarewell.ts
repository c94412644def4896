import { Context, Effect } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { BotName } from "./Bot.ts"

/**
 * What else is to be done about a bot that is deleted, by domains above this one. `leaving` is part of the unit of work
 * that deletes it, and gives what is to follow once that is done. Nothing, unless it is provided.
 */
export class BotFarewell extends Context.Reference<{
  leaving(bot: BotName): Effect.Effect<Effect.Effect<void>, StorageFailed>
}>("@parley/core/bots/BotFarewell", { defaultValue: () => ({ leaving: () => Effect.succeed(Effect.void) }) }) {}
