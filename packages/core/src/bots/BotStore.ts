import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { Bot, BotKey, BotName, BotSettings } from "./Bot.ts"

/** A bot as it was found: its settings are checked again by its reader. */
export interface StoredBot extends Omit<Bot, keyof BotSettings> {
  readonly settings: object
}

/** The result of adding a key. */
export type KeyAdded = "Added" | "Full" | "NoBot"

/** The result of retiring a key. */
export type KeyRetired = "Retired" | "Last" | "NoKey" | "NoBot"

/**
 * The bots of their owners. Every method is fenced by the owner: for another owner, a bot does not exist. A bot has only
 * documents of its owner; a document that is removed, then or later, is no longer among its documents.
 */
export class BotStore extends Context.Service<
  BotStore,
  {
    /**
     * Adds a bot with its keys unless the owner has `most`; concurrent insertions cannot exceed it. Returns true if it
     * was added.
     */
    insert(bot: Bot, most: number): Effect.Effect<boolean, StorageFailed>
    /** Changes these settings and leaves the others; returns true if the bot exists. */
    update(name: BotName, change: Partial<BotSettings>, updatedAt: number): Effect.Effect<boolean, StorageFailed>
    find(name: BotName): Effect.Effect<StoredBot | undefined, StorageFailed>
    /** A person's bots, newest first. */
    list(owner: UserId): Effect.Effect<ReadonlyArray<StoredBot>, StorageFailed>
    /** Removes a bot with its keys; returns true if it existed. */
    remove(name: BotName): Effect.Effect<boolean, StorageFailed>
    /** Adds a key unless the bot has `most`. */
    addKey(name: BotName, key: BotKey, most: number): Effect.Effect<KeyAdded, StorageFailed>
    /** Removes a key, but never the last one, even if two are retired at once. */
    retireKey(name: BotName, publicKey: string): Effect.Effect<KeyRetired, StorageFailed>
  }
>()("@parley/core/bots/BotStore") {}

/** The bots of all owners by their public keys, for visitors. */
export class PublishedBots extends Context.Service<
  PublishedBots,
  {
    /**
     * The bot with this key. The query does not name the owner, so a database sharded by owner sends it to every shard.
     */
    findByKey(publicKey: string): Effect.Effect<StoredBot | undefined, StorageFailed>
  }
>()("@parley/core/bots/PublishedBots") {}
