import { Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { CreditLedger } from "./CreditLedger.ts"
import { replyKey, restKey } from "./holds/Hold.ts"
import { isOfReply, type ReplyReceipt } from "./Receipt.ts"

/** What a reply cost. */
export interface ReplyCost {
  /** Whole credits, of all its holds together. */
  readonly credits: number
  /** Of its last hold: a reply whose hold was ended behind its back has one for each. */
  readonly receipt: ReplyReceipt
}

/**
 * The costs of replies by their message ids. A reply is looked for again under its next hold where a sweeper ended the one
 * before: it charged for it, or released it, as nothing had been delivered.
 */
export const replyCosts = Effect.fnUntraced(function* (
  ledger: CreditLedger["Service"],
  userId: UserId,
  messageIds: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, ReplyCost>, StorageFailed> {
  const costs = new Map<string, ReplyCost>()
  let open = new Map(messageIds.map((id) => [replyKey(id), id.toLowerCase()]))
  for (let place = 1; open.size > 0; place++) {
    const found = yield* ledger.transactions(userId, [...open.keys()])
    const next = new Map<string, string>()
    for (const [key, id] of open) {
      const receipt = found.get(key)?.receipt
      if (receipt === undefined ? place === 1 : receipt.ended === "expired") {
        next.set(restKey(replyKey(id), place), id)
      }
      if (receipt === undefined || !isOfReply(receipt)) continue
      costs.set(id, { credits: (costs.get(id)?.credits ?? 0) + receipt.charged, receipt })
    }
    open = next
  }
  return costs
})
