import { Result } from "effect"
import { freeOf, splitGrant, takeFrom } from "../Account.ts"
import { MAX_CREDITS } from "../maxCredits.ts"
import { InvalidAmount, AccountNotFound, PurchaseConflict, PurchaseNotFound } from "../errors.ts"
import { type Journal, post, type Posting, decideOnce, type OnceRefusal } from "./journal.ts"
import type { LedgerAccount, Decision, Operation, View } from "./LedgerState.ts"
import type { UserId } from "../../identity/UserId.ts"
import {
  type Payment,
  type AdjustInput,
  disputeKey,
  type DisputeInput,
  type PurchaseReport,
  refundKey,
  type RefundInput,
  type CorrectionReport,
  outOf,
  withReport
} from "../Purchase.ts"
import type { TransactionType, Transaction } from "../Transaction.ts"

type Reason = Pick<Posting, "type" | "reference" | "at" | "charge">

/** Adds credits: they repay debt first, and the rest is added to the top-ups. */
export const give = (account: LedgerAccount, amount: number, reason: Reason): Result.Result<Journal, InvalidAmount> => {
  const { added } = splitGrant(account, amount)
  if (added > MAX_CREDITS - account.allowance - account.topup) {
    return Result.fail(new InvalidAmount({ reason: `an account holds at most ${MAX_CREDITS} credits` }))
  }
  return Result.succeed(post({ account, transactions: [] }, { ...reason, amount, allowance: 0, topup: added }))
}

/**
 * Takes credits back: from the free top-ups, then from the free allowance, never from open holds. The missing part
 * becomes debt; otherwise the person would keep credits without having paid for them.
 */
export const clawBack = (
  account: LedgerAccount,
  amount: number,
  reason: Reason
): Result.Result<Journal, InvalidAmount> => {
  const free = freeOf(account)
  const topup = Math.min(free.topup, amount)
  const { allowance } = takeFrom({ allowance: free.allowance, topup: 0 }, amount - topup)
  if (amount - topup - allowance > MAX_CREDITS - account.debt) {
    return Result.fail(new InvalidAmount({ reason: `an account owes at most ${MAX_CREDITS} credits` }))
  }
  return Result.succeed(
    // `0 -` avoids a negative zero: nothing taken is 0, not -0.
    post({ account, transactions: [] }, { ...reason, amount: 0 - amount, allowance: 0 - allowance, topup: 0 - topup })
  )
}

export interface GrantInput {
  readonly userId: UserId
  readonly key: string
  readonly type: Extract<TransactionType, "topup" | "grant">
  /** One or more whole credits; they repay debt first, and the rest is added to the top-ups. */
  readonly amount: number
  /**
   * The payment, if the credits were bought, so that refunds and disputes find the purchase. A charge pays for one
   * purchase.
   */
  readonly payment?: Payment | undefined
}

export type GrantRefusal = OnceRefusal | PurchaseConflict

/** Stores the purchase with its payment in the changes of the grant. */
const withPurchase = (
  { answer, changes }: Decision<Transaction, GrantRefusal>,
  granted: number,
  { charge, paid }: Payment
): Decision<Transaction, GrantRefusal> => {
  if (changes === undefined) return { answer, changes }
  const purchase = { charge, paid, granted, clawedBack: 0, reports: [] }
  return { answer, changes: { ...changes, purchases: [purchase] } }
}

/** Adds credits once under their key. */
export const grant = (input: GrantInput): Operation<Transaction, GrantRefusal> => ({
  name: "grant",
  userId: input.userId,
  reads: { key: input.key, charge: input.payment?.charge },
  decide: (view, now) => {
    const { userId, key, type, amount, payment } = input
    if (!Number.isSafeInteger(amount) || amount < 1) {
      const reason = "it must be a whole number of credits, 1 or more"
      return { answer: Result.fail(new InvalidAmount({ reason })), changes: undefined }
    }
    if (payment !== undefined && !(Number.isSafeInteger(payment.paid) && payment.paid >= 1)) {
      const reason = "the paid amount must be a whole number, 1 or more"
      return { answer: Result.fail(new InvalidAmount({ reason })), changes: undefined }
    }
    const fingerprint =
      payment === undefined ? `${type} ${amount}` : `${type} ${amount} ${payment.charge} ${payment.paid}`
    const post = (account: LedgerAccount) =>
      payment !== undefined && view.purchase !== undefined
        ? Result.fail(new PurchaseConflict({ charge: payment.charge }))
        : give(account, amount, { type, reference: key, at: now, charge: payment?.charge })
    const decision = decideOnce<InvalidAmount | PurchaseConflict>(view, { userId, key, fingerprint, now, post })
    return payment === undefined ? decision : withPurchase(decision, amount, payment)
  }
})

export type PurchaseRefusal = OnceRefusal | PurchaseNotFound | PurchaseConflict

const refuse = (error: PurchaseRefusal): Decision<never, PurchaseRefusal> => ({
  answer: Result.fail(error),
  changes: undefined
})
const invalid = (reason: string): Decision<never, InvalidAmount> => ({
  answer: Result.fail(new InvalidAmount({ reason })),
  changes: undefined
})

