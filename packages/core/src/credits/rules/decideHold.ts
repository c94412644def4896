import { Result } from "effect"
import { availableOf, freeOf, takeFrom } from "../Account.ts"
import {
  type Hold,
  type HoldEnd,
  type OnOtherTier,
  type ReleaseInput,
  type Reserved,
  type ReserveInput,
  type SettleInput,
  type HoldName,
  NOTHING_SWEPT,
  type Swept
} from "../holds/Hold.ts"
import type { TierName } from "../../tiers/Tier.ts"
import { AccountNotFound, DailyCapReached, HoldNotFound, InvalidAmount, KeyConflict } from "../errors.ts"
import { type Journal, post } from "./journal.ts"
import { accountOf } from "./decideAll.ts"
import type { Decision, IdempotencyRecord, LedgerAccount, OpenHold, Operation, Refusal, View } from "./LedgerState.ts"
import { isOfReply, type Receipt } from "../Transaction.ts"
import {
  kindOfSpender,
  parseSpender,
  type Spender,
  dayOf,
  spentOn,
  startOfDay,
  withCharge,
  withHeld
} from "../Spender.ts"
import { problemOfLines, workCost, priceOf } from "./price.ts"

export type ReserveRefusal = AccountNotFound | DailyCapReached | KeyConflict | InvalidAmount
export type SettleRefusal = HoldNotFound | InvalidAmount

const refuse = <E extends Refusal>(error: E): Decision<never, E> => ({ answer: Result.fail(error), changes: undefined })
const repeat = <A>(answer: A): Decision<A, never> => ({ answer: Result.succeed(answer), changes: undefined })

/** Sets credits aside. `reservationId` identifies this call, even if other calls use the same key. */
export const reserve = (input: ReserveInput, reservationId: string): Operation<Reserved, ReserveRefusal> => ({
  name: "reserve",
  userId: input.userId,
  reads: { key: input.key },
  decide: (view, now) => decideReserve(view, input, reservationId, now)
})

/**
 * Sets credits aside like `reserve`, if the account is on `tier`, from which the caller computed the price, the model
 * and the limits. If the account is on another tier, no credits are held, unless the key was used before.
 */
export const reserveOnTier = (
  input: ReserveInput,
  tier: TierName,
  reservationId: string
): Operation<Reserved | OnOtherTier, ReserveRefusal> => ({
  name: "reserve",
  userId: input.userId,
  reads: { key: input.key },
  decide: (view, now) => {
    const { account, open, record } = view
    return account === undefined || account.tier === tier || open !== undefined || record !== undefined
      ? decideReserve(view, input, reservationId, now)
      : repeat({ _tag: "OnOtherTier", account: accountOf(account) })
  }
})

/** Decides a reservation: see `reserve`. */
export const decideReserve = (
  { account, open, record }: View,
  input: ReserveInput,
  reservationId: string,
  now: number
): Decision<Reserved, ReserveRefusal> => {
  const invalid = invalidReserve(input, now)
  if (invalid !== undefined) return refuse(new InvalidAmount({ reason: invalid }))
  if (account === undefined) return refuse(new AccountNotFound({ userId: input.userId }))
  const { source, minimumAmount } = input
  const of = isOfReply(input.draft) ? input.draft.model : "work"
  const fingerprint = input.fingerprint ?? `reserve ${input.amount} ${minimumAmount} ${of} ${source}`
  const earlier = open?.hold ?? record?.hold
  if (open !== undefined || record !== undefined) {
    const same = earlier !== undefined && (open ?? record)?.fingerprint === fingerprint
    if (!same) return refuse(new KeyConflict({ key: input.key }))
    const state = open !== undefined ? "open" : record?.transaction === undefined ? "released" : "settled"
    return repeat({ _tag: "Held", hold: earlier, replayed: open?.reservationId !== reservationId, state })
  }
  if (account.openHolds >= (input.openAtMost ?? Infinity)) return repeat({ _tag: "Busy", open: account.openHolds })
  const leftToday = (input.dailyCap ?? Infinity) - spentOn(account, kindOfSpender(source), now)
  if (leftToday < minimumAmount) return refuse(capReached(account, input, now))
  const available = availableOf(account)
  if (available < minimumAmount) {
    const { allowance, topup, debt, heldAllowance, heldTopup, nextResetAt } = account
    return repeat({ _tag: "Refused", buckets: { allowance, topup, debt, heldAllowance, heldTopup }, nextResetAt })
  }
  const from = takeFrom(freeOf(account), Math.min(input.amount, available, leftToday))
  const hold: Hold = {
    userId: input.userId,
    key: input.key,
    amount: from.allowance + from.topup,
    from,
    periodStart: account.periodStart,
    expiresAt: now + input.ttlMs
  }
  return {
    answer: Result.succeed({ _tag: "Held", hold, replayed: false, state: "open" }),
    changes: {
      account: setAside(account, source, from, 1),
      opened: [{ hold, source, fingerprint, reservationId, draft: input.draft, outputTokens: 0 }],
      closed: [],
      transactions: [],
      records: [],
      purchases: []
    }
  }
}

