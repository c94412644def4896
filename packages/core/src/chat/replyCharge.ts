import { priceOf } from "../credits/price.ts"
import type { ReceiptDraft, ReplyEnd } from "../credits/Receipt.ts"
import type { Usage } from "../credits/Usage.ts"
import { type Model, modelPrice } from "../tiers/Model.ts"
import { estimatedInput } from "./estimatedInput.ts"
import type { OpenedReply } from "./openReply.ts"
import { estimateTokens } from "./tokens.ts"

/** How many times its hold a reply may cost: holds are upper bounds, but not every vendor publishes how it counts. */
const BELIEVED = 2

export interface ReplyCharge {
  readonly amount: number
  readonly draft: ReceiptDraft
  /** The provider told figures that cannot be true. */
  readonly disbelieved: boolean
}

/** Figures that cost more than twice the credits held are a provider's mistake, and count as not told. */
const isBelieved = (usage: Usage, model: Model, held: number): boolean => priceOf(usage, model) <= BELIEVED * held

/**
 * What charges a reply that has just begun to come, for its input and the output recorded later, should this process
 * die: as the provider counted the input where it told so early, else as it is estimated.
 */
export const lostReplyDraft = ({ attempt, told }: OpenedReply, held: number): ReceiptDraft => {
  const { messages, model } = attempt.request
  const toldInput = told.inputUsage && { ...told.inputUsage, output: 0 }
  const isTold = toldInput !== undefined && isBelieved(toldInput, model, held)
  const usage = isTold ? toldInput : { ...estimatedInput(messages), output: 0 }
  return { model: model.id, price: modelPrice(model), usage, estimated: true, ended: "expired" }
}

/**
 * What a reply costs: the provider's figures where it told them and they can be true, with `held` credits held, else a
 * count of what was sent and delivered.
 */
export const replyCharge = (
  { attempt, told }: OpenedReply,
  delivered: string,
  ended: ReplyEnd,
  held: number
): ReplyCharge => {
  const { maxOutputTokens, messages, model } = attempt.request
  const output = Math.min(estimateTokens(delivered), maxOutputTokens)
  const toldInput = told.inputUsage && { ...told.inputUsage, output }
  const believed = [told.end?.usage, toldInput].find((usage) => usage && isBelieved(usage, model, held))
  const usage = believed ?? { ...estimatedInput(messages), output }
  const estimated = usage !== told.end?.usage
  return {
    amount: priceOf(usage, model),
    draft: { model: model.id, price: modelPrice(model), usage, estimated, ended },
    disbelieved: estimated && told.end?.usage !== undefined
  }
}
