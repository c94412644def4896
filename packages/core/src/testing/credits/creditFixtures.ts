import type { ReserveInput } from "../../credits/holds/Hold.ts"
import { isOfReply, type ReceiptDraft, type ReplyReceiptDraft } from "../../credits/Transaction.ts"
import { CHAT_SPENDER } from "../../credits/Spender.ts"
import type { UserId } from "../../identity/UserId.ts"

/** A receipt draft for tests in which the reply does not matter. */
export const receiptDraft: ReplyReceiptDraft = {
  model: "model-a-mini",
  price: {
    creditsPer1kInput: 1,
    creditsPer1kCachedInput: 0.5,
    creditsPer1kCacheWrite: 1,
    creditsPer1kOutput: 4,
    minimumCredits: 1
  },
  usage: { freshInput: 120, cacheRead: 0, cacheWrite: 0, output: 30 },
  estimated: false,
  ended: "completed"
}

/** A reservation of exactly `amount` for ten minutes, unless `changes` contain other values. */
export const reservation = (
  userId: UserId,
  key: string,
  amount: number,
  changes: Partial<ReserveInput> = {}
): ReserveInput => ({
  userId,
  key,
  amount,
  minimumAmount: amount,
  source: CHAT_SPENDER,
  ttlMs: 600_000,
  draft: receiptDraft,
  ...changes
})

/** Returns a receipt or a draft as that of a reply. Throws if it belongs to metered work. */
export const ofReply = <R extends ReceiptDraft>(receipt: R | undefined): Extract<R, ReplyReceiptDraft> => {
  if (receipt === undefined || !isOfReply(receipt)) throw new Error("This is no receipt of a reply.")
  return receipt
}
