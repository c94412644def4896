import { Schema } from "effect"
import { countOf } from "../storage/spokenNumbers.ts"

/** The model exists but the person's tier does not include it. */
export class ModelNotAllowed extends Schema.TaggedError<ModelNotAllowed>()("ModelNotAllowed", {
  model: Schema.String,
  tier: Schema.String,
  /** The tiers that include the model. */
  allowedTiers: Schema.Array(Schema.String),
  /** The display names; the ids unless given. */
  modelName: Schema.optionalKey(Schema.String),
  tierName: Schema.optionalKey(Schema.String),
  allowedTierNames: Schema.optionalKey(Schema.Array(Schema.String))
}) {
  readonly code = "model_not_allowed"
  override get message() {
    const names = this.allowedTierNames ?? this.allowedTiers
    const other =
      names.length === 0 ? "Choose another model." : `Choose another model, or one of these plans: ${names.join(", ")}.`
    return `The plan ${this.tierName ?? this.tier} does not include ${this.modelName ?? this.model}. ${other}`
  }
}

/** The catalog has no tier with this name. */
export class UnknownTier extends Schema.TaggedError<UnknownTier>()("UnknownTier", {
  tier: Schema.String,
  /** The names of all tiers, from the lowest to the highest. */
  tiers: Schema.Array(Schema.String)
}) {
  readonly code = "unknown_tier"
  override get message() {
    return `There is no tier ${JSON.stringify(this.tier.slice(0, 100))}. There are: ${this.tiers.join(", ")}.`
  }
}

/**
 * Accounts are on tiers that the catalog does not have. Parley cannot know what the owners of these accounts have paid
 * for, so it neither grants nor charges anything.
 */
export class TiersMissing extends Schema.TaggedError<TiersMissing>()("TiersMissing", {
  /** The number of accounts on each missing tier, which they have now or will have from their next period on. */
  missing: Schema.Array(Schema.Struct({ tier: Schema.String, accounts: Schema.Int })),
  /** The names of all tiers, from the lowest to the highest. */
  tiers: Schema.Array(Schema.String)
}) {
  readonly code = "tiers_missing"
  override get message() {
    const found = this.missing.map(({ accounts, tier }) => `${countOf(accounts, "account")} on ${JSON.stringify(tier)}`)
    return (
      `The catalog has no more the tiers of some accounts: ${found.join(", ")}; it has ${this.tiers.join(", ")}. ` +
      'Put each back into the configuration (a tier without a price is sold to nobody), or name it as what another tier was called: "tiers": { "<tier>": { "formerly": ["<missing>"] } }.'
    )
  }
}