const isWhole = (value: number, minimum: number) => Number.isSafeInteger(value) && value >= minimum

const invalidReport = ({ granted, paid, reportedAt }: PurchaseReport, part: number): string | undefined => {
  if (!isWhole(granted, 1)) return "the granted amount must be a whole number of credits, 1 or more"
  if (!isWhole(paid, 1)) return "the paid amount must be a whole number, 1 or more"
  if (!isWhole(reportedAt, 0)) return "when it was reported must be a time in whole milliseconds"
  return isWhole(part, 0) && part <= paid ? undefined : "no more than was paid can be taken back"
}

/** One refund or dispute as its provider reported it. */
interface Correction extends CorrectionReport {
  readonly name: string
  readonly purchase: PurchaseReport
  /** The key of the first report; the key of a later report about the same subject contains its amount and its time. */
  readonly key: string
  readonly fingerprint: string
}

/**
 * Takes back or returns the difference between the credits that must be taken back and those that were taken back
 * before.
 */
const correct = (
  view: View,
  { purchase: reported, key: first, name: _name, fingerprint, ...report }: Correction,
  now: number
): Decision<Transaction, PurchaseRefusal> => {
  const { userId, charge, granted, paid } = reported
  const wrong = invalidReport(reported, report.part)
  if (wrong !== undefined) return invalid(wrong)
  if (view.account === undefined) return refuse(new AccountNotFound({ userId }))
  const { purchase } = view
  if (purchase === undefined) return refuse(new PurchaseNotFound({ userId, charge }))
  if (purchase.granted !== granted || purchase.paid !== paid) return refuse(new PurchaseConflict({ charge }))
  const isFirst = view.record === undefined || view.record.fingerprint === fingerprint
  const key = isFirst ? first : laterKey(first, report)
  const reports = withReport(purchase.reports, report)
  const clawedBack = outOf(purchase, reports)
  const more = clawedBack - purchase.clawedBack
  const reason = { type: "refund", reference: key, at: now, charge } as const
  const { answer, changes } = decideOnce(isFirst ? view : { ...view, ...view.second }, {
    userId,
    key,
    fingerprint,
    now,
    post: (account) => (more >= 0 ? clawBack(account, more, reason) : give(account, -more, reason))
  })
  return { answer, changes: changes && { ...changes, purchases: [{ ...purchase, clawedBack, reports }] } }
}

const laterKey = (first: string, { part, reportedAt }: CorrectionReport) => `${first}:${part}:${reportedAt}`

/**
 * Changes the credits that are taken back for a purchase so that they follow its reports: `floor(granted * part /
 * paid)` credits for the latest report of the refund and of each dispute, together at most the granted credits. So the
 * result does not depend on the order in which the reports arrive.
 */
const correctionOperation = (correction: Correction): Operation<Transaction, PurchaseRefusal> => ({
  name: correction.name,
  userId: correction.purchase.userId,
  reads: {
    key: correction.key,
    secondKey: laterKey(correction.key, correction),
    charge: correction.purchase.charge
  },
  decide: (view, now) => correct(view, correction, now)
})

/**
 * Changes the credits that are taken back for a purchase, up or down, to follow the refunds of the provider or of an
 * operator.
 */
export const refund = (input: RefundInput): Operation<Transaction, PurchaseRefusal> => {
  const { by, granted, paid, refunded: part, reportedAt } = input
  const source = by === undefined ? "refund" : "refund by operator"
  const fingerprint = `${source} ${granted} ${paid} ${part} ${reportedAt}`
  const report = { source, part, isWon: false, reportedAt }
  return correctionOperation({ ...report, name: "refund", purchase: input, key: refundKey(input), fingerprint })
}

/**
 * Changes the credits that are taken back for a purchase to follow a dispute: its amount while it is open, nothing once
 * it is won.
 */
export const dispute = (input: DisputeInput): Operation<Transaction, PurchaseRefusal> => {
  const { granted, paid, disputed: part, reportedAt, funds, dispute } = input
  const fingerprint = `dispute ${granted} ${paid} ${part} ${reportedAt} ${funds} ${dispute}`
  const report = { source: `dispute ${dispute}`, part, isWon: funds === "reinstated", reportedAt }
  return correctionOperation({ ...report, name: "dispute", purchase: input, key: disputeKey(input), fingerprint })
}

/** An operator's correction, with a reason. */
export const adjust = (input: AdjustInput): Operation<Transaction, OnceRefusal> => ({
  name: "adjust",
  userId: input.userId,
  reads: { key: input.key },
  decide: (view, now) => {
    const { userId, key, amount, reason } = input
    if (!Number.isSafeInteger(amount) || amount === 0) return invalid("it must be a whole number of credits, not zero")
    const posting = { type: "adjustment", reference: key, at: now } as const
    return decideOnce(view, {
      userId,
      key,
      fingerprint: `adjustment ${amount} ${reason}`,
      now,
      post: (account) => (amount > 0 ? give(account, amount, posting) : clawBack(account, -amount, posting))
    })
  }
})
