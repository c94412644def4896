import { Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { botFields, CanonicalColor, CanonicalSite, sitesOf } from "./botFields.ts"

/** What its owner decides about a bot. */
export const BotSettings = Schema.Struct({
  ...botFields,
  primaryColor: CanonicalColor,
  allowedSites: sitesOf(CanonicalSite)
})
export type BotSettings = typeof BotSettings.Type

/** What addresses a bot in public. A bot may have several, so that one can take another's place while both work. */
export interface BotKey {
  /** `pk_` and 160 random bits. */
  readonly publicKey: string
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** An assistant that answers the visitors of sites, over its owner's documents and at the owner's expense. */
export interface Bot extends BotSettings {
  readonly id: string
  readonly owner: UserId
  /** Oldest first; one at least. */
  readonly keys: ReadonlyArray<BotKey>
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Unix milliseconds. */
  readonly updatedAt: number
}

/** Which bot, and whose: every store keeps bots by their owner, and finds them by both. */
export interface BotName {
  readonly owner: UserId
  readonly botId: string
}
