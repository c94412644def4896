import type { ReserveInput } from "../../credits/holds/Hold.ts"
import type { ReceiptDraft } from "../../credits/Receipt.ts"
import { CHAT_SOURCE } from "../../credits/UsageSource.ts"
import type { UserId } from "../../identity/UserId.ts"

/** A receipt draft for tests where the reply itself does not matter. */
export const receiptDraft: ReceiptDraft = {
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

/** A reservation of exactly `amount` for ten minutes, unless `changes` say otherwise. */
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
  source: CHAT_SOURCE,
  ttlMs: 600_000,
  draft: receiptDraft,
  ...changes
})
