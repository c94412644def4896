/**
 * The vendors of the shipped models. A model may name another vendor, for which the application provides a `ChatModel`.
 */
export const VENDORS = ["openai", "anthropic"] as const
export type Vendor = (typeof VENDORS)[number]

/** Prices in credits per 1,000 tokens, zero or more. */
export interface TokenRates {
  /** Input tokens that are neither read from nor written to the vendor's cache. */
  readonly creditsPer1kInput: number
  /** Input tokens that the vendor reads from its cache; at most the price of fresh input. */
  readonly creditsPer1kCachedInput: number
  /** Input tokens that the vendor writes to its cache; some vendors charge more for them than for fresh input. */
  readonly creditsPer1kCacheWrite: number
  readonly creditsPer1kOutput: number
}

/** The prices of a whole request, input and output, if its input has more than `aboveInputTokens` tokens. */
export interface LongContextRates extends TokenRates {
  readonly aboveInputTokens: number
}

/** The prices of a model's tokens, and the minimum price of a reply, one credit or more. */
export interface ModelPrice extends TokenRates {
  readonly minimumCredits: number
  /** Each price must be at least the price that it replaces, so that a longer prompt never costs less. */
  readonly longContext?: LongContextRates
}

/**
 * The effort of a model's reasoning before it answers. Vendors count reasoning as output, and not every model accepts
 * every value.
 */
export const EFFORTS = ["none", "low", "medium", "high"] as const
export type Effort = (typeof EFFORTS)[number]

/** Parameters of OpenAI's chat completions that some compatible servers refuse, and that can be left out. */
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
  /** The display name; the vendor's own name unless given. */
  readonly displayName?: string
  /** The vendor: one of `VENDORS`, or a vendor for which the application provides a `ChatModel`. */
  readonly vendor: string
  /** The vendor's own name of the model. */
  readonly vendorModel: string
  /** The maximum number of tokens of one reply. */
  readonly maxOutputTokens: number
  /** The context window: the maximum number of tokens of prompt and reply together. */
  readonly contextTokens: number
  /** The public id of the model that answers if this one fails before its first words. */
  readonly fallback?: string
  /** The effort of the model's reasoning; the vendor's default unless given. */
  readonly effort?: Effort
  /**
   * For servers that implement only a part of OpenAI's protocol: the parameters to leave out. At least one of the two
   * limits of the output must stay.
   */
  readonly omitParameters?: ReadonlyArray<OmittableParameter>
  /**
   * A factor on the upper bound of the prompt's tokens (see `../tokens/Tokenizer.ts`) for this model's tokenizer: 1
   * unless given; higher for tokenizers that are not public.
   */
  readonly inputTokenFactor?: number
  /**
   * The maximum number of tokens that the vendor counts for an image of any size, which the vendor scales down itself.
   * A model without it, or with 0, cannot see images.
   */
  readonly imageTokens?: number
}

/** Returns true for a model that sees the images of messages. */
export const seesImages = ({ imageTokens = 0 }: Model): boolean => imageTokens > 0
