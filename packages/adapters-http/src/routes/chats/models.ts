import { ModelOffers } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { defineRoute } from "../Route.ts"
import { TierName } from "../billing/tiers.ts"

/** Credits per 1,000 tokens. */
const TokenRates = {
  creditsPer1kInput: Schema.Finite,
  creditsPer1kCachedInput: Schema.Finite,
  creditsPer1kCacheWrite: Schema.Finite,
  creditsPer1kOutput: Schema.Finite
}

const ModelBody = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  ...TokenRates,
  longContext: Schema.NullOr(Schema.Struct({ aboveInputTokens: Schema.Int, ...TokenRates })),
  minimumCredits: Schema.Int,
  maxOutputTokens: Schema.Int,
  allowed: Schema.Boolean,
  allowedTiers: Schema.Array(TierName),
  available: Schema.Boolean,
  answeredBy: Schema.NullOr(Schema.String)
})

const ModelsBody = Schema.Struct({ tier: TierName, models: Schema.Array(ModelBody) })

/** The models of a person's tier. */
export const listModels = defineRoute({
  method: "GET",
  path: "/api/models",
  summary: "Lists the models with their prices, the default first, and which of them your tier includes",
  access: sessionAccess,
  responses: { 200: { description: "The models.", schema: ModelsBody } },
  errors: ["unauthorized", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller }) {
    const tiers = yield* ModelOffers
    const { tier, models } = yield* tiers.models(caller.userId)
    const body: typeof ModelsBody.Type = {
      tier,
      models: models.map(({ price, answeredBy, displayName, ...model }) => ({
        ...model,
        name: displayName,
        longContext: null,
        ...price,
        answeredBy: answeredBy ?? null
      }))
    }
    return json(200, body)
  })
})
