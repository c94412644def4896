import { Result } from "effect"
import { availableOf, freeOf, takeFrom } from "../Account.ts"
import { HoldNotFound, KeyConflict } from "../errors.ts"
import type { Hold, HoldEnd, HoldName, Reserved, ReserveInput } from "../holds/Hold.ts"
import { isOfReply, type ReceiptLine, type WorkReceiptDraft } from "../Transaction.ts"
import {
  decideExpiry,
  capReached,
  endOf,
  decideRelease,
  decideReserve,
  type ReserveRefusal,
  decideSettle,
  type SettleRefusal
} from "../rules/decideHold.ts"
import { post } from "../rules/journal.ts"
import type { Decision, IdempotencyRecord, LedgerAccount, Operation, Refusal } from "../rules/LedgerState.ts"
import { kindOfSpender, spentOn, withCharge } from "../Spender.ts"
import { workCost } from "../rules/price.ts"
import { spenderOfWork } from "./workKey.ts"

/**
 * One attempt at the work of a key. Each attempt has a hold under its own key, because a hold ends only once. The next
 * attempt begins after the previous one has ended without a report.
 */
export interface WorkAttempt extends HoldName {
  /** The key of the previous attempt; undefined for the first. */
  readonly before: string | undefined
}

/** This attempt has ended without a report of its work: the caller has to try the next attempt. */
export interface NextAttempt {
  readonly _tag: "Next"
}

/**
 * The hold ended before the work was reported, and the balance does not contain the credits that the report would cost.
 */
export interface ExpiredWork {
  readonly _tag: "Expired"
  /** The end of the hold: a charge of the recorded lines, or a release if there were none. */
  readonly end: HoldEnd
  /** Whole credits that the report would still cost; undefined if there is no report. */
  readonly required: number | undefined
  readonly available: number
}

export interface EndedWork {
  readonly _tag: "Ended"
  readonly end: HoldEnd
}

/** The state of an ended attempt: `paid` by its report, `released` in time, or `expired`. */
type Outcome = "paid" | "released" | "expired"

const outcomeOf = ({ at, hold, transaction }: IdempotencyRecord): Outcome => {
  const receipt = transaction?.receipt
  if (receipt !== undefined) return receipt.ended === "expired" ? "expired" : "paid"
  // A sweeper never ends a hold before its expiry. A release after the expiry is recorded as an attempt of its own.
  return hold !== undefined && at >= hold.expiresAt ? "expired" : "released"
}

const chargedFor = ({ transaction }: IdempotencyRecord): number => transaction?.receipt?.charged ?? 0

const answer = <A>(given: A): Decision<A, never> => ({ answer: Result.succeed(given), changes: undefined })
const refuse = <E extends Refusal>(error: E): Decision<never, E> => ({ answer: Result.fail(error), changes: undefined })
const mapAnswer = <A, B, E extends Refusal>(
  { answer, changes }: Decision<A, E>,
  map: (given: A) => B
): Decision<B, E> => ({
  answer: Result.map(answer, map),
  changes
})

const ended = <E extends Refusal>(decision: Decision<HoldEnd, E>): Decision<EndedWork, E> =>
  mapAnswer(decision, (end) => ({ _tag: "Ended", end }))

const NEXT: NextAttempt = { _tag: "Next" }

const readsOf = ({ before, key }: WorkAttempt) => ({ key, secondKey: before })

export interface ReserveWorkInput extends ReserveInput, WorkAttempt {
  /**
   * True: the operation ends an expired hold of this attempt at once, as a sweeper would. False: it leaves the hold to
   * a sweeper.
   */
  readonly endsExpired: boolean
}

/**
 * Holds credits for an attempt. Answers `Next` if this attempt has ended unpaid; `Expired` if a sweeper charged the
 * previous attempt in part, so that only a report of that work can be paid.
 */
export const reserveAttempt = (
  input: ReserveWorkInput,
  reservationId: string
): Operation<Reserved | NextAttempt | ExpiredWork, ReserveRefusal | SettleRefusal> => ({
  name: "reserve",
  userId: input.userId,
  reads: readsOf(input),
  decide: (view, now) => {
    const { account, open, record, second } = view
    const decided = decideReserve(view, input, reservationId, now)
    if (input.endsExpired && open !== undefined && open.hold.expiresAt <= now && Result.isSuccess(decided.answer)) {
      return mapAnswer(decideExpiry(view, input, now), () => NEXT)
    }
    if (record !== undefined && outcomeOf(record) !== "paid") return mapAnswer(decided, () => NEXT)
    const last = second.record
    if (account === undefined || last === undefined || open !== undefined || record !== undefined) return decided
    if (outcomeOf(last) !== "expired" || last.transaction === undefined) return decided
    return answer({ _tag: "Expired", end: endOf(last), required: undefined, available: availableOf(account) })
  }
})

export interface SettleWorkInput extends WorkAttempt {
  readonly draft: WorkReceiptDraft
  /** The daily cap for a late report, with the same meaning as in `ReserveInput`. */
  readonly dailyCap: number | undefined
}

const sameLines = (one: ReadonlyArray<ReceiptLine>, other: ReadonlyArray<ReceiptLine>): boolean =>
  one.length === other.length &&
  one.every(({ label, quantity, unitPrice }, place) => {
    const line = other[place]
    return line?.label === label && line.quantity === quantity && line.unitPrice === unitPrice
  })

