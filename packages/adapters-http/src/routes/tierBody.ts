import { type Tier, TIER_NAMES } from "@parley/core"
import { Schema } from "effect"

/** What a tier gives, as it is sent. */
export const TierBody = Schema.Struct({
  id: Schema.Literals(TIER_NAMES),
  name: Schema.String,
  monthlyCredits: Schema.Int,
  models: Schema.Array(Schema.String).annotate({ description: "Ids of the models it includes, its default first." }),
  quotas: Schema.Struct({
    maxDocuments: Schema.Int,
    maxDocumentBytes: Schema.Int,
    maxChatBytes: Schema.Int,
    maxConcurrentReplies: Schema.NullOr(Schema.Int)
  })
})

export const tierBody = (tier: Tier): typeof TierBody.Type => ({
  id: tier.name,
  name: tier.displayName,
  monthlyCredits: tier.monthlyCredits,
  models: tier.models,
  quotas: {
    maxDocuments: tier.maxDocuments,
    maxDocumentBytes: tier.maxDocumentBytes,
    maxChatBytes: tier.maxChatBytes,
    maxConcurrentReplies: tier.maxConcurrentReplies ?? null
  }
})
