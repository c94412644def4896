/** Who runs a model. */
export const VENDORS = ["openai", "anthropic"] as const
export type Vendor = (typeof VENDORS)[number]

/** Prices in credits per 1,000 tokens, zero or more, and the least a reply costs, one or more. */
export interface ModelPrice {
  readonly creditsPer1kInput: number
  readonly creditsPer1kCachedInput: number
  readonly creditsPer1kOutput: number
  readonly minimumCredits: number
}

/** A model that people can choose. */
export interface Model extends ModelPrice {
  /** The public id. */
  readonly id: string
  readonly vendor: Vendor
  /** The vendor's own name of the model behind the id. */
  readonly vendorModel: string
  /** The most tokens one reply may have. */
  readonly maxOutputTokens: number
  /** Tokens of prompt and reply together that the model can take. */
  readonly contextTokens: number
}

/** The price part of a model. */
export const modelPrice = (model: Model): ModelPrice => ({
  creditsPer1kInput: model.creditsPer1kInput,
  creditsPer1kCachedInput: model.creditsPer1kCachedInput,
  creditsPer1kOutput: model.creditsPer1kOutput,
  minimumCredits: model.minimumCredits
})
