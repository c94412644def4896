// Written by `npm run docs:tables` from the table of routes: change that.

/** The buckets that paid. */
export interface PaidFrom {
  /** Credits from the allowance of the tier. */
  readonly allowance: number
  /** Credits that were bought or granted. */
  readonly topup: number
}

/** The limits of a tier. */
export interface Quotas {
  /** The most documents of a person. */
  readonly maxDocuments: number
  /** The most bytes of a person's documents together. */
  readonly maxDocumentBytes: number
  /** The most bytes of a person's chats together. */
  readonly maxChatBytes: number
  /** The most replies of a person at once; null if they are not limited. */
  readonly maxConcurrentReplies: number | null
}

/** The receipt of a reply. */
export interface Receipt {
  /** The kind of the work: `chat`, `bot:<id>`, `meter:<name>` or `key:<id>`. */
  readonly source: string
  /** The credits that were held for it. */
  readonly held: number
  /** The credits that it cost. */
  readonly charged: number
  /** The way it ended: `completed`, `length`, `stopped`, `failed` or `expired`. */
  readonly ended: string
  readonly paid_from: PaidFrom
  /** The model that answered. */
  readonly model: string
  readonly price: ReceiptPrice
  readonly usage: TokenUsage
  /** True if the provider reported no usage and the server counted it. */
  readonly estimated: boolean
}

/** The prices of requests with many input tokens. */
export interface ReceiptLongContextPrice {
  /** These prices count for requests with more input tokens than this. */
  readonly above_input_tokens: number
  /** The price of 1,000 input tokens, in credits. */
  readonly credits_per_1k_input: number
  /** The price of 1,000 input tokens that the provider's cache held, in credits. */
  readonly credits_per_1k_cached_input: number
  /** The price of 1,000 input tokens that were written to the cache, in credits. */
  readonly credits_per_1k_cache_write: number
  /** The price of 1,000 output tokens, in credits. */
  readonly credits_per_1k_output: number
}

/** The prices by which the reply was charged. */
export interface ReceiptPrice {
  /** The price of 1,000 input tokens, in credits. */
  readonly credits_per_1k_input: number
  /** The price of 1,000 input tokens that the provider's cache held, in credits. */
  readonly credits_per_1k_cached_input: number
  /** The price of 1,000 input tokens that were written to the cache, in credits. */
  readonly credits_per_1k_cache_write: number
  /** The price of 1,000 output tokens, in credits. */
  readonly credits_per_1k_output: number
  /** The least price of a reply, in credits. */
  readonly minimum_credits: number
  /** Other prices for long requests; null if there are none. */
  readonly long_context: ReceiptLongContextPrice | null
}

/** The tokens of a reply; no token is counted twice. */
export interface TokenUsage {
  /** Input tokens without those of the cache. */
  readonly fresh_input: number
  /** Input tokens that the provider's cache held. */
  readonly cache_read: number
  /** Input tokens that were written to the provider's cache. */
  readonly cache_write: number
  /** Output tokens. */
  readonly output: number
}
