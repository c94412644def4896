import { maxPriceOf, outputTokensWithin, priceOf } from "../credits/rules/price.ts"
import type { ChatModel, InputUsage } from "../models/ChatModel.ts"
import type { Model } from "../models/Model.ts"

/** A model that may write a reply, and the most tokens that may cost. */
export interface Candidate {
  readonly model: Model
  readonly provider: ChatModel
  readonly maxInputTokens: number
  readonly maxOutputTokens: number
}

/** What to hold for a reply, and what a smaller hold buys. */
export interface ReplyQuote {
  /** Credits for the longest reply: no reply costs more. */
  readonly amount: number
  /** Credits for the shortest reply, as its price is estimated. */
  readonly minimumAmount: number
  /** The output limit that `held` credits pay for. */
  outputTokensFor(held: number): number
}

/** How much input a request has: the most tokens that any tokenizer counts, and what they usually count. */
export interface QuotedInput {
  readonly maxTokens: number
  readonly estimate: InputUsage
}

/**
 * The price of a reply before it is written. What is held is the upper bound, for the most input tokens the prompt can count
 * and the most output tokens (`outputCeiling`) the model may write. If the balance has less, the estimate decides: the
 * bound is several times what most replies cost, so that by the bound alone nobody could spend the last credits. A reply
 * is then as long as the credits buy by the estimate, and is charged what was held at most.
 */
export const quoteReply = (model: Model, input: QuotedInput, outputCeiling: number): ReplyQuote => {
  const bound = (output: number) => maxPriceOf(input.maxTokens, output, model)
  const estimate = (output: number) => Math.min(bound(output), priceOf({ ...input.estimate, output }, model))
  return {
    amount: bound(outputCeiling),
    minimumAmount: estimate(Math.min(1, outputCeiling)),
    outputTokensFor: (held) => outputTokensWithin(held, estimate, outputCeiling)
  }
}
