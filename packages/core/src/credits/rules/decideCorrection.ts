import { Result } from "effect"
import {
  type AdjustInput,
  disputeKey,
  type DisputeInput,
  type PurchaseReport,
  purchaseKey,
  refundKey,
  type RefundInput,
  refundPrefix
} from "../Correction.ts"
import { decideOnce, type OnceRefusal } from "./decideOnce.ts"
import { AccountNotFound, InvalidAmount, PurchaseConflict, PurchaseNotFound } from "../errors.ts"
import { give, clawBack } from "./giveAndTake.ts"
import type { Decision, Operation, View } from "./LedgerState.ts"
import { isNewer, outOf, purchaseFingerprint, type CorrectionReport, parseReport } from "./reportedCorrection.ts"
import type { Transaction } from "../Transaction.ts"

export type PurchaseRefusal = OnceRefusal | PurchaseNotFound | PurchaseConflict

/** A business key of a purchase, or of one of its refunds and disputes, and what its transaction moved. */
export interface PurchaseRecord {
  readonly key: string
  readonly fingerprint: string
  readonly amount: number
}

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
  /** The key of the first such report; a later report about the same has its time in the key. */
  readonly key: string
  readonly fingerprint: string
}

/**
 * Takes back, or gives back, what a report changes: afterwards exactly the parts that are out by the latest report
 * of the refund and of each dispute are taken, `floor(granted * part / paid)` each and never more than was granted in
 * all. So the order in which they come does not matter. `records` are those of the charge so far, read under the
 * account's lock.
 */
const correct = (
  view: View,
  { purchase, key, fingerprint, ...reported }: Correction,
  records: ReadonlyArray<PurchaseRecord>,
  now: number
): Decision<Transaction, PurchaseRefusal> => {
  const { userId, charge } = purchase
  const wrong = invalidReport(purchase, reported.part)
  if (wrong !== undefined) return invalid(wrong)
  if (view.account === undefined) return refuse(new AccountNotFound({ userId }))
  const bought = records.find((record) => record.key === purchaseKey(purchase))
  if (bought === undefined) return refuse(new PurchaseNotFound({ userId, charge }))
  if (bought.fingerprint !== purchaseFingerprint(purchase)) return refuse(new PurchaseConflict({ charge }))
  const earlier = records.filter((record) => record.key.startsWith(refundPrefix(purchase)))
  const taken = earlier.reduce((sum, { amount }) => sum - amount, 0)
  const latest = new Map<string, CorrectionReport>()
  for (const report of [...earlier.flatMap((record) => parseReport(record.fingerprint) ?? []), reported]) {
    const before = latest.get(report.source)
    if (before === undefined || isNewer(report, before)) latest.set(report.source, report)
  }
  const due = outOf(purchase, [...latest.values()])
  const reason = { type: "refund", reference: key, at: now } as const
  return decideOnce(view, {
    userId,
    key,
    fingerprint,
    now,
    post: (account) => (due >= taken ? clawBack(account, due - taken, reason) : give(account, taken - due, reason))
  })
}

const correctionOperation = (
  { key: first, ...correction }: Correction,
  records: ReadonlyArray<PurchaseRecord>
): Operation<Transaction, PurchaseRefusal> => {
  const used = records.find((record) => record.key === first)
  const isFirst = used === undefined || used.fingerprint === correction.fingerprint
  const key = isFirst ? first : `${first}:${correction.part}:${correction.reportedAt}`
  return {
    name: correction.name,
    userId: correction.purchase.userId,
    key,
    decide: (view, now) => correct(view, { ...correction, key }, records, now)
  }
}

/** Makes what is taken back for a purchase follow what is refunded of it, up or down. */
export const refundOperation = (
  input: RefundInput,
  records: ReadonlyArray<PurchaseRecord>
): Operation<Transaction, PurchaseRefusal> => {
  const { granted, paid, refunded: part, reportedAt } = input
  const fingerprint = `refund ${granted} ${paid} ${part} ${reportedAt}`
  const report = { source: "refund", part, isWon: false, reportedAt }
  return correctionOperation(
    { ...report, name: "refund", purchase: input, key: refundKey(input), fingerprint },
    records
  )
}

/** Makes what is taken back for a purchase follow a dispute: its amount while it runs, nothing once it is won. */
export const disputeOperation = (
  input: DisputeInput,
  records: ReadonlyArray<PurchaseRecord>
): Operation<Transaction, PurchaseRefusal> => {
  const { granted, paid, disputed: part, reportedAt, funds, dispute } = input
  const fingerprint = `dispute ${granted} ${paid} ${part} ${reportedAt} ${funds} ${dispute}`
  const report = { source: `dispute ${dispute}`, part, isWon: funds === "reinstated", reportedAt }
  return correctionOperation(
    { ...report, name: "dispute", purchase: input, key: disputeKey(input), fingerprint },
    records
  )
}

/** An operator's correction, with a reason. */
export const adjustOperation = (input: AdjustInput): Operation<Transaction, OnceRefusal> => ({
  name: "adjust",
  userId: input.userId,
  key: input.key,
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
