import type { UserId } from "../identity/UserId.ts"

/** A purchase: what it gave, and what was paid for it in the smallest unit of its currency. Whole numbers, 1 or more. */
export interface ChargedPurchase {
  readonly userId: UserId
  /** The payment provider's charge. */
  readonly charge: string
  readonly granted: number
  readonly paid: number
}

export interface RefundInput extends ChargedPurchase {
  /** All that was refunded of the charge so far, in the unit of `paid`. */
  readonly refunded: number
}

export interface DisputeInput extends ChargedPurchase {
  readonly dispute: string
  /** What is disputed of the charge, in the unit of `paid`. */
  readonly disputed: number
  /** The money was taken back when the dispute began, or given back when it was won. */
  readonly funds: "withdrawn" | "reinstated"
}

export interface AdjustInput {
  readonly userId: UserId
  readonly key: string
  /** Signed, not zero. What is given goes to the top-ups; what is taken comes from them first. */
  readonly amount: number
  /** For whoever looks at it later; kept with the key. */
  readonly reason: string
}

/** Names the refunds and disputes of one charge. */
export const refundPrefix = ({ charge }: Pick<ChargedPurchase, "charge">): string => `refund:${charge}:`

/** The business fact that so much of a charge was refunded. */
export const refundKey = (input: RefundInput): string => `${refundPrefix(input)}${input.refunded}`

/** The business fact that a dispute took money back, or gave it back. */
export const disputeKey = (input: DisputeInput, funds: DisputeInput["funds"] = input.funds): string =>
  `${refundPrefix(input)}${input.dispute}:${funds}`
