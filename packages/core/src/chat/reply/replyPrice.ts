import type { ReplyEnd, ReplyReceiptDraft } from "../../credits/Transaction.ts"
import { maxPriceOf, outputTokensWithin, priceOf } from "../../credits/rules/price.ts"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import type { ChatModel, InputUsage } from "../../models/ChatModel.ts"
import { countMessage } from "../../models/messageTokens.ts"
import { type Model } from "../../models/Model.ts"
import { modelPrice } from "../../credits/rules/price.ts"
import type { ReplyOutput } from "./ReplyText.ts"
import type { Usage } from "../../models/Usage.ts"
import type { TokenizerService } from "../../tokens/TokenizerService.ts"
import type { OpenedReply } from "./Reply.ts"

/** The tokens of a message beside its text. */
const MESSAGE_TOKENS = 4

/** The input of a request if no provider reported the count. */
export const estimatedInput = (messages: ReadonlyArray<ChatMessage>, tokenizer: TokenizerService): InputUsage => {
  let freshInput = 0
  for (const message of messages) freshInput += countMessage(message, tokenizer).estimate + MESSAGE_TOKENS
  return { freshInput, cacheRead: 0, cacheWrite: 0 }
}

/** A model that may write a reply, and the most tokens that may cost. */
export interface Candidate {
  readonly model: Model
  readonly provider: ChatModel
  readonly maxInputTokens: number
  readonly maxOutputTokens: number
}

/** The amount to hold for a reply, and the reply that a smaller hold buys. */
export interface ReplyQuote {
  /** Credits for the longest reply: no reply costs more. */
  readonly amount: number
  /** Credits for the shortest reply, as its price is estimated. */
  readonly minimumAmount: number
  /** The output limit that `held` credits pay for. */
  outputTokensFor(held: number): number
}

/** The input of a request in tokens: an upper bound over all tokenizers, and the usual count. */
export interface QuotedInput {
  readonly maxTokens: number
  readonly estimate: InputUsage
}

/**
 * The price of a reply before it is written. The amount held is the upper bound, for the most input tokens the prompt
 * can count and the most output tokens (`outputCeiling`) the model may write. If the balance has less, the estimate
 * decides, at the dearest rate of input, because a write to a cache can cost more than fresh input: the bound is several
 * times the price of most replies, so that with the bound alone a person could never spend the last credits. A reply is
 * then as long as the credits buy by the estimate, and is charged at most the amount held.
 */
export const quoteReply = (model: Model, input: QuotedInput, outputCeiling: number): ReplyQuote => {
  const tokens = Math.min(input.maxTokens, inputOf(input.estimate))
  const estimate = (output: number) => maxPriceOf(tokens, output, model)
  return {
    amount: maxPriceOf(input.maxTokens, outputCeiling, model),
    minimumAmount: estimate(Math.min(1, outputCeiling)),
    outputTokensFor: (held) => outputTokensWithin(held, estimate, outputCeiling)
  }
}

export interface ReplyCharge {
  /** Whole credits by the price; may exceed the hold, of which the ledger takes no more than there is. */
  readonly amount: number
  readonly draft: ReplyReceiptDraft
  /** The vendor that wrote it. */
  readonly vendor: string
}

/** The most UTF-16 units for which a token of any tokenizer stands. */
const UNITS_PER_TOKEN = 512

const inputOf = ({ cacheRead, cacheWrite, freshInput }: InputUsage): number => freshInput + cacheRead + cacheWrite

/** A prompt has tokens: a vendor that counts none has not counted. */
const plausibleInput = (reported: InputUsage | undefined): InputUsage | undefined =>
  reported === undefined || inputOf(reported) === 0 ? undefined : reported

/**
 * Figures that cannot be true for the request and the delivered text count as not reported, for example zeros beside a
 * text.
 */
const plausibleUsage = (reported: Usage | undefined, delivered: string): Usage | undefined =>
  reported === undefined || inputOf(reported) === 0 || reported.output * UNITS_PER_TOKEN < delivered.length
    ? undefined
    : reported

/**
 * The draft by which a sweeper charges a reply that has just begun, for its input and the output recorded later, if
 * this process dies. The input is the provider's count if it reported so early, otherwise the estimate.
 */
export const lostReplyDraft = (
  { call, reported }: Pick<OpenedReply, "call" | "reported">,
  chatId: string,
  tokenizer: TokenizerService
): ReplyReceiptDraft => {
  const { messages, model } = call.request
  const usage = { ...(plausibleInput(reported.inputUsage) ?? estimatedInput(messages, tokenizer)), output: 0 }
  return { model: model.id, chatId, price: modelPrice(model), usage, estimated: true, ended: "expired" }
}

/**
 * The price of a reply: by the provider's figures if it reported them and they are plausible, otherwise by a count of
 * the sent and delivered texts.
 */
export const replyCharge = (
  { call, reported }: Pick<OpenedReply, "call" | "reported">,
  output: ReplyOutput,
  ended: ReplyEnd,
  chatId: string,
  tokenizer: TokenizerService
): ReplyCharge => {
  const { maxOutputTokens, messages, model } = call.request
  const plausible = plausibleUsage(reported.end?.usage, output.text())
  const usage = plausible ?? {
    ...(plausibleInput(reported.inputUsage) ?? estimatedInput(messages, tokenizer)),
    output: Math.min(output.tokens(), maxOutputTokens)
  }
  return {
    amount: priceOf(usage, model),
    draft: { model: model.id, chatId, price: modelPrice(model), usage, estimated: plausible === undefined, ended },
    vendor: call.provider.name
  }
}
