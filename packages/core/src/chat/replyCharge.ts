import { priceOf } from "../credits/rules/price.ts"
import type { ReplyReceiptDraft, ReplyEnd } from "../credits/Receipt.ts"
import type { Usage } from "../models/Usage.ts"
import { modelPrice } from "../models/Model.ts"
import type { InputUsage } from "../models/ChatModel.ts"
import { estimatedInput } from "./estimatedInput.ts"
import type { OpenedReply } from "./openReply.ts"
import type { ReplyOutput } from "../models/replyOutput.ts"
import type { TokenizerService } from "../tokens/TokenizerService.ts"

export interface ReplyCharge {
  /** Whole credits by the price; may exceed the hold, of which the ledger takes no more than there is. */
  readonly amount: number
  readonly draft: ReplyReceiptDraft
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
  tokenizer: TokenizerService
): ReplyReceiptDraft => {
  const { messages, model } = call.request
  const usage = { ...(plausibleInput(reported.inputUsage) ?? estimatedInput(messages, tokenizer)), output: 0 }
  return { model: model.id, price: modelPrice(model), usage, estimated: true, ended: "expired" }
}

/**
 * What a reply costs: by the provider's figures where it reported them and they can be true, else by a count of what was
 * sent and delivered.
 */
export const replyCharge = (
  { call, reported }: Pick<OpenedReply, "call" | "reported">,
  output: ReplyOutput,
  ended: ReplyEnd,
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
    draft: { model: model.id, price: modelPrice(model), usage, estimated: plausible === undefined, ended }
  }
}
