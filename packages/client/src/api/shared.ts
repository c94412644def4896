// Written by `npm run docs:tables` from the table of routes: change that.

/** The credits of a person, in whole credits. */
export interface Balance {
  /** Rest of the credits of the tier for this period; spent first, not carried over. */
  readonly allowance: number
  /** Rest of the credits that were bought or granted; they never expire. */
  readonly topup: number
  /** Credits that running work has set aside. */
  readonly held: number
  /** Credits that were spent or refunded beyond the balance; the next credits repay them. */
  readonly debt: number
  /** Credits that can be spent now: `allowance + topup - held`. */
  readonly available: number
  /** When the next period begins and the allowance is renewed. */
  readonly nextResetAt: string
}

/** The share of a chat. */
export interface ChatShare {
  /** The secret of the link: the page is `/shared/<id>`. */
  readonly id: string
  /** The last message that is shared. */
  readonly upTo: string
  /** When it was shared last. */
  readonly sharedAt: string
}

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
  readonly rewrite?: ReceiptRewrite
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

/** The rewrite of the question for the search in the documents; absent if it was not rewritten. */
export interface ReceiptRewrite {
  /** The model that rewrote the question. */
  readonly model: string
  readonly price: ReceiptPrice
  readonly usage: TokenUsage
  /** True if the provider reported no usage and the server counted it. */
  readonly estimated: boolean
  /** The price of the rewrite. */
  readonly credits: number
}

/** The rating of a reply. */
export interface ReplyRating {
  /** The opinion of the reply. */
  readonly rating: "good" | "bad"
  /** The reason, in the reader's words: at most 2,000 characters. */
  readonly comment?: string
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

/** A change of a person's credits. */
export interface Transaction {
  /** The transaction's id. */
  readonly id: string
  /** The kind of the change. */
  readonly transaction_type: "usage" | "reset" | "topup" | "grant" | "refund" | "adjustment"
  /** The change of the balance: negative for spent credits. */
  readonly amount: number
  /** The part of the change in the allowance. */
  readonly allowance_amount: number
  /** The part of the change in the bought or granted credits. */
  readonly topup_amount: number
  /** `allowance + topup - debt` after the change. */
  readonly balance_after: number
  /** The model of a reply; null for other changes. */
  readonly model: string | null
  /** The kind of the work, as on its receipt; null if no work was paid. */
  readonly source: string | null
  /** The business event behind the change, as `reply:<message>`. */
  readonly reference: string
  /** When the change was written. */
  readonly created_at: string
  /** The receipt; null if no work was paid. */
  readonly receipt: Receipt | WorkReceipt | null
}

/** A page of credit transactions. */
export interface TransactionList {
  /** The transactions, newest first. */
  readonly transactions: ReadonlyArray<Transaction>
  /** The number of all transactions. */
  readonly total: number
  /** The most elements of a page, as requested. */
  readonly limit: number
  /** The number of skipped elements, as requested. */
  readonly offset: number
}

/** The receipt of metered work: its lines add up to the cost. */
export interface WorkReceipt {
  /** The kind of the work: `chat`, `bot:<id>`, `meter:<name>` or `key:<id>`. */
  readonly source: string
  /** The credits that were held for it. */
  readonly held: number
  /** The credits that it cost. */
  readonly charged: number
  /** The way it ended: `completed`, `length`, `stopped`, `failed` or `expired`. */
  readonly ended: string
  readonly paid_from: PaidFrom
  /** The charge for this work at the expiry of its hold; a part of the sum of the lines. */
  readonly charged_before: number
  /** The usage. */
  readonly lines: ReadonlyArray<WorkReceiptLine>
}

/** A line of a receipt. */
export interface WorkReceiptLine {
  /** The kind of usage. */
  readonly label: string
  /** The quantity of the line. */
  readonly quantity: number
  /** The credits per unit. */
  readonly unit_price: number
}
