import { isOfReply, type TokenRates, TRANSACTION_TYPES } from "@parley/core/adapter"
import type { Receipt, ReplyReceipt, Transaction, WorkReceipt } from "@parley/core"
import { Schema } from "effect"
import { choice, decimal, flag, listOf, moment, named, orNull, text, whole } from "../fields.ts"

/** Credits per 1,000 tokens. */
const RateRow = {
  credits_per_1k_input: decimal("The price of 1,000 input tokens, in credits."),
  credits_per_1k_cached_input: decimal("The price of 1,000 input tokens that the provider's cache held, in credits."),
  credits_per_1k_cache_write: decimal("The price of 1,000 input tokens that were written to the cache, in credits."),
  credits_per_1k_output: decimal("The price of 1,000 output tokens, in credits.")
}

const payerRow = {
  source: text("The kind of the work: `chat`, `bot:<id>`, `meter:<name>` or `key:<id>`."),
  held: whole("The credits that were held for it."),
  charged: whole("The credits that it cost."),
  ended: text("The way it ended: `completed`, `length`, `stopped`, `failed` or `expired`."),
  paid_from: named("PaidFrom", "The buckets that paid.", {
    allowance: whole("Credits from the allowance of the tier."),
    topup: whole("Credits that were bought or granted.")
  })
}

const ReceiptPriceRow = named("ReceiptPrice", "The prices by which the reply was charged.", {
  ...RateRow,
  minimum_credits: whole("The least price of a reply, in credits."),
  long_context: orNull(
    named("ReceiptLongContextPrice", "The prices of requests with many input tokens.", {
      above_input_tokens: whole("These prices count for requests with more input tokens than this."),
      ...RateRow
    }),
    "Other prices for long requests; null if there are none."
  )
})

const TokenUsageRow = named("TokenUsage", "The tokens of a reply; no token is counted twice.", {
  fresh_input: whole("Input tokens without those of the cache."),
  cache_read: whole("Input tokens that the provider's cache held."),
  cache_write: whole("Input tokens that were written to the provider's cache."),
  output: whole("Output tokens.")
})

const Estimated = flag("True if the provider reported no usage and the server counted it.")

const ReceiptRewriteRow = named(
  "ReceiptRewrite",
  "The rewrite of a question, whose credits are a part of the charge.",
  {
    model: text("The model that rewrote the question."),
    price: ReceiptPriceRow,
    usage: TokenUsageRow,
    estimated: Estimated,
    credits: whole("The price of the rewrite.")
  }
)

/** The receipt of a reply in the form of the response. */
export const ReplyReceiptRow = named("Receipt", "The receipt of a reply.", {
  ...payerRow,
  model: text("The model that answered."),
  price: ReceiptPriceRow,
  usage: TokenUsageRow,
  estimated: Estimated,
  rewrite: Schema.optionalKey(ReceiptRewriteRow).annotate({
    description: "The rewrite of the question for the search in the documents; absent if it was not rewritten."
  })
})

/**
 * The receipt of metered work in the form of the response. Its lines add up to the cost, which is at most the held
 * amount.
 */
export const WorkReceiptRow = named("WorkReceipt", "The receipt of metered work: its lines add up to the cost.", {
  ...payerRow,
  charged_before: Schema.Int.annotate({
    description: "The charge for this work at the expiry of its hold; a part of the sum of the lines."
  }),
  lines: listOf(
    named("WorkReceiptLine", "A line of a receipt.", {
      label: text("The kind of usage."),
      quantity: decimal("The quantity of the line."),
      unit_price: decimal("The credits per unit.")
    }),
    "The usage."
  )
})

/** A transaction of the ledger in the form of the response. */
export const TransactionRow = named("Transaction", "A change of a person's credits.", {
  id: text("The transaction's id."),
  transaction_type: choice(TRANSACTION_TYPES, "The kind of the change."),
  amount: whole("The change of the balance: negative for spent credits."),
  allowance_amount: whole("The part of the change in the allowance."),
  topup_amount: whole("The part of the change in the bought or granted credits."),
  balance_after: whole("`allowance + topup - debt` after the change."),
  model: orNull(Schema.String, "The model of a reply; null for other changes."),
  source: orNull(Schema.String, "The kind of the work, as on its receipt; null if no work was paid."),
  reference: text("The business event behind the change, as `reply:<message>`."),
  created_at: moment("When the change was written."),
  receipt: orNull(Schema.Union([ReplyReceiptRow, WorkReceiptRow]), "The receipt; null if no work was paid.")
})
export type TransactionRow = typeof TransactionRow.Type

/** Converts a transaction to a row of the credit history, for the response and for the command line. */
export const transactionRow = (transaction: Transaction): TransactionRow => ({
  id: transaction.id,
  transaction_type: transaction.type,
  amount: transaction.amount,
  allowance_amount: transaction.allowanceAmount,
  topup_amount: transaction.topupAmount,
  balance_after: transaction.balanceAfter,
  model: transaction.model ?? null,
  source: transaction.source ?? null,
  reference: transaction.reference,
  created_at: new Date(transaction.createdAt).toISOString(),
  receipt: transaction.receipt === undefined ? null : receiptRow(transaction.receipt)
})

const rateRow = (rates: TokenRates) => ({
  credits_per_1k_input: rates.creditsPer1kInput,
  credits_per_1k_cached_input: rates.creditsPer1kCachedInput,
  credits_per_1k_cache_write: rates.creditsPer1kCacheWrite,
  credits_per_1k_output: rates.creditsPer1kOutput
})

const receiptRow = (receipt: Receipt) => (isOfReply(receipt) ? replyReceiptRow(receipt) : workReceiptRow(receipt))

const payerRowOf = ({ charged, ended, held, paidFrom, source }: Receipt) => ({
  source,
  held,
  charged,
  ended,
  paid_from: paidFrom
})

const workReceiptRow = (receipt: WorkReceipt): typeof WorkReceiptRow.Type => ({
  ...payerRowOf(receipt),
  charged_before: receipt.chargedBefore ?? 0,
  lines: receipt.lines.map(({ label, quantity, unitPrice }) => ({ label, quantity, unit_price: unitPrice }))
})

/** The price and the usage of one call of a model. */
const callRow = ({
  estimated,
  model,
  price,
  usage
}: Pick<ReplyReceipt, "estimated" | "model" | "price" | "usage">) => ({
  model,
  price: {
    ...rateRow(price),
    minimum_credits: price.minimumCredits,
    long_context: price.longContext
      ? { above_input_tokens: price.longContext.aboveInputTokens, ...rateRow(price.longContext) }
      : null
  },
  usage: {
    fresh_input: usage.freshInput,
    cache_read: usage.cacheRead,
    cache_write: usage.cacheWrite,
    output: usage.output
  },
  estimated
})

/** Converts the receipt of a reply to its form in histories and chats. */
export const replyReceiptRow = (receipt: ReplyReceipt): typeof ReplyReceiptRow.Type => ({
  ...payerRowOf(receipt),
  ...callRow(receipt),
  ...(receipt.rewrite && { rewrite: { ...callRow(receipt.rewrite), credits: receipt.rewrite.credits } })
})
