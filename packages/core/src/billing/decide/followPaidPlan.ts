import type { FollowPlanInput } from "../../credits/rules/followPlan.ts"
import type { BillingAccount } from "../BillingAccount.ts"
import { followedPeriod, isFollowed, restOf, takenBeyond, withOwnKey } from "../FollowedPeriod.ts"
import { type InvoiceReport, withInvoiceReport } from "../InvoiceReport.ts"
import { type Plan, planOf } from "../planOf.ts"
import { noFacts, paidBefore, type SubscriptionFacts } from "../SubscriptionFacts.ts"
import { pastPeriods, pastTakings } from "./pastPeriods.ts"
import { type CreditAction, type PaymentDecision, type PaymentView, UNCHANGED } from "./PaymentDecision.ts"

const sameTerms = (a: Plan | undefined, b: Plan): boolean =>
  a !== undefined &&
  a.subscriptionId === b.subscriptionId &&
  a.periodKey === b.periodKey &&
  (Object.keys(b.terms) as ReadonlyArray<keyof Plan["terms"]>).every((name) => a.terms[name] === b.terms[name])

/**
 * The credits of a plan's period that an imported balance already contains, because their payment was reported before
 * the balance and the period had begun then. Undefined if there are none.
 */
const containedCredits = (
  { account, catalog, now }: Pick<PaymentView, "account" | "catalog" | "now">,
  known: Partial<Pick<BillingAccount, "subscriptions" | "invoiceReports">>,
  { subscriptionId, terms: { periodStart } }: Plan
): number | undefined => {
  const { importedAt } = account
  if (importedAt === undefined || periodStart >= importedAt) return undefined
  const all = { ...account, ...known }
  const own = all.subscriptions.filter(({ id }) => id === subscriptionId)
  const then = planOf({ ...all, subscriptions: own.map((facts) => paidBefore(facts, importedAt)) }, catalog, now)
  return then?.terms.periodStart === periodStart ? then.terms.allowance : undefined
}

/** Decides the change of the credits from the plan of the earlier facts to the plan of all facts. */
const followed = (
  { account, catalog, changeKey, now }: PaymentView,
  known: Partial<Pick<BillingAccount, "subscriptions" | "invoiceReports">>,
  noted: Pick<PaymentDecision, "links" | "subscription" | "invoiceReports">
): PaymentDecision => {
  const { pinned, userId } = account
  const all = { ...account, ...known }
  const was = planOf(account, catalog, now)
  const found = planOf(all, catalog, now)
  const learned = { ...UNCHANGED, ...noted }
  if (found === undefined) {
    return { ...learned, outcome: { state: "applied", note: "noted: nothing of it is paid for yet" } }
  }
  if (pinned) return { ...learned, outcome: { state: "applied", note: "noted: an operator has pinned the tier" } }
  const before = account.followed
  const plan = withOwnKey(before, found)
  const { periodKey, refunded, terms } = plan
  const { periodStart } = terms
  const beyond = takenBeyond(before, periodKey)
  const taking = (key: string, amount: number, ofBeyond = 0, of?: string): ReadonlyArray<CreditAction> => {
    const input = { userId, key: `refund:${key}`, periodStart, amount, beyond: ofBeyond }
    return amount === 0 ? [] : [{ _tag: "TakeFromPeriod", input, of }]
  }
  if (before !== undefined && sameTerms(was, found) && isFollowed(before, plan)) {
    const more = refunded - (before.taken?.allowance ?? 0) - beyond
    const actions = taking(changeKey, more, Math.min(beyond, Math.max(0, 0 - more)))
    const isSame = actions.length === 0
    const note = isSame ? "noted: the plan stays as it is" : "the period's credits follow what is refunded"
    return { ...learned, followed: isSame ? undefined : before, actions, outcome: { state: "applied", note } }
  }
  // Returns all credits that were taken back, first the part that may repay a debt, and takes them again from the
  // credits of the new plan.
  const isOver = before?.periodKey !== periodKey
  const back = taking(`${changeKey}:returned`, 0 - beyond, beyond, isOver ? periodKey : undefined)
  const input: FollowPlanInput = {
    userId,
    terms,
    periodKey,
    resumes: restOf(before, plan),
    taken: before && { periodStart: before.periodStart, credits: before.taken?.allowance ?? 0 },
    contained: containedCredits({ account, catalog, now }, known, plan),
    changeKey
  }
  const follow: CreditAction = {
    _tag: "FollowPlan",
    input,
    followed: (so, left) => followedPeriod(so, plan, all.subscriptions, userId, left)
  }
  return {
    ...learned,
    followed: before,
    actions: [...back, follow, ...taking(changeKey, refunded)],
    outcome: { state: "applied", note: `the plan is ${terms.tier}` }
  }
}

