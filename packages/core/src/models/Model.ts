/** Those who run the models that ship. A model may name any other, which the application then asks itself. */
export const VENDORS = ["openai", "anthropic"] as const
export type Vendor = (typeof VENDORS)[number]

/** Prices in credits per 1,000 tokens, zero or more. */
export interface TokenRates {
  /** Input that is neither read from nor written to the vendor's cache. */
  readonly creditsPer1kInput: number
  /** Input that the vendor reads from its cache; at most what fresh input costs. */
  readonly creditsPer1kCachedInput: number
  /** Input that the vendor writes to its cache, which some charge more for than for fresh input. */
  readonly creditsPer1kCacheWrite: number
  readonly creditsPer1kOutput: number
}

/** The rates of the whole request, input and output, where its input counts more than `aboveInputTokens` tokens. */
export interface LongContextRates extends TokenRates {
  readonly aboveInputTokens: number
}

/** What a model's tokens cost, and the least a reply costs, one credit or more. */
export interface ModelPrice extends TokenRates {
  readonly minimumCredits: number
  /** Each at least the rate it replaces, so that a longer prompt never costs less. */
  readonly longContext?: LongContextRates
}

/** How much a model may think before it answers. Vendors count it as output; not every model knows every word. */
export const EFFORTS = ["none", "low", "medium", "high"] as const
export type Effort = (typeof EFFORTS)[number]

/** Parameters of OpenAI's chat completions that other servers may refuse, and do without. */
export const OMITTABLE_PARAMETERS = [
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "reasoning_effort"
] as const
export type OmittableParameter = (typeof OMITTABLE_PARAMETERS)[number]

/** A model that people can choose. */
export interface Model extends ModelPrice {
  /** The public id. */
  readonly id: string
  /** What people call it; the vendor's own name of it unless given. */
  readonly displayName?: string
  /** Who runs it: one of `VENDORS`, or the name of one that the application brings. */
  readonly vendor: string
  /** The vendor's own name of the model behind the id. */
  readonly vendorModel: string
  /** The most tokens one reply may have. */
  readonly maxOutputTokens: number
  /** Tokens of prompt and reply together that the model can take. */
  readonly contextTokens: number
  /** The public id of the model that answers instead where this one fails before its first words. */
  readonly fallback?: string
  /** The vendor's own default unless given. */
  readonly effort?: Effort
  /** For servers that speak OpenAI's protocol in part: what they are asked without. Not both limits of the output. */
  readonly omitParameters?: ReadonlyArray<OmittableParameter>
  /**
   * How many times the bound on the prompt's tokens (see `../tokens/Tokenizer.ts`) this model's tokenizer may count: 1
   * unless given, more for tokenizers that are not public.
   */
  readonly inputTokenFactor?: number
}

/** The most tokens this model counts for a prompt that public tokenizers count at most `maxTokens` for. */
export const maxInputTokensFor = (model: Model, maxTokens: number): number =>
  Math.ceil(maxTokens * (model.inputTokenFactor ?? 1))

/** The price part of a model. */
export const modelPrice = (model: Model): ModelPrice => ({
  creditsPer1kInput: model.creditsPer1kInput,
  creditsPer1kCachedInput: model.creditsPer1kCachedInput,
  creditsPer1kCacheWrite: model.creditsPer1kCacheWrite,
  creditsPer1kOutput: model.creditsPer1kOutput,
  minimumCredits: model.minimumCredits,
  ...(model.longContext && { longContext: model.longContext })
})
