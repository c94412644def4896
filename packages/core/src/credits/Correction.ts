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