/** The error if a daily cap leaves fewer credits than the smallest useful amount. */
export const capReached = (
  account: LedgerAccount,
  { dailyCap = 0, source }: Pick<ReserveInput, "dailyCap" | "source">,
  now: number
): DailyCapReached => {
  const kind = kindOfSpender(source)
  const tomorrow = startOfDay(dayOf(now) + 1)
  const spent = spentOn(account, kind, now)
  return new DailyCapReached({ kind, cap: dailyCap, spent, resetsAt: tomorrow, retryAfterMs: tomorrow - now })
}

const invalidReserve = (
  { amount, minimumAmount, ttlMs, openAtMost = 1, source, dailyCap = 0 }: ReserveInput,
  now: number
): string | undefined => {
  if (parseSpender(source) === undefined) return "it must be of a source: chat, bot:<id>, meter:<name> or key:<id>"
  if (!Number.isSafeInteger(dailyCap) || dailyCap < 0) return "a daily cap must be a whole number of credits, 0 or more"
  if (!Number.isSafeInteger(amount) || amount < 1) return "it must be a whole number of credits, 1 or more"
  if (!Number.isSafeInteger(minimumAmount) || minimumAmount < 1 || minimumAmount > amount) {
    return "the least useful amount must be a whole number from 1 to the amount"
  }
  if (!Number.isSafeInteger(openAtMost) || openAtMost < 1)
    return "a bound of open holds must be a whole number, 1 or more"
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1 || !Number.isSafeInteger(now + ttlMs)) {
    return "a hold must live for a whole number of milliseconds, 1 or more"
  }
  return undefined
}

const setAside = (account: LedgerAccount, source: Spender, from: Hold["from"], sign: 1 | -1): LedgerAccount => ({
  ...account,
  ...withHeld(account, source, sign * (from.allowance + from.topup)),
  heldAllowance: account.heldAllowance + sign * from.allowance,
  heldTopup: account.heldTopup + sign * from.topup,
  openHolds: account.openHolds + sign,
  holdsOpened: account.holdsOpened + (sign === 1 ? 1 : 0),
  holdsEnded: account.holdsEnded + (sign === 1 ? 0 : 1)
})

/** Ends a hold with a charge of `input.amount`, and never more than was held. */
export const settle = (input: SettleInput): Operation<HoldEnd, SettleRefusal> => ({
  name: "settle",
  userId: input.userId,
  reads: { key: input.key },
  decide: (view, now) => decideSettle(view, input, now)
})

/** Decides the end of a hold with a charge: `input.amount`, or the whole hold if that is less. */
export const decideSettle = (view: View, input: SettleInput, now: number): Decision<HoldEnd, SettleRefusal> => {
  const { amount, key } = input
  if (!Number.isSafeInteger(amount) || amount < 0) {
    return refuse(new InvalidAmount({ reason: "it must be a whole number of credits, 0 or more" }))
  }
  const unexplained = unexplainedAmount(input)
  if (unexplained !== undefined) return refuse(new InvalidAmount({ reason: unexplained }))
  const { account, open } = view
  if (account === undefined || open === undefined) return endAgain(view, key)
  // The person agreed to pay at most the held amount, so no more is charged, even if the vendor reports more later.
  const charged = Math.min(amount, open.hold.amount)
  const paidFrom = takeFrom(open.hold.from, charged)
  const { source } = open
  const receipt: Receipt = { ...input.draft, source, held: open.hold.amount, charged, paidFrom }
  const ended = setAside(account, source, open.hold.from, -1)
  const journal = post(
    { account: { ...ended, ...withCharge(ended, source, charged, now) }, transactions: [] },
    {
      type: "usage",
      // `0 -` avoids a negative zero: a charge of nothing is 0, not -0.
      amount: 0 - charged,
      allowance: 0 - paidFrom.allowance,
      topup: 0 - paidFrom.topup,
      reference: key,
      at: now,
      receipt
    }
  )
  return endHold(journal, open, paidFrom, now)
}

/**
 * Returns the reason why the lines of a receipt do not add up to the charge; undefined if they do. Only the caller
 * knows the price of a reply, so a reply's amount is not checked here.
 */
const unexplainedAmount = ({ amount, draft }: SettleInput): string | undefined => {
  if (isOfReply(draft)) return undefined
  const problem = problemOfLines(draft.lines)
  if (problem !== undefined) return problem
  const cost = workCost(draft.lines)
  return cost === amount ? undefined : `its receipt adds up to ${cost}`
}

/** Ends a hold without a charge. */
export const release = (input: ReleaseInput): Operation<HoldEnd, HoldNotFound> => ({
  name: "release",
  userId: input.userId,
  reads: { key: input.key },
  decide: (view, now) => decideRelease(view, input.key, now)
})

