import type { DisputeInput, RefundInput } from "../../credits/Purchase.ts"
import type { GrantInput } from "../../credits/rules/grantsAndCorrections.ts"
import type { FollowPlanInput, LeftPeriod } from "../../credits/rules/followPlan.ts"
import type { TakeFromPeriodInput } from "../../credits/rules/takeFromPeriod.ts"
import type { CatalogData } from "../../tiers/CatalogData.ts"
import type { BillingAccount, BoughtCredits, EventOutcome, EventPayment } from "../BillingAccount.ts"
import type { FollowedPeriod } from "../FollowedPeriod.ts"
import type { InvoiceReport } from "../InvoiceReport.ts"
import type { SubscriptionFacts } from "../SubscriptionFacts.ts"
import type { PastPeriod, UsedCredits } from "./pastPeriods.ts"

/** A change of a person's credits: the name of a ledger operation, and its input. */
export type CreditAction =
  | {
      readonly _tag: "FollowPlan"
      readonly input: FollowPlanInput
      /**
       * Returns the followed period after the action, from the followed period before it and from the account's credits
       * of the replaced period.
       */
      readonly followed: (before: FollowedPeriod | undefined, left: LeftPeriod | undefined) => FollowedPeriod
    }
  | { readonly _tag: "Grant"; readonly input: GrantInput }
  | { readonly _tag: "Refund"; readonly input: RefundInput }
  | { readonly _tag: "Dispute"; readonly input: DisputeInput }
  | {
      readonly _tag: "TakeFromPeriod"
      readonly input: TakeFromPeriodInput
      /** The key of a past period; undefined for the period that is followed when the action runs. */
      readonly of: string | undefined
    }

/** The input of a decision. */
export interface PaymentView {
  readonly account: BillingAccount
  /** The purchase to which the event's session or payment belongs; undefined if there is none. */
  readonly bought: BoughtCredits | undefined
  readonly catalog: CatalogData
  /** Unix milliseconds. */
  readonly now: number
  /** The key of the change of plan that this event makes. */
  readonly changeKey: string
  /**
   * The spent credits of the periods that an earlier decision on this event returned as `unseen`; undefined for the
   * first decision.
   */
  readonly used: UsedCredits | undefined
}

/** The consequences of a payment event. */
export interface PaymentDecision {
  readonly outcome: EventOutcome
  /** Done in this order; if the ledger refuses one, none of them is done. */
  readonly actions: ReadonlyArray<CreditAction>
  /** The new facts of the subscription to which the event refers. */
  readonly subscription: SubscriptionFacts | undefined
  /** The followed period from which the actions start; undefined if it stays unchanged. */
  readonly followed: FollowedPeriod | undefined
  readonly invoiceReports: ReadonlyArray<InvoiceReport> | undefined
  readonly bought: BoughtCredits | undefined
  /** The references that become linked to this person: see `referencesOf`. */
  readonly links: ReadonlyArray<string>
  /** The references that must be linked before the event can be applied. */
  readonly waitsFor: ReadonlyArray<string>
  /** Past periods whose spent credits have to be read; then the event is decided again. */
  readonly unseen: ReadonlyArray<PastPeriod>
  /** As in `KeptEvent`: the payment to which the event refers. */
  readonly payment: EventPayment | undefined
}

/** A decision without consequences. */
export const UNCHANGED = {
  actions: [],
  subscription: undefined,
  followed: undefined,
  invoiceReports: undefined,
  bought: undefined,
  links: [],
  waitsFor: [],
  unseen: [],
  payment: undefined
} as const
