import { Result } from "effect"
import { availableOf } from "../Account.ts"
import type { HoldEnd, HoldName } from "../holds/Hold.ts"
import { KeyConflict } from "../errors.ts"
import { isOfReply, type ReplyReceiptDraft } from "../Transaction.ts"
import type { Spender } from "../Spender.ts"
import type { Usage } from "../../models/Usage.ts"
import { endOf, decideReserve, decideSettle, type SettleRefusal } from "./decideHold.ts"
import type { Decision, Operation, View } from "./LedgerState.ts"

/** The business key of the hold that pays a reply. */
export const replyKey = (messageId: string): string => `reply:${messageId.toLowerCase()}`

/** The key of the `place`-th hold (from 1) that pays the rest of a reply after sweepers ended the holds before it. */
export const restKey = (first: string, place: number): string => `${first}:rest:${place}`

/** The amounts that were charged for a reply from holds that a sweeper ended. */
export interface PaidBefore {
  readonly credits: number
  readonly usage: Usage
  /** Set if the rewrite of the question was charged among them. */
  readonly isRewritePaid?: true
}

export const NOTHING_PAID: PaidBefore = { credits: 0, usage: { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0 } }

/** Returns true if a sweeper ended the hold, because no heartbeat of its process arrived in time. */
const isSwept = (end: HoldEnd): boolean => end._tag === "Released" || end.receipt.ended === "expired"

const combine = (one: Usage, other: Usage, how: (one: number, other: number) => number): Usage => ({
  freshInput: how(one.freshInput, other.freshInput),
  cacheRead: how(one.cacheRead, other.cacheRead),
  cacheWrite: how(one.cacheWrite, other.cacheWrite),
  output: how(one.output, other.output)
})

/** Adds the charge of one more hold to `before`. */
export const paidWith = (before: PaidBefore, end: HoldEnd): PaidBefore => {
  if (end._tag === "Released" || !isOfReply(end.receipt)) return before
  const { charged, rewrite, usage: more } = end.receipt
  return {
    ...before,
    credits: before.credits + charged,
    usage: combine(before.usage, more, (a, b) => a + b),
    ...(rewrite !== undefined && { isRewritePaid: true })
  }
}

/** The draft without the usage and the rewrite that were already paid. */
export const unpaidOf = (
  { rewrite, ...draft }: ReplyReceiptDraft,
  { isRewritePaid, usage: paid }: PaidBefore
): ReplyReceiptDraft => ({
  ...draft,
  ...(rewrite !== undefined && isRewritePaid !== true && { rewrite }),
  usage: combine(draft.usage, paid, (used, before) => Math.max(0, used - before))
})

/**
 * The fingerprint of the record that closes the rest of a reply, because a repetition of the request has replaced the
 * reply.
 */
const REPLACED = "replaced by a repetition of the request"

/** The state of the key for the rest of a reply; `closed` if no charge is possible under it any more. */
export type RestState = "open" | "settled" | "released" | "closed"

/**
 * Closes the key for the rest of a reply whose hold was released, unless a hold for the rest exists. If the first
 * process of the reply is still alive, it can then neither hold nor charge credits for the rest. A repetition of the
 * request calls this before it begins another reply, so that one idempotency key is charged for one reply only.
 */
export const closeRest = ({ key, userId }: HoldName): Operation<RestState, never> => ({
  name: "closeRest",
  userId,
  reads: { key },
  decide: ({ account, open, record }, now) => {
    const answer = (state: RestState) => ({ answer: Result.succeed(state), changes: undefined })
    if (open !== undefined) return answer("open")
    if (record?.fingerprint === REPLACED || account === undefined) return answer("closed")
    if (record !== undefined) return answer(record.transaction === undefined ? "released" : "settled")
    // A hold of no credits, which is opened and ended at once.
    const from = { allowance: 0, topup: 0 }
    const hold = { userId, key, amount: 0, from, periodStart: account.periodStart, expiresAt: now + 1 }
    const closed = { key, fingerprint: REPLACED, at: now, hold, transaction: undefined }
    const counted = { holdsOpened: account.holdsOpened + 1, holdsEnded: account.holdsEnded + 1 }
    return {
      answer: Result.succeed("closed"),
      changes: {
        account: { ...account, ...counted },
        opened: [],
        closed: [],
        transactions: [],
        records: [closed],
        purchases: []
      }
    }
  }
})

export type SettleReplyRefusal = SettleRefusal | KeyConflict

export interface SettleReplyInput extends HoldName {
  /** The key under which the rest of the cost is charged if a sweeper has ended the hold. */
  readonly rest: string
  readonly source: Spender
  /** The price of the whole reply: whole credits, zero or more. */
  readonly cost: number
  /** The maximum price of the reply: the first held amount. */
  readonly bound: number
  readonly before: PaidBefore
  /** The draft of the receipt for the whole reply. */
  readonly draft: ReplyReceiptDraft
}

/**
 * Ends the hold of a reply: charges the cost of the reply minus the charges of its earlier holds. If a sweeper has
 * ended the hold meanwhile, the rest is charged at once, up to the balance and without a daily cap, because the text
 * was delivered. Fails with `KeyConflict` if a repetition of the request has replaced the reply (`closeRest`).
 */
export const settleReply = (input: SettleReplyInput): Operation<HoldEnd, SettleReplyRefusal> => ({
  name: "settle",
  userId: input.userId,
  reads: { key: input.key, secondKey: input.rest },
  decide: (view, now) => {
    const { before, cost, draft, key, userId } = input
    const ended = view.open === undefined && view.record?.hold !== undefined ? endOf(view.record) : undefined
    if (ended !== undefined && isSwept(ended)) return settleRest(view, input, ended, now)
    const amount = Math.max(0, cost - before.credits)
    return decideSettle(view, { userId, key, amount, draft: unpaidOf(draft, before) }, now)
  }
})

/**
 * Charges the rest of a reply: from the hold that an earlier call opened for it, if the answer of that call was lost;
 * otherwise holds and charges in one decision.
 */
const settleRest = (
  { account, second }: View,
  { before, bound, cost, draft, rest, source, userId }: SettleReplyInput,
  swept: HoldEnd,
  now: number
): Decision<HoldEnd, SettleReplyRefusal> => {
  if (second.record?.fingerprint === REPLACED) {
    return { answer: Result.fail(new KeyConflict({ key: rest })), changes: undefined }
  }
  if (second.record !== undefined) return { answer: Result.succeed(endOf(second.record)), changes: undefined }
  const paid = paidWith(before, swept)
  if (second.open !== undefined) {
    const held = { account, open: second.open, record: undefined, second, purchase: undefined }
    const left = Math.max(0, Math.min(cost, bound) - paid.credits)
    return decideSettle(held, { userId, key: rest, amount: left, draft: unpaidOf(draft, paid) }, now)
  }
  const amount = account === undefined ? 0 : Math.min(cost - paid.credits, bound - paid.credits, availableOf(account))
  const nothing = { answer: Result.succeed(swept), changes: undefined }
  if (amount <= 0) return nothing
  const asked = { userId, key: rest, amount, minimumAmount: amount, ttlMs: 1, source, draft }
  const view = { account, open: undefined, record: undefined, second, purchase: undefined }
  const { changes } = decideReserve(view, asked, rest, now)
  const [open] = changes?.opened ?? []
  if (changes === undefined || open === undefined) return nothing
  const held = { ...view, account: changes.account, open }
  const settled = decideSettle(held, { userId, key: rest, amount, draft: unpaidOf(draft, paid) }, now)
  return settled.changes === undefined ? settled : { ...settled, changes: { ...settled.changes, opened: [open] } }
}
