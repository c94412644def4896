import type { CatalogData } from "../../tiers/CatalogData.ts"
import type { UserId } from "../../identity/UserId.ts"
import { type BillingAccount, type BoughtCredits, noBilling } from "../BillingAccount.ts"
import { decidePayment } from "../decide/decidePayment.ts"
import type { PaymentDecision } from "../decide/PaymentDecision.ts"
import type { PaymentFact } from "../inbox/paymentReferences.ts"

/** The state to which an event would be applied. */
export interface Grounds {
  readonly account: BillingAccount
  readonly bought?: BoughtCredits | undefined
  readonly catalog: CatalogData
  /** Unix milliseconds. */
  readonly now: number
}

/** Returns the decision that the rules would make for a reported fact. */
export const wouldFollow = ({ account, bought, catalog, now }: Grounds, fact: PaymentFact): PaymentDecision =>
  decidePayment({ account, bought, catalog, now, changeKey: "compared", used: undefined }, { createdAt: now }, fact)

/** Returns the reason why the rules refuse a sale to a person; undefined if they allow it. */
export const refusalOf = (
  { catalog, now, userId }: Pick<Grounds, "catalog" | "now"> & { readonly userId: UserId },
  fact: PaymentFact
): string | undefined => {
  const { note, state } = wouldFollow({ account: noBilling(userId), catalog, now }, fact).outcome
  return state === "refused" ? note : undefined
}
