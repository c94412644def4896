import { Schema } from "effect"

/** The model exists but the person's tier does not include it. */
export class ModelNotAllowed extends Schema.TaggedError<ModelNotAllowed>()("ModelNotAllowed", {
  model: Schema.String,
  tier: Schema.String,
  /** Tiers that include the model. */
  allowedTiers: Schema.Array(Schema.String)
}) {
  readonly code = "model_not_allowed"
  override get message() {
    return `The ${this.tier} tier does not include ${this.model}. Tiers that do: ${this.allowedTiers.join(", ") || "none"}.`
  }
}
