import type { Model } from "../models/Model.ts"
import type { Tier, TierName } from "./Tier.ts"

/** The purchase behind a payment provider's price id: a tier, or a number of top-up credits. */
export type Purchase = { readonly tier: TierName } | { readonly topup: number }

/** Limits of the public widget. Each of them holds for all server processes together. */
export interface WidgetLimits {
  /** Messages from one address; of IPv6, from one network of 64 bits. */
  readonly perIpPerMinute: number
  readonly perConversationPerMinute: number
  readonly perBotPerMinute: number
  /** Conversations that one address may load. */
  readonly readsPerIpPerMinute: number
  /** Replies that are written to one address at once. */
  readonly streamsPerIp: number
  /** Replies that a bot writes at once. */
  readonly streamsPerBot: number
  /** Unicode characters of a visitor's message. */
  readonly maxMessageCharacters: number
  /** Credits that all bots of an owner may take on one UTC day. */
  readonly ownerDailyCredits: number
  /** The part of `ownerDailyCredits` that one bot may spend, in percent. */
  readonly botDailyPercent: number
  /** The part of the owner's day, and of the bot's, that the visitors of one address may spend, in percent. */
  readonly addressDailyPercent: number
  /** The most tokens of a reply to a visitor. */
  readonly maxReplyTokens: number
  /**
   * Messages that one address, or one conversation, may send in an hour until each further one needs a solved challenge.
   * Without a challenge (`VisitorChallenge`) nothing is asked for.
   */
  readonly messagesBeforeChallenge: number
}

/** Everything on sale: tiers, models with prices, purchasable prices, widget limits. */
export interface CatalogData {
  /** From the lowest, which people begin with and come back to once they pay for none, to the highest. */
  readonly tiers: readonly [Tier, ...ReadonlyArray<Tier>]
  readonly models: ReadonlyArray<Model>
  readonly prices: Readonly<Record<string, Purchase>>
  readonly widget: WidgetLimits
}
