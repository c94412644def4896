import type { Tier } from "@parley/core"
import { Schema } from "effect"
import { TierName } from "./TierName.ts"

/** A tier, as it is sent. */
export const TierBody = Schema.Struct({
  id: TierName,
  name: Schema.String,
  monthlyCredits: Schema.Int,
  models: Schema.Array(Schema.String).annotate({
    description: "Ids of the models it includes and this server can run, its default first."
  }),
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
