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

/** A site whose pages asked for the chat of a bot. */
export interface SeenSite {
  /** An origin, such as `https://example.com`. */
  readonly site: string
  /** False if the bot's settings did not allow it. */
  readonly isAllowed: boolean
  /** Unix milliseconds, by the store's clock. */
  readonly seenAt: number
}

/** The most sites of a bot that a store keeps, of those that are allowed and of the others: the last ones seen. */
export const MAX_SEEN_SITES = 20

/** The bots of all owners by their public keys, for visitors, and the sites that show them. */
export class PublishedBots extends Context.Service<
  PublishedBots,
  {
    /**
     * The bot with this key. The query does not name the owner: a store over several databases looks the owner up first.
     * A bot that is `held` is not deleted before the unit of work ends; its settings may change.
     */
    findByKey(publicKey: string, held?: "held"): Effect.Effect<StoredBot | undefined, StorageFailed>
    /** Notes that a page of a site asks for the chat now. Does nothing if the bot is gone. */
    noteSite(name: BotName, seen: Omit<SeenSite, "seenAt">): Effect.Effect<void, StorageFailed>
    /** The sites of a bot, the last one seen first. */
    sites(name: BotName): Effect.Effect<ReadonlyArray<SeenSite>, StorageFailed>
  }
>()("@parley/core/bots/PublishedBots") {}
