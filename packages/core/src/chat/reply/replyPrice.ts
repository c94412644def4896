import type { ReplyEnd, ReplyReceiptDraft } from "../../credits/Receipt.ts"
import { maxPriceOf, outputTokensWithin, priceOf } from "../../credits/rules/price.ts"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import type { ChatModel, InputUsage } from "../../models/ChatModel.ts"
import { countMessage } from "../../models/messageTokens.ts"
import { type Model, modelPrice } from "../../models/Model.ts"
import type { ReplyOutput } from "./ReplyText.ts"
import type { Usage } from "../../models/Usage.ts"
import type { TokenizerService } from "../../tokens/TokenizerService.ts"
import type { OpenedReply } from "./openReply.ts"

/** What a message costs beside its text. */
const MESSAGE_TOKENS = 4

/** The input of a request where no provider reported the count. */
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
  const estimate = (output: number) =>
    Math.min(maxPriceOf(input.maxTokens, output, model), priceOf({ ...input.estimate, output }, model))
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

/** No token of any tokenizer stands for so many UTF-16 units. */
const UNITS_PER_TOKEN = 512

const inputOf = ({ cacheRead, cacheWrite, freshInput }: InputUsage): number => freshInput + cacheRead + cacheWrite

/** A prompt has tokens: a vendor that counts none has not counted. */
const plausibleInput = (reported: InputUsage | undefined): InputUsage | undefined =>
  reported === undefined || inputOf(reported) === 0 ? undefined : reported

/** Figures that cannot be true of what was asked and delivered count as not reported, such as zeros beside a text. */
const plausibleUsage = (reported: Usage | undefined, delivered: string): Usage | undefined =>
  reported === undefined || inputOf(reported) === 0 || reported.output * UNITS_PER_TOKEN < delivered.length
    ? undefined
    : reported

/**
 * What charges a reply that has just begun to come, for its input and the output recorded later, should this process
 * die: as the provider counted the input where it reported so early, else as it is estimated.
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
 * What a reply costs: by the provider's figures where it reported them and they can be true, else by a count of what was
 * sent and delivered.
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
