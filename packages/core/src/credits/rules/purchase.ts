import { type Payment, purchaseKey } from "../Correction.ts"
import { type CorrectionReport, parseReport, withReport } from "./reportedCorrection.ts"

/** A purchase as it stands: what it gave, what was paid for it, and what its refunds and disputes have taken back. */
export interface PurchaseState extends Payment {
  /** Whole credits, 1 or more. */
  readonly granted: number
  /** Whole credits taken back so far. */
  readonly clawedBack: number
  /** The latest report of its refund and of each of its disputes. */
  readonly reports: ReadonlyArray<CorrectionReport>
}

/** An idempotency record of a purchase or of one of its corrections, and what its transaction moved. */
export interface PurchaseRecord {
  readonly key: string
  readonly fingerprint: string
  readonly amount: number
}

/** A purchase as its idempotency records describe it; undefined where none of them is the purchase itself. */
export const purchaseFrom = (charge: string, records: ReadonlyArray<PurchaseRecord>): PurchaseState | undefined => {
  const bought = records.find(({ key }) => key === purchaseKey({ charge }))
  if (bought === undefined) return undefined
  const [granted = 0, paid = 0] = bought.fingerprint.split(" ").slice(1).map(Number)
  let clawedBack = 0
  let reports: PurchaseState["reports"] = []
  for (const { amount, fingerprint } of records) {
    const report = parseReport(fingerprint)
    if (report === undefined) continue
    clawedBack -= amount
    reports = withReport(reports, report)
  }
  return { charge, granted, paid, clawedBack, reports }
}