/**
 * Charges for the work of an attempt by its report. A report that comes after the end of the hold is charged as an
 * attempt of its own, if the balance contains the credits: up to the held amount, minus the amount already charged.
 * Fails with `KeyConflict` if another report was paid before.
 */
export const settleAttempt = (
  input: SettleWorkInput
): Operation<EndedWork | NextAttempt | ExpiredWork, SettleWorkRefusal> => ({
  name: "settle",
  userId: input.userId,
  reads: readsOf(input),
  decide: (view, now) => {
    const { draft, key, userId } = input
    const { account, open, record, second } = view
    if (account !== undefined && open !== undefined) {
      return ended(decideSettle(view, { userId, key, amount: workCost(draft.lines), draft }, now))
    }
    if (record !== undefined) {
      if (outcomeOf(record) !== "paid") return answer(NEXT)
      const paid = record.transaction?.receipt
      const isSame = paid !== undefined && !isOfReply(paid) && sameLines(paid.lines, draft.lines)
      return isSame ? answer({ _tag: "Ended", end: endOf(record) }) : refuse(new KeyConflict({ key }))
    }
    const last = second.record
    if (account === undefined || last === undefined) return refuse(new HoldNotFound({ key }))
    if (outcomeOf(last) === "released") return answer({ _tag: "Ended", end: endOf(last) })
    return settleLate(account, last, input, now)
  }
})

export type SettleWorkRefusal = Exclude<ReserveRefusal, { readonly _tag: "AccountNotFound" }> | SettleRefusal

const settleLate = (
  account: LedgerAccount,
  last: IdempotencyRecord,
  input: SettleWorkInput,
  now: number
): Decision<EndedWork | ExpiredWork, SettleWorkRefusal> => {
  const { dailyCap, draft } = input
  const source = spenderOfWork(last.fingerprint)
  const before = chargedFor(last)
  const required = Math.max(0, Math.min(workCost(draft.lines), last.hold?.amount ?? 0) - before)
  const available = availableOf(account)
  if (available < required) return answer({ _tag: "Expired", end: endOf(last), required, available })
  const isCapped = required > 0 && spentOn(account, kindOfSpender(source), now) + required > (dailyCap ?? Infinity)
  if (isCapped) return refuse(capReached(account, { source, dailyCap }, now))
  const paidFrom = takeFrom(freeOf(account), required)
  const charged = { source, held: required, charged: required, paidFrom }
  const receipt = { ...draft, ...(before === 0 ? {} : { chargedBefore: before }), ...charged }
  const journal = post(
    { account: { ...endedAtOnce(account), ...withCharge(account, source, required, now) }, transactions: [] },
    {
      type: "usage",
      amount: 0 - required,
      allowance: 0 - paidFrom.allowance,
      topup: 0 - paidFrom.topup,
      reference: input.key,
      at: now,
      receipt
    }
  )
  const record = recordOf(account, last, input, paidFrom, now)
  const done: IdempotencyRecord = { ...record, transaction: journal.transactions.at(-1) }
  return {
    answer: Result.succeed({ _tag: "Ended", end: endOf(done) }),
    changes: { ...journal, opened: [], closed: [], records: [done], purchases: [] }
  }
}

/**
 * Releases the credits of an attempt. Later reports of the attempt are not charged, even if the hold had expired before
 * the release.
 */
export const releaseAttempt = (input: WorkAttempt): Operation<EndedWork | NextAttempt, HoldNotFound> => ({
  name: "release",
  userId: input.userId,
  reads: readsOf(input),
  decide: (view, now) => {
    const { account, open, record, second } = view
    const { key } = input
    if (account !== undefined && open !== undefined) {
      const released = decideRelease(view, key, now)
      return open.hold.expiresAt > now ? ended(released) : mapAnswer(released, () => NEXT)
    }
    if (record !== undefined) {
      return outcomeOf(record) === "paid" ? answer({ _tag: "Ended", end: endOf(record) }) : answer(NEXT)
    }
    const last = second.record
    if (account === undefined || last === undefined) return refuse(new HoldNotFound({ key }))
    if (outcomeOf(last) === "released" || last.transaction !== undefined) {
      return answer({ _tag: "Ended", end: endOf(last) })
    }
    const done = recordOf(account, last, input, NOTHING, now)
    return {
      answer: Result.succeed({ _tag: "Ended", end: endOf(done) }),
      changes: {
        account: endedAtOnce(account),
        opened: [],
        closed: [],
        transactions: [],
        records: [done],
        purchases: []
      }
    }
  }
})

const NOTHING: Hold["from"] = { allowance: 0, topup: 0 }

/** Counts an attempt that is opened and ended by one operation: it never holds credits. */
const endedAtOnce = (account: LedgerAccount): LedgerAccount => ({
  ...account,
  holdsOpened: account.holdsOpened + 1,
  holdsEnded: account.holdsEnded + 1
})

/** Makes the record of an attempt that is opened and ended by one operation. */
const recordOf = (
  { periodStart }: LedgerAccount,
  { fingerprint }: IdempotencyRecord,
  { key, userId }: HoldName,
  from: Hold["from"],
  now: number
): IdempotencyRecord => ({
  key,
  fingerprint,
  at: now,
  hold: { userId, key, amount: from.allowance + from.topup, from, periodStart, expiresAt: now + 1 },
  transaction: undefined
})
