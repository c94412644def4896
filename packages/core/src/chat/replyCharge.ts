import { priceOf } from "../credits/price.ts"
import type { ReceiptDraft, ReplyEnd } from "../credits/Receipt.ts"
import type { Usage } from "../credits/Usage.ts"
import { modelPrice } from "../tiers/Model.ts"
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

/**
 * What a reply costs: the provider's figures where it told them, else a count of what was sent and delivered. Figures
 * that cost more than twice the credits held (`held`) are a provider's mistake, and count as not told.
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
  const isBelieved = (usage: Usage | undefined) => usage !== undefined && priceOf(usage, model) <= BELIEVED * held
  const usage = [told.end?.usage, toldInput].find(isBelieved) ?? { ...estimatedInput(messages), output }
  const estimated = usage !== told.end?.usage
  return {
    amount: priceOf(usage, model),
    draft: { model: model.id, price: modelPrice(model), usage, estimated, ended },
    disbelieved: estimated && told.end?.usage !== undefined
  }
}
