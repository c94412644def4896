import { Effect, Option } from "effect"
import { ChatModels } from "../models/ChatModel.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { modelsOfTier } from "../tiers/CatalogData.ts"
import type { TierName } from "../tiers/Tier.ts"

/**
 * Returns a function that chooses the model for Parley's own small tasks: the cheapest one of the tier that a provider of
 * this server runs; none if that is a stand-in.
 */
export const makeCheapestModel = Effect.gen(function* () {
  const catalog = yield* Catalog
  const models = yield* ChatModels
  return Effect.fnUntraced(function* (tier: TierName) {
    for (const model of modelsOfTier(catalog, tier)) {
      const provider = Option.getOrUndefined(yield* Effect.option(models.resolve(model)))
      if (provider !== undefined) return provider.isStandIn === true ? undefined : { model, provider }
    }
    return undefined
  })
})
