import type { UserId } from "../identity/UserId.ts"

/** What was paid for top-ups, by which refunds and disputes find them. */
export interface Payment {
  /** The payment's name at its provider, as its refunds and disputes give it. */
  readonly charge: string
  /** In the smallest unit of its currency: a whole number, 1 or more. */
  readonly paid: number
}

/** A purchase that was granted: what it gave, and what was paid for it. */
export interface ChargedPurchase extends Payment {
  readonly userId: UserId
  /** Whole credits, 1 or more. */
  readonly granted: number
}

/** What a payment provider reported of a purchase, in whatever order it arrives. */
export interface PurchaseReport extends ChargedPurchase {
  /** Unix milliseconds: when the provider said so. The latest of a refund's or a dispute's statements is what counts. */
  readonly reportedAt: number
}

export interface RefundInput extends PurchaseReport {
  /** All that is refunded of the charge, in the unit of `paid`. Goes down where a refund fails or is called back. */
  readonly refunded: number
  /**
   * Who says so: the payment provider unless given. What an operator gave back by other means counts beside what the provider
   * reports, and no report of the provider changes it.
   */
  readonly by?: "operator" | undefined
}

export interface DisputeInput extends PurchaseReport {
  readonly dispute: string
  /** What is disputed of the charge, in the unit of `paid`; may change while the dispute runs. */
  readonly disputed: number
  /** The money was taken back when the dispute began, or given back when it was won. */
  readonly funds: "withdrawn" | "reinstated"
}

export interface AdjustInput {
  readonly userId: UserId
  readonly key: string
  /** Signed, not zero. What is given goes to the top-ups; what is taken comes from them first. */
  readonly amount: number
  /** For a later look at it; kept with the key. */
  readonly reason: string
}

/** A provider's id as one part of a key, which no other id can end: all but colons and percent signs stays as it is. */
const partOf = (id: string): string => id.replaceAll("%", "%25").replaceAll(":", "%3A")

/** The business event that so much of a charge is refunded. */
export const refundKey = ({ by, charge, refunded }: RefundInput): string =>
  `refund:${partOf(charge)}:${by === undefined ? "" : "by-operator:"}${refunded}`

/** The business event that a dispute took money back, or gave it back. */
export const disputeKey = ({ charge, dispute, funds }: DisputeInput): string =>
  `refund:${partOf(charge)}:${partOf(dispute)}:${funds}`

/** A refund or a dispute of a purchase as its provider reported it. */
export interface CorrectionReport {
  /** Where it comes from: the refunds of the provider, those of an operator, or one of the disputes. */
  readonly source: string
  /** In the smallest unit of the purchase's currency. */
  readonly part: number
  /** The money of a dispute was given back, so that nothing of it is out. */
  readonly isWon: boolean
  /** Unix milliseconds. */
  readonly reportedAt: number
}

/**
 * Whether one report replaces another about the same. Providers give the time in seconds: of two at the same time, a
 * dispute is won after it began, and a refund grew.
 */
const isNewer = (report: CorrectionReport, before: CorrectionReport): boolean => {
  if (report.reportedAt !== before.reportedAt) return report.reportedAt > before.reportedAt
  if (report.isWon !== before.isWon) return report.isWon
  return report.part > before.part
}

/** The latest report of each source, with one more. */
export const withReport = <Report extends CorrectionReport>(
  reports: ReadonlyArray<Report>,
  report: Report
): ReadonlyArray<Report> => {
  const before = reports.find(({ source }) => source === report.source)
  if (before !== undefined && !isNewer(report, before)) return reports
  return [...reports.filter((one) => one !== before), report]
}

/** The credits that are out by the latest reports: what each part of the price bought, in all no more than was granted. */
export const outOf = (
  { granted, paid }: Pick<ChargedPurchase, "granted" | "paid">,
  latest: ReadonlyArray<CorrectionReport>
): number => {
  const out = latest.reduce(
    (sum, { isWon, part }) => sum + (isWon ? 0n : (BigInt(granted) * BigInt(part)) / BigInt(paid)),
    0n
  )
  return Math.min(granted, Number(out))
}

/** A purchase as it stands: what it gave, what was paid for it, and what its refunds and disputes have taken back. */
export interface PurchaseState extends Payment {
  /** Whole credits, 1 or more. */
  readonly granted: number
  /** Whole credits taken back so far: what is out by the reports. */
  readonly clawedBack: number
  /** The latest report of its refund and of each of its disputes. */
  readonly reports: ReadonlyArray<CorrectionReport>
}
