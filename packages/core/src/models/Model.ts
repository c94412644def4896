/**
 * The vendors of the shipped models. A model may name any other vendor, for which the application provides a
 * `ChatModel`.
 */
export const VENDORS = ["openai", "anthropic"] as const
export type Vendor = (typeof VENDORS)[number]

/** Prices in credits per 1,000 tokens, zero or more. */
export interface TokenRates {
  /** Input that is neither read from nor written to the vendor's cache. */
  readonly creditsPer1kInput: number
  /** Input that the vendor reads from its cache; at most the price of fresh input. */
  readonly creditsPer1kCachedInput: number
  /** Input that the vendor writes to its cache, which some charge more for than for fresh input. */
  readonly creditsPer1kCacheWrite: number
  readonly creditsPer1kOutput: number
}

/** The rates of the whole request, input and output, if its input has more than `aboveInputTokens` tokens. */
export interface LongContextRates extends TokenRates {
  readonly aboveInputTokens: number
}

/** The price of a model's tokens, and the minimum price of a reply, one credit or more. */
export interface ModelPrice extends TokenRates {
  readonly minimumCredits: number
  /** Each at least the rate it replaces, so that a longer prompt never costs less. */
  readonly longContext?: LongContextRates
}

/**
 * The effort of a model's reasoning before it answers. Vendors count reasoning as output; not every model accepts every
 * value.
 */
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
  /** The name for people; default: the vendor's own. */
  readonly displayName?: string
  /** The vendor: one of `VENDORS`, or the name of one that the application provides. */
  readonly vendor: string
  /** The vendor's own name of the model behind the id. */
  readonly vendorModel: string
  /** The most tokens one reply may have. */
  readonly maxOutputTokens: number
  /** Tokens of prompt and reply together that the model can take. */
  readonly contextTokens: number
  /** The public id of the model that answers if this one fails before its first words. */
  readonly fallback?: string
  /** Default: the vendor's. */
  readonly effort?: Effort
  /**
   * For servers that implement OpenAI's protocol in part: the parameters to leave out. Not both limits of the output.
   */
  readonly omitParameters?: ReadonlyArray<OmittableParameter>
  /**
   * Factor on the bound of the prompt's tokens (see `../tokens/Tokenizer.ts`) for this model's tokenizer: default 1,
   * higher for tokenizers that are not public.
   */
  readonly inputTokenFactor?: number
  /**
   * The most tokens that the vendor counts for an image of any size, which it makes smaller itself. A model without it, or
   * with 0, sees no images.
   */
  readonly imageTokens?: number
}

/** True for a model that sees the images of messages. */
export const seesImages = ({ imageTokens = 0 }: Model): boolean => imageTokens > 0
