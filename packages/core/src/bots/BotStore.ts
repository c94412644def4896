import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { Bot, BotKey, BotName, BotSettings } from "./Bot.ts"

/** A bot as it was found: its settings are checked again by its reader. */
export interface StoredBot extends Omit<Bot, keyof BotSettings> {
  readonly settings: unknown
}

/** How adding a key went. */
export type KeyAdded = "Added" | "Full" | "NoBot"

/** How retiring a key went. */
export type KeyRetired = "Retired" | "Last" | "NoKey" | "NoBot"

/**
 * The list of bots. Every method but `findByKey` is fenced by the owner: another owner's bot is as one that does not
 * exist. A bot has only documents of its owner; one that is removed, then or later, is not among its documents any more.
 */
export class BotStore extends Context.Service<
  BotStore,
  {
    /** Adds a bot with its keys unless the owner has `most`; concurrent insertions cannot exceed it. True where it did. */
    insert(bot: Bot, most: number): Effect.Effect<boolean, StorageFailed>
    /** Changes these settings and leaves the others; true where there is such a bot. */
    update(name: BotName, change: Partial<BotSettings>, updatedAt: number): Effect.Effect<boolean, StorageFailed>
    find(name: BotName): Effect.Effect<StoredBot | undefined, StorageFailed>
    /** A person's bots, newest first. */
    list(owner: UserId): Effect.Effect<ReadonlyArray<StoredBot>, StorageFailed>
    /** Removes a bot with its keys; true where there was one. */
    remove(name: BotName): Effect.Effect<boolean, StorageFailed>
    /** Adds a key unless the bot has `most`. */
    addKey(name: BotName, key: BotKey, most: number): Effect.Effect<KeyAdded, StorageFailed>
    /** Removes a key, but never the last one, also where two are retired at once. */
    retireKey(name: BotName, publicKey: string): Effect.Effect<KeyRetired, StorageFailed>
    /**
     * The bot with this key, whoever owns it: who asks is a visitor. The one question here that names no owner, and so the
     * one that a database sharded by owner asks of every shard.
     */
    findByKey(publicKey: string): Effect.Effect<StoredBot | undefined, StorageFailed>
  }
>()("@parley/core/bots/BotStore") {}