/**
 * Adds the actions for spent credits of past periods that the invoice paid for: takes them back to the extent that the
 * invoice is refunded, and returns them if the refund becomes smaller.
 */
const withPast = (
  { account, catalog, changeKey, now, used }: PaymentView,
  known: Partial<Pick<BillingAccount, "subscriptions" | "invoiceReports">>,
  invoiceId: string,
  decision: PaymentDecision
): PaymentDecision => {
  const past = pastPeriods({ ...account, ...known }, catalog, now, invoiceId)
  if (used === undefined) return { ...decision, unseen: past }
  const takings = pastTakings(account, past, used)
  if (takings.length === 0) return decision
  const { userId } = account
  const moves = takings.map(({ credits: amount, periodKey: of, periodStart }): CreditAction => {
    const key = `refund:${changeKey}:${of}`
    const beyond = Math.max(0, 0 - amount)
    return { _tag: "TakeFromPeriod", input: { userId, key, periodStart, amount, beyond }, of }
  })
  const isBack = takings.map(({ credits }) => credits < 0)
  return {
    ...decision,
    followed: decision.followed ?? account.followed,
    // Returned credits repay debt, so these actions come before the actions that take credits.
    actions: [
      ...moves.filter((_, index) => isBack[index]),
      ...decision.actions,
      ...moves.filter((_, index) => !isBack[index])
    ],
    outcome: { state: "applied", note: "what was used of a period that is over follows what is refunded" }
  }
}

/**
 * Adds new facts of a subscription. `invoiceId` is given if the facts come from an invoice, which may have been
 * refunded before it was reported.
 */
export const learnedOf = (
  view: PaymentView,
  links: ReadonlyArray<string>,
  subscriptionId: string,
  learn: (facts: SubscriptionFacts) => SubscriptionFacts,
  invoiceId?: string
): PaymentDecision => {
  const { invoiceReports, subscriptions } = view.account
  const before = subscriptions.find(({ id }) => id === subscriptionId) ?? noFacts(subscriptionId)
  const subscription = learn(before)
  const others = subscriptions.filter(({ id }) => id !== subscriptionId)
  const known = { subscriptions: [...others, subscription] }
  const decision = followed(view, known, { links, subscription, invoiceReports: undefined })
  return invoiceId !== undefined && invoiceReports.some((report) => report.invoiceId === invoiceId)
    ? withPast(view, known, invoiceId, decision)
    : decision
}

/** Adds a report on the payment of an invoice, which may arrive before the invoice itself. */
export const decideInvoiceReport = (view: PaymentView, report: InvoiceReport): PaymentDecision => {
  const known = { invoiceReports: withInvoiceReport(view.account.invoiceReports, report) }
  const decision = followed(view, known, { links: [], subscription: undefined, ...known })
  return withPast(view, known, report.invoiceId, decision)
}

/** Decides the change of the credits to the plan of all facts, after an operator's tier had replaced that plan. */
export const followAgain = (view: PaymentView): PaymentDecision =>
  followed({ ...view, account: { ...view.account, pinned: false } }, {}, UNCHANGED)
