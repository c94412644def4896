import { priceOf } from "../credits/price.ts"
import type { ReceiptDraft, ReplyEnd } from "../credits/Receipt.ts"
import { modelPrice } from "../tiers/Model.ts"
import { estimatedInput } from "./estimatedInput.ts"
import type { OpenedReply } from "./openReply.ts"
import { estimateTokens } from "./tokens.ts"

export interface ReplyCharge {
  /** Whole credits by the price; may exceed the hold, of which the ledger takes no more than there is. */
  readonly amount: number
  readonly draft: ReceiptDraft
}

/**
 * What charges a reply that has just begun to come, for its input and the output recorded later, should this process
 * die: as the provider counted the input where it told so early, else as it is estimated.
 */
export const lostReplyDraft = ({ attempt, told }: OpenedReply): ReceiptDraft => {
  const { messages, model } = attempt.request
  const usage = { ...(told.inputUsage ?? estimatedInput(messages)), output: 0 }
  return { model: model.id, price: modelPrice(model), usage, estimated: true, ended: "expired" }
}

/** What a reply costs: by the provider's figures where it told them, else by a count of what was sent and delivered. */
export const replyCharge = ({ attempt, told }: OpenedReply, delivered: string, ended: ReplyEnd): ReplyCharge => {
  const { maxOutputTokens, messages, model } = attempt.request
  const output = Math.min(estimateTokens(delivered), maxOutputTokens)
  const usage = told.end?.usage ?? { ...(told.inputUsage ?? estimatedInput(messages)), output }
  const estimated = told.end?.usage === undefined
  return {
    amount: priceOf(usage, model),
    draft: { model: model.id, price: modelPrice(model), usage, estimated, ended }
  }
}
