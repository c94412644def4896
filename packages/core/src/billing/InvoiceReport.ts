import { type CorrectionReport, withReport } from "../credits/Purchase.ts"
import type { PeriodPayment } from "./SubscriptionFacts.ts"

/** A report on the payment of an invoice: the part of it that is refunded or disputed. */
export interface InvoiceReport extends CorrectionReport {
  readonly invoiceId: string
  /** The total of which `part` is a part; undefined means the amount of the invoice. */
  readonly whole: number | undefined
  readonly currency: string
}

/**
 * Returns `reports` with one more. For each refund and dispute the latest report is stored, in any order of arrival.
 */
export const withInvoiceReport = (
  reports: ReadonlyArray<InvoiceReport>,
  report: InvoiceReport
): ReadonlyArray<InvoiceReport> => {
  const isOfInvoice = ({ invoiceId }: InvoiceReport) => invoiceId === report.invoiceId
  return [...reports.filter((one) => !isOfInvoice(one)), ...withReport(reports.filter(isOfInvoice), report)]
}

const scaled = (
  granted: number,
  { currency, part, whole }: InvoiceReport,
  { amount, currency: paidIn }: PeriodPayment
): number => {
  const all = whole ?? (currency === paidIn ? amount : part)
  return part >= all ? granted : Number((BigInt(granted) * BigInt(part)) / BigInt(all))
}

/**
 * Returns the part of `granted` credits that the latest reports on their payment take back: the sum of `floor(granted *
 * part / whole)` over the reports.
 */
export const refundedOf = (
  granted: number,
  payment: PeriodPayment | undefined,
  reports: ReadonlyArray<InvoiceReport>
): number => {
  if (payment === undefined) return 0
  const out = reports
    .filter(({ invoiceId, isWon, part }) => invoiceId === payment.invoiceId && !isWon && part > 0)
    .reduce((sum, report) => sum + scaled(granted, report, payment), 0)
  return Math.min(granted, out)
}
