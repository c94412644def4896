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

/** A change of a person's credits: an operation of the ledger, by name. */
export type CreditAction =
  | {
      readonly _tag: "FollowPlan"
      readonly input: FollowPlanInput
      /** The followed period after the action, from the one before it and the replaced period of the account. */
      readonly followed: (before: FollowedPeriod | undefined, left: LeftPeriod | undefined) => FollowedPeriod
    }
  | { readonly _tag: "Grant"; readonly input: GrantInput }
  | { readonly _tag: "Refund"; readonly input: RefundInput }
  | { readonly _tag: "Dispute"; readonly input: DisputeInput }
  | {
      readonly _tag: "TakeFromPeriod"
      readonly input: TakeFromPeriodInput
      /** The key of a period that is over; undefined for the one that is followed then. */
      readonly of: string | undefined
    }

/** The input of a decision. */
export interface PaymentView {
  readonly account: BillingAccount
  /** The purchase of this session or payment. */
  readonly bought: BoughtCredits | undefined
  readonly catalog: CatalogData
  /** Unix milliseconds. */
  readonly now: number
  /** Names a change of the plan that this event makes. */
  readonly changeKey: string
  /** The credits used of the periods that the decision named as `unseen`; undefined before it did. */
  readonly used: UsedCredits | undefined
}

/** The consequences of an event. */
export interface PaymentDecision {
  readonly outcome: EventOutcome
  /** Done one after another, all or none. */
  readonly actions: ReadonlyArray<CreditAction>
  /** The subscription it is about, as it is known now. */
  readonly subscription: SubscriptionFacts | undefined
  /** The followed period before the actions, which change it; undefined if it stays as it is. */
  readonly followed: FollowedPeriod | undefined
  readonly invoiceReports: ReadonlyArray<InvoiceReport> | undefined
  readonly bought: BoughtCredits | undefined
  /** The new references to this person; see `referencesOf`. */
  readonly links: ReadonlyArray<string>
  /** The references that must be linked before the event can be applied. */
  readonly waitsFor: ReadonlyArray<string>
  /** Periods that are over, whose used credits are to be read: the event is then decided again. */
  readonly unseen: ReadonlyArray<PastPeriod>
  /** As in `KeptEvent`. */
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
