import type { UserId } from "../identity/UserId.ts"

/** The payment for a top-up. Reports of refunds and disputes contain its charge, by which the purchase is found. */
export interface Payment {
  /** The payment's id at the payment provider; refunds and disputes contain it. */
  readonly charge: string
  /** The paid amount in the smallest unit of its currency: a whole number, 1 or more. */
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
  /**
   * Unix milliseconds: the time of the report at the provider. Of several reports about one refund or dispute, the
   * latest applies.
   */
  readonly reportedAt: number
}

export interface RefundInput extends PurchaseReport {
  /** The total refunded amount of the charge, in the unit of `paid`. It decreases if a refund fails or is cancelled. */
  readonly refunded: number
  /**
   * The author of the report: the payment provider unless given. Refunds that an operator made by other means are added
   * to the refunds of the provider, and reports of the provider do not change them.
   */
  readonly by?: "operator" | undefined
}

export interface DisputeInput extends PurchaseReport {
  readonly dispute: string
  /** The disputed amount of the charge, in the unit of `paid`; it may change while the dispute is open. */
  readonly disputed: number
  /**
   * `withdrawn`: the provider took the money when the dispute began. `reinstated`: the provider returned the money when
   * the dispute was won.
   */
  readonly funds: "withdrawn" | "reinstated"
}

export interface AdjustInput {
  readonly userId: UserId
  readonly key: string
  /** Signed, not zero. A positive amount is added to the top-ups; a negative amount is taken from the top-ups first. */
  readonly amount: number
  /** The reason, for people who read the history later; stored with the key. */
  readonly reason: string
}

/**
 * A provider's id as one part of a key. Colons and percent signs are escaped, so that different ids never make the same
 * key.
 */
const partOf = (id: string): string => id.replaceAll("%", "%25").replaceAll(":", "%3A")

/** The key of the business event that a part of a charge was refunded. */
export const refundKey = ({ by, charge, refunded }: RefundInput): string =>
  `refund:${partOf(charge)}:${by === undefined ? "" : "by-operator:"}${refunded}`

/** The key of the business event that a dispute withdrew money, or returned it. */
export const disputeKey = ({ charge, dispute, funds }: DisputeInput): string =>
  `refund:${partOf(charge)}:${partOf(dispute)}:${funds}`

/** A refund or a dispute of a purchase as its provider reported it. */
export interface CorrectionReport {
  /** The subject of the report: the refunds of the provider, the refunds of an operator, or one of the disputes. */
  readonly source: string
  /** The refunded or disputed amount, in the smallest unit of the purchase's currency. */
  readonly part: number
  /** True if the dispute was won: the money was returned, so no credits are taken back. */
  readonly isWon: boolean
  /** Unix milliseconds. */
  readonly reportedAt: number
}

/**
 * Returns true if one report replaces another about the same refunds or dispute. Providers report the time in whole
 * seconds; of two reports of the same second, a dispute's win follows its beginning, and a refund's larger amount
 * follows the smaller amount.
 */
const isNewer = (report: CorrectionReport, before: CorrectionReport): boolean => {
  if (report.reportedAt !== before.reportedAt) return report.reportedAt > before.reportedAt
  if (report.isWon !== before.isWon) return report.isWon
  return report.part > before.part
}

/** Adds a report to the latest reports, of which there is one for each subject. */
export const withReport = <Report extends CorrectionReport>(
  reports: ReadonlyArray<Report>,
  report: Report
): ReadonlyArray<Report> => {
  const before = reports.find(({ source }) => source === report.source)
  if (before !== undefined && !isNewer(report, before)) return reports
  return [...reports.filter((one) => one !== before), report]
}

/**
 * The credits that are taken back according to the latest reports: the credits that each refunded or disputed part of
 * the price bought, together at most the granted credits.
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
  /** The latest report of each refund and dispute of the purchase. */
  readonly reports: ReadonlyArray<CorrectionReport>
}
