import { Effect, Option } from "effect"
import type { ChatModel, ChatModels } from "../models/ChatModel.ts"
import type { Model } from "../models/Model.ts"
import { UnknownTier } from "./errors.ts"
import { namesOf, type Tier, type TierName } from "./Tier.ts"

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

/** The model with this public id. */
export const findModel = (catalog: CatalogData, id: string): Model | undefined =>
  catalog.models.find((model) => model.id === id)

/** The tier that has, or had, this name; undefined if the catalog has none. */
export const findTier = (catalog: Pick<CatalogData, "tiers">, name: TierName): Tier | undefined =>
  catalog.tiers.find((tier) => tier.name === name || tier.formerly?.includes(name) === true)

/** Monthly credits by every name that an account's tier may have. */
export const allowancesOf = ({ tiers }: Pick<CatalogData, "tiers">): Readonly<Record<TierName, number>> =>
  Object.fromEntries(tiers.flatMap((tier) => namesOf(tier).map((name) => [name, tier.monthlyCredits])))

/** The tier of people who pay for none. */
export const lowestTier = ({ tiers: [lowest] }: Pick<CatalogData, "tiers">): Tier => lowest

/**
 * The rights of an account on this tier. For a tier that the catalog does not have, they are those of the lowest tier.
 * A process refuses to start with such accounts, so they occur only while other processes run with another catalog.
 */
export const tierOf = (catalog: Pick<CatalogData, "tiers">, name: TierName): Tier =>
  findTier(catalog, name) ?? lowestTier(catalog)

/** The error for a name that no tier of the catalog has. */
export const unknownTier = ({ tiers }: Pick<CatalogData, "tiers">, tier: TierName): UnknownTier =>
  new UnknownTier({ tier, tiers: tiers.map(({ name }) => name) })

/** The position of a tier in the catalog's order, from 0; -1 for an unknown name. */
export const rankOf = ({ tiers }: Pick<CatalogData, "tiers">, name: TierName): number =>
  tiers.findIndex((tier) => namesOf(tier).includes(name))

/** The tiers that include this model, from the lowest to the highest. */
export const tiersAllowing = (catalog: CatalogData, modelId: string): ReadonlyArray<TierName> =>
  catalog.tiers.filter(({ models }) => models.includes(modelId)).map(({ name }) => name)

/** Models of a tier, cheapest output first. */
export const modelsOfTier = (catalog: CatalogData, tier: TierName): ReadonlyArray<Model> =>
  catalog.models
    .filter((model) => tierOf(catalog, tier).models.includes(model.id))
    .toSorted((a, b) => a.creditsPer1kOutput - b.creditsPer1kOutput)

/**
 * The model for Parley's own small tasks: the cheapest one of the tier that a provider of this server runs; none if that is
 * a stand-in.
 */
export const cheapestModel = Effect.fnUntraced(function* (
  catalog: CatalogData,
  models: ChatModels["Service"],
  tier: TierName
): Effect.fn.Return<{ readonly model: Model; readonly provider: ChatModel } | undefined> {
  for (const model of modelsOfTier(catalog, tier)) {
    const provider = Option.getOrUndefined(yield* Effect.option(models.resolve(model)))
    if (provider !== undefined) return provider.isStandIn === true ? undefined : { model, provider }
  }
  return undefined
})

/**
 * The models that may answer instead of `model`, in the order they are tried: its fallback, the fallback's own, and so
 * on. A name that leads nowhere or back ends the list.
 */
export const fallbacksOf = (models: ReadonlyArray<Model>, model: Model): ReadonlyArray<Model> => {
  const chain = [model]
  for (;;) {
    const next = models.find(({ id }) => id === chain.at(-1)?.fallback)
    if (next === undefined || chain.includes(next)) return chain.slice(1)
    chain.push(next)
  }
}
