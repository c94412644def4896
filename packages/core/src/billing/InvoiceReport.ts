import { type CorrectionReport, withReport } from "../credits/Purchase.ts"
import type { PeriodPayment } from "./SubscriptionFacts.ts"

/** What was reported of the payment of an invoice: how much of it is refunded, or disputed. */
export interface InvoiceReport extends CorrectionReport {
  readonly invoiceId: string
  /** What `part` is a part of; undefined where the report does not say: the invoice then. */
  readonly whole: number | undefined
  readonly currency: string
}

/** `reports` with one more: of each refund and each dispute the latest counts, in whatever order they come. */
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

/** What of `granted` credits is out by the latest reports of their payment: `floor(granted * part / whole)` each. */
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
