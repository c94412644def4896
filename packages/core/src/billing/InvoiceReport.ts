import { type CorrectionReport, withReport } from "../credits/Purchase.ts"
import type { PeriodPayment } from "./SubscriptionFacts.ts"

/** A report on the payment of an invoice: the part of it that is refunded or disputed. */
export interface InvoiceReport extends CorrectionReport {
  readonly invoiceId: string
  /** The whole of which `part` is a part; undefined means the invoice. */
  readonly whole: number | undefined
  readonly currency: string
}

/** `reports` with one more: the latest report of each refund and each dispute counts, in any order of arrival. */
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

/** The part of `granted` credits that the latest reports of their payment take back: `floor(granted * part / whole)` each. */
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
