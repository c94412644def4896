import type { UserId } from "../identity/UserId.ts"

/** The payment of a top-up, by which refunds and disputes find it. */
export interface Payment {
  /** The payment's id at its provider, as its refunds and disputes contain it. */
  readonly charge: string
  /** In the smallest unit of its currency: a whole number, 1 or more. */
  readonly paid: number
}

/** A purchase that was granted: its credits, and the amount paid for it. */
export interface ChargedPurchase extends Payment {
  readonly userId: UserId
  /** Whole credits, 1 or more. */
  readonly granted: number
}

/** A payment provider's report on a purchase; reports arrive in any order. */
export interface PurchaseReport extends ChargedPurchase {
  /** Unix milliseconds: when the provider said so. The latest of a refund's or a dispute's statements is what counts. */
  readonly reportedAt: number
}

export interface RefundInput extends PurchaseReport {
  /** The total refunded of the charge, in the unit of `paid`. It decreases if a refund fails or is cancelled. */
  readonly refunded: number
  /**
   * The author of the report: the payment provider unless given. Amounts that an operator returned by other means count
   * in addition to the provider's, and no report of the provider changes them.
   */
  readonly by?: "operator" | undefined
}

export interface DisputeInput extends PurchaseReport {
  readonly dispute: string
  /** The disputed amount of the charge, in the unit of `paid`; may change while the dispute is open. */
  readonly disputed: number
  /** `withdrawn`: the provider took the money back when the dispute began. `reinstated`: it returned it when it was won. */
  readonly funds: "withdrawn" | "reinstated"
}

export interface AdjustInput {
  readonly userId: UserId
  readonly key: string
  /** Signed, not zero. Granted credits go to the top-ups; a negative amount comes from them first. */
  readonly amount: number
  /** The reason, for a later reader; stored with the key. */
  readonly reason: string
}

/** A provider's id as one part of a key, which no other id can end: all but colons and percent signs stays as it is. */
const partOf = (id: string): string => id.replaceAll("%", "%25").replaceAll(":", "%3A")

/** The business event that a part of a charge is refunded. */
export const refundKey = ({ by, charge, refunded }: RefundInput): string =>
  `refund:${partOf(charge)}:${by === undefined ? "" : "by-operator:"}${refunded}`

/** The business event that a dispute took money back, or returned it. */
export const disputeKey = ({ charge, dispute, funds }: DisputeInput): string =>
  `refund:${partOf(charge)}:${partOf(dispute)}:${funds}`

/** A refund or a dispute of a purchase as its provider reported it. */
export interface CorrectionReport {
  /** The source of the report: the refunds of the provider, those of an operator, or one of the disputes. */
  readonly source: string
  /** In the smallest unit of the purchase's currency. */
  readonly part: number
  /** True if the money of a dispute was returned, so that none of it is taken back. */
  readonly isWon: boolean
  /** Unix milliseconds. */
  readonly reportedAt: number
}

/**
 * Whether one report replaces another about the same source. Providers report the time in seconds; of two reports of
 * the same second, a dispute's win follows its beginning, and a refund's larger amount follows the smaller one.
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

/**
 * The credits taken back according to the latest reports: those that each part of the price bought, in all no more than
 * were granted.
 */
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

/**
 * The state of a purchase: its granted credits, the amount paid for it, and the credits that its refunds and disputes
 * have taken back.
 */
export interface PurchaseState extends Payment {
  /** Whole credits, 1 or more. */
  readonly granted: number
  /** Whole credits taken back so far, according to the reports. */
  readonly clawedBack: number
  /** The latest report of its refund and of each of its disputes. */
  readonly reports: ReadonlyArray<CorrectionReport>
}
