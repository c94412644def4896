import type { UserId } from "../../identity/UserId.ts"

/** The ways in which the provider and the stored payments can disagree. */
export const DIFFERENCE_KINDS = [
  /** It is paid, and no credits were given for it. */
  "not-granted",
  /** Credits were granted, or a plan is in force, without a payment at the provider. */
  "not-paid",
  /** Both sides know the payment, with different amounts of money or of credits. */
  "amount",
  /** Money was refunded, or withdrawn by a bank, and the credits were not corrected. */
  "not-corrected",
  /** A subscription has another price, period or end at the provider, or its person is on a lower tier. */
  "plan",
  /** A second subscription is paid for in addition to the plan's. */
  "second-subscription",
  /** Stored payments of a person were changed or deleted past the events. */
  "altered",
  /** The provider's object has an unknown form. */
  "unreadable"
] as const
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

/** One disagreement between the stored payments and the payment provider. */
export interface PaymentDifference {
  readonly kind: DifferenceKind
  /** The person it is about; undefined if it is linked to no person. */
  readonly userId: UserId | undefined
  /** The id of the checkout session, invoice, charge, dispute or subscription; the person's id for altered payments. */
  readonly payment: string
  /** Both statements, in words. */
  readonly found: string
}

export const money = (amount: number, currency: string): string => `${amount} ${currency}`

export const differs = (
  subject: Pick<PaymentDifference, "userId" | "payment">,
  kind: DifferenceKind,
  found: string
): PaymentDifference => ({ ...subject, kind, found })
