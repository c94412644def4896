import type { Payment } from "../Correction.ts"
import type { CorrectionReport } from "./reportedCorrection.ts"

/** A purchase as it stands: what it gave, what was paid for it, and what its refunds and disputes have taken back. */
export interface PurchaseState extends Payment {
  /** Whole credits, 1 or more. */
  readonly granted: number
  /** Whole credits taken back so far: what is out by the reports. */
  readonly clawedBack: number
  /** The latest report of its refund and of each of its disputes. */
  readonly reports: ReadonlyArray<CorrectionReport>
}
