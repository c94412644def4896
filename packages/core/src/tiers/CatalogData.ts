import { Effect, Option } from "effect"
import type { ChatModel, ChatModels } from "../models/ChatModel.ts"
import type { Model } from "../models/Model.ts"
import { UnknownTier } from "./errors.ts"
import { namesOf, type Tier, type TierName } from "./Tier.ts"

/** The thing that a price id of the payment provider buys: a tier, or a number of top-up credits. */
export type Purchase = { readonly tier: TierName } | { readonly topup: number }

/** The limits of the public widget. Each applies to all server processes together. */
export interface WidgetLimits {
  /** The maximum number of messages a minute from one address; for IPv6, from one network of 64 bits. */
  readonly perIpPerMinute: number
  readonly perConversationPerMinute: number
  readonly perBotPerMinute: number
  /** The maximum number of conversations a minute that one address may load. */
  readonly readsPerIpPerMinute: number
  /** The maximum number of replies that are written for one address at the same time. */
  readonly streamsPerIp: number
  /** The maximum number of replies that a bot writes at the same time. */
  readonly streamsPerBot: number
  /** The maximum number of Unicode characters of a visitor's message. */
  readonly maxMessageCharacters: number
  /** The maximum number of credits that all bots of an owner may spend on one UTC day. */
  readonly ownerDailyCredits: number
  /** The percentage of `ownerDailyCredits` that one bot may spend. */
  readonly botDailyPercent: number
  /** The percentage of the owner's daily credits, and of the bot's, that visitors of one address may spend. */
  readonly addressDailyPercent: number
  /** The maximum number of tokens of a reply to a visitor. */
  readonly maxReplyTokens: number
  /**
   * The number of messages that one address, or one conversation, may send in an hour; each further message needs a
   * solved challenge. Without a challenge (`VisitorChallenge`) this has no effect.
   */
  readonly messagesBeforeChallenge: number
}

/** Everything on sale: tiers, models with prices, purchasable prices, widget limits. */
export interface CatalogData {
  /**
   * The tiers from the lowest to the highest. People begin with the lowest tier, and return to it when they no longer
   * pay for another.
   */
  readonly tiers: readonly [Tier, ...ReadonlyArray<Tier>]
  readonly models: ReadonlyArray<Model>
  readonly prices: Readonly<Record<string, Purchase>>
  readonly widget: WidgetLimits
}

/** Returns the model with this public id. */
export const findModel = (catalog: CatalogData, id: string): Model | undefined =>
  catalog.models.find((model) => model.id === id)

/** Returns the tier that has, or had, this name; undefined if the catalog has none. */
export const findTier = (catalog: Pick<CatalogData, "tiers">, name: TierName): Tier | undefined =>
  catalog.tiers.find((tier) => tier.name === name || tier.formerly?.includes(name) === true)

/** The monthly credits of tiers, under every name that an account's tier may have. */
export const allowancesOf = ({ tiers }: Pick<CatalogData, "tiers">): Readonly<Record<TierName, number>> =>
  Object.fromEntries(tiers.flatMap((tier) => namesOf(tier).map((name) => [name, tier.monthlyCredits])))

/** Returns the tier of people who pay for none. */
export const lowestTier = ({ tiers: [lowest] }: Pick<CatalogData, "tiers">): Tier => lowest

/**
 * Returns the tier whose rights an account has. If the catalog does not have the account's tier, this is the lowest
 * tier. A process does not start with such accounts, so they occur only while other processes run with another catalog.
 */
export const tierOf = (catalog: Pick<CatalogData, "tiers">, name: TierName): Tier =>
  findTier(catalog, name) ?? lowestTier(catalog)

/** Returns the error for a name that no tier of the catalog has. */
export const unknownTier = ({ tiers }: Pick<CatalogData, "tiers">, tier: TierName): UnknownTier =>
  new UnknownTier({ tier, tiers: tiers.map(({ name }) => name) })

/** Returns the position of a tier in the catalog's order, from 0; -1 for an unknown name. */
export const rankOf = ({ tiers }: Pick<CatalogData, "tiers">, name: TierName): number =>
  tiers.findIndex((tier) => namesOf(tier).includes(name))

/** Returns the tiers that include this model, from the lowest to the highest. */
export const tiersAllowing = (catalog: CatalogData, modelId: string): ReadonlyArray<TierName> =>
  catalog.tiers.filter(({ models }) => models.includes(modelId)).map(({ name }) => name)

/** Returns the models of a tier; those with the cheapest output first. */
export const modelsOfTier = (catalog: CatalogData, tier: TierName): ReadonlyArray<Model> =>
  catalog.models
    .filter((model) => tierOf(catalog, tier).models.includes(model.id))
    .toSorted((a, b) => a.creditsPer1kOutput - b.creditsPer1kOutput)

/**
 * Returns the model for Parley's own small tasks: the cheapest model of the tier that this server can run; undefined if
 * that is a stand-in.
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
 * Returns the models that may answer instead of `model`, in the order in which they are tried: its fallback, that
 * model's fallback, and so on. The list ends at a name that is unknown or was listed before.
 */
export const fallbacksOf = (models: ReadonlyArray<Model>, model: Model): ReadonlyArray<Model> => {
  const chain = [model]
  for (;;) {
    const next = models.find(({ id }) => id === chain.at(-1)?.fallback)
    if (next === undefined || chain.includes(next)) return chain.slice(1)
    chain.push(next)
  }
}
