import { Schema } from "effect"
import { EFFORTS, OMITTABLE_PARAMETERS } from "../models/Model.ts"

const WholeFrom = (minimum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum: Number.MAX_SAFE_INTEGER }))
const Percent = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))
const Price = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

const Name = Schema.NonEmptyString.check(Schema.isMaxLength(100))

/** The name of a vendor in receipts, logs and metrics. */
const VendorName = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,49}$/))

const ModelOverride = Schema.Struct({
  displayName: Schema.optionalKey(Name),
  vendor: Schema.optionalKey(VendorName),
  vendorModel: Schema.optionalKey(Schema.NonEmptyString),
  creditsPer1kInput: Schema.optionalKey(Price),
  creditsPer1kCachedInput: Schema.optionalKey(Price),
  creditsPer1kCacheWrite: Schema.optionalKey(Price),
  creditsPer1kOutput: Schema.optionalKey(Price),
  longContext: Schema.optionalKey(
    Schema.Struct({
      aboveInputTokens: WholeFrom(1),
      creditsPer1kInput: Price,
      creditsPer1kCachedInput: Schema.optionalKey(Price),
      creditsPer1kCacheWrite: Schema.optionalKey(Price),
      creditsPer1kOutput: Price
    })
  ),
  minimumCredits: Schema.optionalKey(WholeFrom(1)),
  maxOutputTokens: Schema.optionalKey(WholeFrom(1)),
  contextTokens: Schema.optionalKey(WholeFrom(1)),
  fallback: Schema.optionalKey(Schema.NonEmptyString),
  effort: Schema.optionalKey(Schema.Literals(EFFORTS)),
  omitParameters: Schema.optionalKey(Schema.Array(Schema.Literals(OMITTABLE_PARAMETERS))),
  inputTokenFactor: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 4 }))),
  imageTokens: Schema.optionalKey(WholeFrom(0))
})

/** Not restricted here: the valid names are those of the catalog's tiers, including tiers that the same file adds. */
const TierName = Schema.NonEmptyString

const TierOverride = Schema.Struct({
  displayName: Schema.optionalKey(Name),
  formerly: Schema.optionalKey(Schema.Array(TierName)),
  monthlyCredits: Schema.optionalKey(WholeFrom(0)),
  models: Schema.optionalKey(Schema.Array(Schema.NonEmptyString).check(Schema.isMinLength(1))),
  maxDocuments: Schema.optionalKey(WholeFrom(0)),
  maxDocumentBytes: Schema.optionalKey(WholeFrom(0)),
  maxChatBytes: Schema.optionalKey(WholeFrom(0)),
  maxConcurrentReplies: Schema.optionalKey(WholeFrom(1)),
  abandonedTriesPerMinute: Schema.optionalKey(WholeFrom(1))
})

/** The schema of the configuration file: any part of the catalog. */
export const CatalogOverrides = Schema.Struct({
  /** True: none of the shipped tiers, models and prices is used, so the configuration contains everything on sale. */
  replace: Schema.optionalKey(Schema.Boolean),
  tiers: Schema.optionalKey(Schema.Record(TierName, TierOverride)),
  /** The names of all tiers, from the lowest to the highest. */
  tierOrder: Schema.optionalKey(Schema.Array(TierName).check(Schema.isMinLength(1))),
  models: Schema.optionalKey(Schema.Record(Schema.NonEmptyString, ModelOverride)),
  prices: Schema.optionalKey(
    Schema.Record(
      Schema.NonEmptyString,
      Schema.Union([Schema.Struct({ tier: TierName }), Schema.Struct({ topup: WholeFrom(1) })])
    )
  ),
  widget: Schema.optionalKey(
    Schema.Struct({
      perIpPerMinute: Schema.optionalKey(WholeFrom(1)),
      perConversationPerMinute: Schema.optionalKey(WholeFrom(1)),
      perBotPerMinute: Schema.optionalKey(WholeFrom(1)),
      readsPerIpPerMinute: Schema.optionalKey(WholeFrom(1)),
      streamsPerIp: Schema.optionalKey(WholeFrom(1)),
      streamsPerBot: Schema.optionalKey(WholeFrom(1)),
      maxMessageCharacters: Schema.optionalKey(WholeFrom(1)),
      ownerDailyCredits: Schema.optionalKey(WholeFrom(0)),
      botDailyPercent: Schema.optionalKey(Percent),
      addressDailyPercent: Schema.optionalKey(Percent),
      maxReplyTokens: Schema.optionalKey(WholeFrom(1)),
      messagesBeforeChallenge: Schema.optionalKey(WholeFrom(0))
    })
  )
})
export type CatalogOverrides = typeof CatalogOverrides.Type
