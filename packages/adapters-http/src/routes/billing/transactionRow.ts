import { isOfReply, type TokenRates, TRANSACTION_TYPES } from "@parley/core/adapter"
import type { Receipt, ReplyReceipt, Transaction, WorkReceipt } from "@parley/core"
import { Schema } from "effect"

/** Credits per 1,000 tokens. */
const RateRow = {
  credits_per_1k_input: Schema.Finite,
  credits_per_1k_cached_input: Schema.Finite,
  credits_per_1k_cache_write: Schema.Finite,
  credits_per_1k_output: Schema.Finite
}

const payerRow = {
  source: Schema.String,
  held: Schema.Int,
  charged: Schema.Int,
  ended: Schema.String,
  paid_from: Schema.Struct({ allowance: Schema.Int, topup: Schema.Int })
}

/** A reply's receipt, as it is sent. */
export const ReplyReceiptRow = Schema.Struct({
  ...payerRow,
  model: Schema.String,
  price: Schema.Struct({
    ...RateRow,
    minimum_credits: Schema.Int,
    long_context: Schema.NullOr(Schema.Struct({ above_input_tokens: Schema.Int, ...RateRow }))
  }),
  usage: Schema.Struct({
    fresh_input: Schema.Int,
    cache_read: Schema.Int,
    cache_write: Schema.Int,
    output: Schema.Int
  }),
  estimated: Schema.Boolean
})

/** The receipt of metered work, as it is sent: its lines add up to the cost, at most the held amount. */
export const WorkReceiptRow = Schema.Struct({
  ...payerRow,
  charged_before: Schema.Int.annotate({
    description: "The charge for this work at the expiry of its hold; a part of the sum of the lines."
  }),
  lines: Schema.Array(Schema.Struct({ label: Schema.String, quantity: Schema.Finite, unit_price: Schema.Finite }))
})

/** A credit transaction on the wire. */
export const TransactionRow = Schema.Struct({
  id: Schema.String,
  transaction_type: Schema.Literals(TRANSACTION_TYPES),
  amount: Schema.Int,
  allowance_amount: Schema.Int,
  topup_amount: Schema.Int,
  balance_after: Schema.Int,
  model: Schema.NullOr(Schema.String),
  source: Schema.NullOr(Schema.String),
  reference: Schema.String,
  created_at: Schema.String,
  receipt: Schema.NullOr(Schema.Union([ReplyReceiptRow, WorkReceiptRow]))
})
export type TransactionRow = typeof TransactionRow.Type

/** Converts a transaction to the row of the credit history, here and on the command line. */
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

/** Converts a reply's receipt to the row of histories and chats. */
export const replyReceiptRow = (receipt: ReplyReceipt): typeof ReplyReceiptRow.Type => {
  const { estimated, model, price, usage } = receipt
  return {
    ...payerRowOf(receipt),
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
  }
}
