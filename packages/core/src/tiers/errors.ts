import { Schema } from "effect"

/** The model exists but the person's tier does not include it. */
export class ModelNotAllowed extends Schema.TaggedError<ModelNotAllowed>()("ModelNotAllowed", {
  model: Schema.String,
  tier: Schema.String,
  /** Tiers that include the model. */
  allowedTiers: Schema.Array(Schema.String),
  /** What people call them; their ids where not given. */
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
