import type { ChargedPurchase } from "../Correction.ts"

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
