import { Result } from "effect"
import type { HoldEnd, HoldName } from "../holds/Hold.ts"
import { release, settle, type SettleRefusal } from "./decideHold.ts"
import type { Swept } from "../holds/Sweep.ts"
import type { Decision, Operation, View } from "./LedgerState.ts"
import { isOfReply } from "../Receipt.ts"
import { priceOf } from "./price.ts"
import { problemOfLines, workCost } from "./workCost.ts"

/**
 * Ends a hold that was not renewed, as a reply that was left would end: charged for the input and the output recorded
 * last, or released where nothing was delivered; metered work for the lines recorded last. A hold that has ended or was renewed meanwhile is left alone, which
 * is answered by `undefined`. Takes the hold's row locked, since renewals do not change the account's version.
 */
export const expireOperation = (named: HoldName): Operation<HoldEnd | undefined, SettleRefusal> => ({
  name: "sweep",
  userId: named.userId,
  reads: { key: named.key },
  decide: (view, now) => expire(view, named, now)
})

/** Decides the end of a hold that was not renewed: see `expireOperation`. */
export const expire = (view: View, named: HoldName, now: number): Decision<HoldEnd | undefined, SettleRefusal> => {
  const { open } = view
  if (open === undefined || open.hold.expiresAt > now) {
    return { answer: Result.succeed(undefined), changes: undefined }
  }
  const { draft, outputTokens } = open
  if (!isOfReply(draft)) {
    // Lines that make no sense charge nothing, rather than keep the hold for ever.
    const amount = problemOfLines(draft.lines) === undefined ? workCost(draft.lines) : 0
    if (amount === 0) return release(view, named.key, now)
    return settle(view, { ...named, amount, draft: { ...draft, ended: "expired" } }, now)
  }
  if (outputTokens === 0) return release(view, named.key, now)
  const usage = { ...draft.usage, output: outputTokens }
  const amount = priceOf(usage, draft.price)
  return settle(view, { ...named, amount, draft: { ...draft, usage, estimated: true, ended: "expired" } }, now)
}

/** What one end adds to what a sweep did. */
export const sweptBy = (end: HoldEnd | undefined): Swept => ({
  charged: end?._tag === "Settled" ? 1 : 0,
  released: end?._tag === "Released" ? 1 : 0,
  credits: end?._tag === "Settled" ? end.receipt.charged : 0,
  refused: 0
})
