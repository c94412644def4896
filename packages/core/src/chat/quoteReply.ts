import { maxPriceOf, outputTokensWithin } from "../credits/rules/price.ts"
import type { Model } from "../models/Model.ts"
import type { ChatModel } from "../models/ChatModel.ts"

/** A reply shorter than this is not worth paying for: where the balance buys less, the answer is 402. */
export const USEFUL_OUTPUT_TOKENS = 256

/** A model that may write a reply, and the most tokens that may cost. */
export interface Candidate {
  readonly model: Model
  readonly provider: ChatModel
  readonly maxInputTokens: number
  readonly maxOutputTokens: number
}

/** What to hold for a reply, and what a smaller hold buys. */
export interface ReplyQuote {
  /** Credits for the longest reply. */
  readonly amount: number
  /** Credits for the shortest useful one. */
  readonly minimumAmount: number
  /** The output limit that `held` credits pay for, whatever the reply turns out to be. */
  outputTokensFor(held: number): number
}

/**
 * The upper bound of a reply's price, from the most input tokens the prompt can count (`maxInputTokens`) and the
 * most output tokens (`outputCeiling`) the model may write. No way of counting the input exceeds the bound.
 */
export const quoteReply = (model: Model, maxInputTokens: number, outputCeiling: number): ReplyQuote => {
  const price = (output: number) => maxPriceOf(maxInputTokens, output, model)
  return {
    amount: price(outputCeiling),
    minimumAmount: price(Math.min(USEFUL_OUTPUT_TOKENS, outputCeiling)),
    outputTokensFor: (held) => outputTokensWithin(held, maxInputTokens, model, outputCeiling)
  }
}
