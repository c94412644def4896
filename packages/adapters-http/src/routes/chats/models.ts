import { ModelOffers } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { decimal, flag, listOf, named, orNull, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { TierName } from "../billing/tiers.ts"

/** Credits per 1,000 tokens. */
const TokenRates = {
  creditsPer1kInput: decimal("The price of 1,000 input tokens, in credits."),
  creditsPer1kCachedInput: decimal("The price of 1,000 input tokens that the provider's cache holds, in credits."),
  creditsPer1kCacheWrite: decimal(
    "The price of 1,000 input tokens that are written to the provider's cache, in credits."
  ),
  creditsPer1kOutput: decimal("The price of 1,000 output tokens, in credits.")
}

const LongContextBody = named("LongContextPrice", "The prices of requests with many input tokens.", {
  aboveInputTokens: whole("These prices count for requests with more input tokens than this."),
  ...TokenRates
})

const ModelBody = named("Model", "A model with its prices.", {
  id: text("The model's id, as `modelId` of a chat request takes it."),
  name: text("The name shown to people."),
  ...TokenRates,
  longContext: orNull(LongContextBody, "Other prices for long requests; null if there are none."),
  minimumCredits: whole("The least price of a reply, in credits."),
  maxOutputTokens: whole("The most output tokens of a reply."),
  seesImages: flag("True if it sees the images of messages."),
  allowed: flag("True if your tier includes it."),
  allowedTiers: listOf(TierName, "The tiers that include it."),
  default: flag("True for the model that answers your requests that name none."),
  available: flag("True if this server can run it."),
  answeredBy: orNull(Schema.String, "The stand-in that answers for the model on this server; null if the model does.")
})

const ModelsBody = named("ModelList", "The models.", {
  tier: TierName.annotate({ description: "Your tier." }),
  models: listOf(ModelBody, "The models, the default first.")
})

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