/** Decides the end of a hold without a charge. */
export const decideRelease = (view: View, key: string, now: number): Decision<HoldEnd, HoldNotFound> => {
  const { account, open } = view
  if (account === undefined || open === undefined) return endAgain(view, key)
  const journal = { account: setAside(account, open.source, open.hold.from, -1), transactions: [] }
  return endHold(journal, open, NOTHING, now)
}

const NOTHING: Hold["from"] = { allowance: 0, topup: 0 }

/** Answers with the first end of a hold: a hold ends once, and later calls change nothing. */
const endAgain = ({ record }: View, key: string): Decision<HoldEnd, HoldNotFound> =>
  record?.hold === undefined ? refuse(new HoldNotFound({ key })) : repeat(endOf(record))

/** Reads the end of a hold from the record of its key. */
export const endOf = ({ transaction }: Pick<IdempotencyRecord, "transaction">): HoldEnd =>
  transaction?.receipt === undefined
    ? { _tag: "Released" }
    : { _tag: "Settled", receipt: transaction.receipt, transactionId: transaction.id }

/**
 * Ends a hold after the charge of `used`. Unused allowance of a period that has ended expires now, because the reset
 * would have expired it; then the released credits repay debt.
 */
const endHold = (charged: Journal, open: OpenHold, used: Hold["from"], now: number): Decision<HoldEnd, never> => {
  const { hold, fingerprint } = open
  const transaction = charged.transactions.at(-1)
  const settled = repayDebt(expireUnused(charged, hold, used, now), hold.key, now)
  const record: IdempotencyRecord = { key: hold.key, fingerprint, at: now, hold, transaction }
  return {
    answer: Result.succeed(endOf(record)),
    changes: { ...settled, opened: [], closed: [hold.key], records: [record], purchases: [] }
  }
}

const expireUnused = (journal: Journal, hold: Hold, used: Hold["from"], now: number): Journal => {
  const unused = hold.from.allowance - used.allowance
  if (unused === 0 || hold.periodStart === journal.account.periodStart) return journal
  const reference = `expired:${hold.key}`
  return post(journal, { type: "reset", amount: -unused, allowance: -unused, topup: 0, reference, at: now })
}

const repayDebt = (journal: Journal, key: string, now: number): Journal => {
  const { account } = journal
  const back = takeFrom(freeOf(account), account.debt)
  if (back.allowance + back.topup === 0) return journal
  return post(journal, {
    type: "adjustment",
    amount: 0,
    allowance: 0 - back.allowance,
    topup: 0 - back.topup,
    reference: `repaid:${key}`,
    at: now
  })
}

/**
 * Ends a hold that was not renewed in time, like the hold of an abandoned reply: charges the input and the last
 * recorded output, or releases the hold if no output was delivered; metered work is charged for its last recorded
 * lines. If the hold has ended or was renewed meanwhile, nothing changes and the answer is `undefined`. The caller has
 * to lock the hold's row, because renewals do not change the account's version.
 */
export const expire = (named: HoldName): Operation<HoldEnd | undefined, SettleRefusal> => ({
  name: "sweep",
  userId: named.userId,
  reads: { key: named.key },
  decide: (view, now) => decideExpiry(view, named, now)
})

/** Decides the end of a hold that was not renewed: see `expire`. */
export const decideExpiry = (
  view: View,
  named: HoldName,
  now: number
): Decision<HoldEnd | undefined, SettleRefusal> => {
  const { open } = view
  if (open === undefined || open.hold.expiresAt > now) {
    return { answer: Result.succeed(undefined), changes: undefined }
  }
  const { draft, outputTokens } = open
  if (!isOfReply(draft)) {
    // Invalid lines charge nothing; a refusal would keep the hold open for ever.
    const amount = problemOfLines(draft.lines) === undefined ? workCost(draft.lines) : 0
    if (amount === 0) return decideRelease(view, named.key, now)
    return decideSettle(view, { ...named, amount, draft: { ...draft, ended: "expired" } }, now)
  }
  if (outputTokens === 0) return decideRelease(view, named.key, now)
  const usage = { ...draft.usage, output: outputTokens }
  const amount = priceOf(usage, draft.price) + (draft.rewrite?.credits ?? 0)
  return decideSettle(view, { ...named, amount, draft: { ...draft, usage, estimated: true, ended: "expired" } }, now)
}

/**
 * The counts of a sweep for one hold of `held` credits and its end; all zero if `end` is undefined, because the sweep
 * did not end the hold.
 */
export const sweptBy = (end: HoldEnd | undefined, held: number): Swept => {
  if (end === undefined) return NOTHING_SWEPT
  const credits = end._tag === "Settled" ? end.receipt.charged : 0
  const charged = end._tag === "Settled" ? 1 : 0
  return { charged, released: 1 - charged, credits, returned: held - credits, refused: 0 }
}
