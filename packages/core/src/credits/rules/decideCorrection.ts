import { Result } from "effect"
import {
  type AdjustInput,
  disputeKey,
  type DisputeInput,
  type PurchaseReport,
  refundKey,
  type RefundInput
} from "../Correction.ts"
import { decideOnce, type OnceRefusal } from "./decideOnce.ts"
import { AccountNotFound, InvalidAmount, PurchaseConflict, PurchaseNotFound } from "../errors.ts"
import { give, clawBack } from "./giveAndTake.ts"
import type { Decision, Operation, View } from "./LedgerState.ts"
import { type CorrectionReport, outOf, withReport } from "./reportedCorrection.ts"
import type { Transaction } from "../Transaction.ts"

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
  if (!isWhole(granted, 1)) return "what was granted must be a whole number of credits, 1 or more"
  if (!isWhole(paid, 1)) return "what was paid must be a whole number, 1 or more"
  if (!isWhole(reportedAt, 0)) return "when it was reported must be a time in whole milliseconds"
  return isWhole(part, 0) && part <= paid ? undefined : "no more than was paid can be taken back"
}

/** One refund or dispute as its provider reported it. */
interface Correction extends CorrectionReport {
  readonly name: string
  readonly purchase: PurchaseReport
  /** The key of the first such report; a later report about the same has its amount and its time in the key. */
  readonly key: string
  readonly fingerprint: string
}

/** Takes back, or gives back, what is out beyond what was clawed back before. */
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
 * Makes what is taken back of a purchase follow what is reported of it: afterwards exactly the parts that are out by the
 * latest report of the refund and of each dispute are taken, `floor(granted * part / paid)` each and never more than was
 * granted in all. So the order in which the reports come does not matter.
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

/** Makes what is taken back for a purchase follow what is refunded of it, up or down, by the provider or by an operator. */
export const refundOperation = (input: RefundInput): Operation<Transaction, PurchaseRefusal> => {
  const { by, granted, paid, refunded: part, reportedAt } = input
  const source = by === undefined ? "refund" : "refund by operator"
  const fingerprint = `${source} ${granted} ${paid} ${part} ${reportedAt}`
  const report = { source, part, isWon: false, reportedAt }
  return correctionOperation({ ...report, name: "refund", purchase: input, key: refundKey(input), fingerprint })
}

/** Makes what is taken back for a purchase follow a dispute: its amount while it runs, nothing once it is won. */
export const disputeOperation = (input: DisputeInput): Operation<Transaction, PurchaseRefusal> => {
  const { granted, paid, disputed: part, reportedAt, funds, dispute } = input
  const fingerprint = `dispute ${granted} ${paid} ${part} ${reportedAt} ${funds} ${dispute}`
  const report = { source: `dispute ${dispute}`, part, isWon: funds === "reinstated", reportedAt }
  return correctionOperation({ ...report, name: "dispute", purchase: input, key: disputeKey(input), fingerprint })
}

/** An operator's correction, with a reason. */
export const adjustOperation = (input: AdjustInput): Operation<Transaction, OnceRefusal> => ({
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
