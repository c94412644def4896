import type { Tier } from "@parley/core"
import { Schema } from "effect"
import type { OpenApiDocument } from "../../server/Server.ts"
import { named, orNull, text, whole } from "../fields.ts"

/** The format that marks fields with the name of a tier, so that `withTiers` finds them. */
const TIER_FORMAT = "tier"

/** The name of a tier of the server's catalog. */
export const TierName = Schema.String.annotate({ format: TIER_FORMAT })

const isTierName = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && "format" in value && value.format === TIER_FORMAT

const written = new WeakMap<OpenApiDocument, OpenApiDocument>()

/**
 * The OpenAPI document with the server's tiers listed in each field that names a tier. It is written once for each list
 * of tiers.
 */
export const withTiers = (document: OpenApiDocument, tiers: ReadonlyArray<Tier>): OpenApiDocument => {
  const known = written.get(document)
  if (known !== undefined) return known
  const names = tiers.map(({ name }) => name)
  const named = JSON.parse(JSON.stringify(document), (_key, value: unknown) =>
    isTierName(value) ? { ...value, enum: names } : value
  ) as OpenApiDocument
  written.set(document, named)
  return named
}

/** A tier in the form of the response. */
export const TierBody = named("Tier", "A tier with its models and quotas.", {
  id: TierName.annotate({ description: "The tier's id." }),
  name: text("The name shown to people."),
  monthlyCredits: whole("The credits of each period."),
  models: Schema.Array(Schema.String).annotate({
    description: "Ids of the models it includes and this server can run, its default first."
  }),
  quotas: named("Quotas", "The limits of a tier.", {
    maxDocuments: whole("The most documents of a person."),
    maxDocumentBytes: whole("The most bytes of a person's documents together."),
    maxChatBytes: whole("The most bytes of a person's chats together."),
    maxConcurrentReplies: orNull(Schema.Int, "The most replies of a person at once; null if they are not limited.")
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
