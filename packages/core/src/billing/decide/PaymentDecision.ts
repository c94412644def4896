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

/** What is to be done to a person's credits: an operation of the ledger, by name. */
export type CreditAction =
  | {
      readonly _tag: "FollowPlan"
      readonly input: FollowPlanInput
      /** What is followed then, by what was followed and what the account had before. */
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

/** What an event is decided on. */
export interface PaymentView {
  readonly account: BillingAccount
  /** What was bought by this session, or with this payment. */
  readonly bought: BoughtCredits | undefined
  readonly catalog: CatalogData
  /** Unix milliseconds. */
  readonly now: number
  /** Names a change of the plan that this event makes. */
  readonly changeKey: string
  /** The credits used of the periods that the decision named as `unseen`; undefined before it did. */
  readonly used: UsedCredits | undefined
}

/** What follows from an event. */
export interface PaymentDecision {
  readonly outcome: EventOutcome
  /** Done one after another, all or none. */
  readonly actions: ReadonlyArray<CreditAction>
  /** The subscription it is about, as it is known now. */
  readonly subscription: SubscriptionFacts | undefined
  /** Undefined: as it was. Before the actions, which change it. */
  readonly followed: FollowedPeriod | undefined
  readonly invoiceReports: ReadonlyArray<InvoiceReport> | undefined
  readonly bought: BoughtCredits | undefined
  /** What names this person from now on; see `referencesOf`. */
  readonly links: ReadonlyArray<string>
  /** What has to be linked before it can be applied. */
  readonly waitsFor: ReadonlyArray<string>
  /** Periods that are over, whose used credits are to be read: the event is then decided again. */
  readonly unseen: ReadonlyArray<PastPeriod>
  /** As in `KeptEvent`. */
  readonly payment: EventPayment | undefined
}

/** Nothing follows. */
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
