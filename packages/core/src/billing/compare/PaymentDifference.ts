import type { UserId } from "../../identity/UserId.ts"

/** The kinds of differences between the provider's objects and the stored payments. */
export const DIFFERENCE_KINDS = [
  /** A payment is paid, but no credits were granted for it. */
  "not-granted",
  /** Credits were granted, or a plan is in force, but the provider has no payment for it. */
  "not-paid",
  /** Both sides have the payment, with different amounts of money or of credits. */
  "amount",
  /** Money was refunded, or withdrawn by a bank, but the credits were not corrected. */
  "not-corrected",
  /** A subscription has another price, period or end at the provider, or its person is on a lower tier. */
  "plan",
  /** The person pays for a second subscription beside that of the plan. */
  "second-subscription",
  /** Stored payments of a person were changed or deleted by something other than payment events. */
  "altered",
  /** The provider's object has a form that Parley cannot read. */
  "unreadable"
] as const
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

/** One disagreement between the stored payments and the payment provider. */
export interface PaymentDifference {
  readonly kind: DifferenceKind
  /** The person of the payment; undefined if the payment is linked to no person. */
  readonly userId: UserId | undefined
  /** The id of the checkout session, invoice, charge, dispute or subscription; the person's id for altered payments. */
  readonly payment: string
  /** A description of both sides. */
  readonly found: string
}

export const money = (amount: number, currency: string): string => `${amount} ${currency}`

export const differs = (
  subject: Pick<PaymentDifference, "userId" | "payment">,
  kind: DifferenceKind,
  found: string
): PaymentDifference => ({ ...subject, kind, found })
