import type { DisputeInput, RefundInput } from "../credits/Correction.ts"
import type { GrantInput } from "../credits/Grant.ts"
import type { FollowPlanInput, LeftPeriod } from "../credits/rules/followPlan.ts"
import type { UserId } from "../identity/UserId.ts"
import type { CatalogData } from "../tiers/CatalogData.ts"
import type { TakeFromPeriodInput } from "../credits/rules/takeFromPeriod.ts"
import type { BillingAccount, BoughtCredits, EventOutcome } from "./BillingAccount.ts"
import { type FollowedPeriod, followedPeriod, isFollowed, restOf, withOwnKey } from "./FollowedPeriod.ts"
import { type InvoiceReport, withInvoiceReport } from "./InvoiceReport.ts"
import type {
  CheckoutSession,
  PaidInvoice,
  PaymentCharge,
  PaymentDispute,
  PaymentSubscription
} from "./PaymentEvent.ts"
import { creditsOfItems, itemsOf } from "./inbox/soldItems.ts"
import {
  disputedPayment,
  invoiceReference,
  paymentOf,
  type PaymentFact,
  paymentReference,
  referencesOf
} from "./paymentReferences.ts"
import { type Plan, planOf, tierOfPrice } from "./planOf.ts"
import {
  noFacts,
  paidLines,
  type SubscriptionFacts,
  withCheckout,
  withInvoice,
  withReport
} from "./SubscriptionFacts.ts"

/** What is to be done to a person's credits: an operation of the ledger, by name. */
export type CreditAction =
  | {
      readonly _tag: "FollowPlan"
      readonly input: FollowPlanInput
      /** What is followed then, by what the account had before. */
      readonly followed: (left: LeftPeriod | undefined) => FollowedPeriod
    }
  | { readonly _tag: "Grant"; readonly input: GrantInput }
  | { readonly _tag: "Refund"; readonly input: RefundInput }
  | { readonly _tag: "Dispute"; readonly input: DisputeInput }
  | {
      readonly _tag: "TakeFromPeriod"
      readonly input: TakeFromPeriodInput
      /** Whether it is taken of the period that is followed then. */
      readonly counts: boolean
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
}

/** Nothing follows. */
export const UNCHANGED = {
  actions: [],
  subscription: undefined,
  followed: undefined,
  invoiceReports: undefined,
  bought: undefined,
  links: [],
  waitsFor: []
} as const

const ignored = (note: string, links: ReadonlyArray<string> = []): PaymentDecision => ({
  ...UNCHANGED,
  outcome: { state: "ignored", note },
  links
})

/** What an event links, and when it happened. */
interface Subject {
  /** Unix milliseconds. */
  readonly at: number
  readonly links: ReadonlyArray<string>
}

const refused = (note: string, { links }: Subject): PaymentDecision => ({
  ...UNCHANGED,
  outcome: { state: "refused", note },
  links
})

const sameTerms = (a: Plan | undefined, b: Plan): boolean =>
  a !== undefined &&
  a.subscriptionId === b.subscriptionId &&
  a.periodKey === b.periodKey &&
  (Object.keys(b.terms) as ReadonlyArray<keyof Plan["terms"]>).every((name) => a.terms[name] === b.terms[name])

/** Has the credits follow the plan that all facts together make, from what was known of the person to what is known now. */
const followed = (
  { account, catalog, changeKey, now }: PaymentView,
  known: Partial<Pick<BillingAccount, "subscriptions" | "invoiceReports">>,
  noted: Pick<PaymentDecision, "links" | "subscription" | "invoiceReports">
): PaymentDecision => {
  const { userId } = account
  const all = { ...account, ...known }
  const was = planOf(account, catalog, now)
  const found = planOf(all, catalog, now)
  const learned = { ...UNCHANGED, ...noted }
  if (found === undefined) {
    return { ...learned, outcome: { state: "applied", note: "noted: nothing of it is paid for yet" } }
  }
  const plan = withOwnKey(account.followed, found)
  const { periodKey, refunded, terms } = plan
  const { periodStart } = terms
  const before = account.followed
  const isSamePlan = before !== undefined && before.subscriptionId === plan.subscriptionId
  const taken = isSamePlan && before.periodStart === periodStart ? before.taken : undefined
  const stays = before !== undefined && sameTerms(was, found) && isFollowed(before, plan)
  if (stays && refunded === (taken?.wanted ?? 0)) {
    return { ...learned, outcome: { state: "applied", note: "noted: the plan stays as it is" } }
  }
  const take = (key: string, start: number, amount: number, counts = true): ReadonlyArray<CreditAction> => {
    const input = { userId, key: `refund:${key}`, periodStart: start, amount }
    return amount === 0 ? [] : [{ _tag: "TakeFromPeriod", input, counts }]
  }
  if (stays) {
    const { credits = 0, wanted = 0 } = taken ?? {}
    const amount = refunded > wanted ? refunded - credits : Math.min(refunded, credits) - credits
    return {
      ...learned,
      followed: { ...before, taken: { wanted: refunded, credits } },
      actions: take(changeKey, periodStart, amount),
      outcome: { state: "applied", note: "the period's credits follow what is refunded" }
    }
  }
  // What was taken of the period is there again, as the plan would have found it, and taken then of what the plan gives.
  // With the next period of the plan it would have expired.
  const expired = isSamePlan && before.periodStart !== periodStart
  const returned = expired ? 0 : (before?.taken?.credits ?? 0)
  const resumes = restOf(before, plan)
  const input: FollowPlanInput = { userId, terms, periodKey, resumes, changeKey }
  return {
    ...learned,
    actions: [
      ...take(`${changeKey}:returned`, before?.periodStart ?? periodStart, 0 - returned, false),
      {
        _tag: "FollowPlan",
        input,
        followed: (left) => followedPeriod(before, plan, all.subscriptions, userId, left)
      },
      ...take(changeKey, periodStart, refunded)
    ],
    outcome: { state: "applied", note: `the plan is ${terms.tier}` }
  }
}

/** Takes new facts of a subscription in. */
const learnedOf = (
  view: PaymentView,
  links: ReadonlyArray<string>,
  subscriptionId: string,
  learn: (facts: SubscriptionFacts) => SubscriptionFacts
): PaymentDecision => {
  const { subscriptions } = view.account
  const before = subscriptions.find(({ id }) => id === subscriptionId) ?? noFacts(subscriptionId)
  const subscription = learn(before)
  const others = subscriptions.filter(({ id }) => id !== subscriptionId)
  const known = { subscriptions: [...others, subscription] }
  return followed(view, known, { links, subscription, invoiceReports: undefined })
}

/** Takes in what was reported of the payment of an invoice, which may come before the invoice itself. */
const decideInvoiceReport = (view: PaymentView, report: InvoiceReport): PaymentDecision => {
  const invoiceReports = withInvoiceReport(view.account.invoiceReports, report)
  return followed(view, { invoiceReports }, { links: [], subscription: undefined, invoiceReports })
}

const decideTopup = (
  { account: { userId }, bought, catalog }: PaymentView,
  subject: Subject,
  session: CheckoutSession
): PaymentDecision => {
  if (bought !== undefined)
    return { ...ignored("granted before"), outcome: { state: "applied", note: "granted before" } }
  const { amountTotal: paid, currency, id: sessionId, paymentId } = session
  const sold = creditsOfItems(catalog, itemsOf(session))
  if (sold === undefined) {
    return refused("its price is for no credits in the catalog", subject)
  }
  const { credits: granted, priceId } = sold
  const payment = paymentId !== undefined && paid > 0 ? { charge: paymentId, paid } : undefined
  const { at, links } = subject
  return {
    ...UNCHANGED,
    outcome: { state: "applied", note: `${granted} credits were bought` },
    actions: [{ _tag: "Grant", input: { userId, key: `topup:${sessionId}`, type: "topup", amount: granted, payment } }],
    bought: { sessionId, paymentId, priceId, granted, paid, currency, boughtAt: at },
    links: payment === undefined ? links : [...links, paymentReference(payment.charge)]
  }
}

const decideCheckout = (view: PaymentView, subject: Subject, session: CheckoutSession): PaymentDecision => {
  if (!session.isPaid) return ignored("not paid yet", subject.links)
  if (session.mode === "setup") return ignored("nothing was bought", subject.links)
  if (session.mode === "one-time") return decideTopup(view, subject, session)
  const { subscriptionId } = session
  if (subscriptionId === undefined) return ignored("it names no subscription", subject.links)
  const plan = itemsOf(session).find(({ priceId }) => tierOfPrice(view.catalog, priceId) !== undefined)
  if (plan === undefined) {
    return refused("its price is for no plan in the catalog", subject)
  }
  return learnedOf(view, subject.links, subscriptionId, (facts) => withCheckout(facts, plan.priceId, subject.at))
}

const decideInvoice = (view: PaymentView, subject: Subject, invoice: PaidInvoice): PaymentDecision => {
  const { subscriptionId } = invoice
  const links = [...subject.links, invoiceReference(invoice.id)]
  if (subscriptionId === undefined) return ignored("it is for no subscription", links)
  const isPlan = (priceId: string) => tierOfPrice(view.catalog, priceId) !== undefined
  const { changes, period } = paidLines(invoice, isPlan)
  const lines = period === undefined ? changes : [period, ...changes]
  if (lines.length === 0) return ignored("it pays for no period and for no dearer plan", links)
  // It may be for something beside the plan: a period of that is none of the plan's.
  if (!lines.some(({ priceId }) => isPlan(priceId))) return refused("its price is for no plan in the catalog", subject)
  const several = lines.find(({ quantity }) => quantity !== 1)
  if (several !== undefined) return refused(`it is for ${several.quantity} of a plan, which is sold once each`, subject)
  return learnedOf(view, links, subscriptionId, (facts) => withInvoice(facts, invoice, isPlan))
}

const decideReport = (view: PaymentView, subject: Subject, report: PaymentSubscription): PaymentDecision => {
  const isPlan = (priceId: string) => tierOfPrice(view.catalog, priceId) !== undefined
  return learnedOf(view, subject.links, report.id, (facts) => withReport(facts, report, subject.at, isPlan))
}

/** Part of `whole`, in the units of `paid`; never more. */
const scaled = (part: number, whole: number, paid: number): number =>
  whole === paid || whole <= 0
    ? Math.min(part, paid)
    : Math.min(paid, Number((BigInt(part) * BigInt(paid)) / BigInt(whole)))

const waiting = (payment: string): PaymentDecision => ({
  ...UNCHANGED,
  outcome: {
    state: "waiting",
    note: "no purchase is known that was paid so: its checkout has not come"
  },
  waitsFor: [paymentReference(payment)]
})

/** The purchase that a refund or a dispute is about, as the ledger knows it. */
const purchaseOf = (userId: UserId, payment: string, { granted, paid }: BoughtCredits, reportedAt: number) => ({
  userId,
  charge: payment,
  granted,
  paid,
  reportedAt
})

const decideCharge = (view: PaymentView, { at }: Subject, charge: PaymentCharge): PaymentDecision => {
  const { bought, account } = view
  const { userId } = account
  if (typeof charge.invoiceId === "string") {
    const { amount: whole, amountRefunded: part, currency, invoiceId } = charge
    const source = `refund ${charge.id}`
    return decideInvoiceReport(view, { invoiceId, source, part, whole, currency, isWon: false, reportedAt: at })
  }
  const payment = paymentOf(charge)
  if (bought === undefined) return waiting(payment)
  const refunded = scaled(charge.amountRefunded, charge.amount, bought.paid)
  return {
    ...UNCHANGED,
    outcome: { state: "applied", note: "credits follow what is refunded" },
    actions: [{ _tag: "Refund", input: { ...purchaseOf(userId, payment, bought, at), refunded } }]
  }
}

const decideDispute = (view: PaymentView, { at }: Subject, dispute: PaymentDispute): PaymentDecision => {
  const { account, bought } = view
  const { userId } = account
  const { amount, currency, funds, id, invoiceId } = dispute
  if (funds === "untouched") return ignored("the bank only asks")
  if (typeof invoiceId === "string") {
    const report = { source: `dispute ${id}`, part: amount, whole: undefined, currency, reportedAt: at }
    return decideInvoiceReport(view, { ...report, invoiceId, isWon: funds === "reinstated" })
  }
  const payment = disputedPayment(dispute)
  if (bought === undefined) return waiting(payment)
  const disputed = currency === bought.currency ? Math.min(amount, bought.paid) : bought.paid
  return {
    ...UNCHANGED,
    outcome: { state: "applied", note: funds === "withdrawn" ? "credits are taken back" : "credits are given back" },
    actions: [{ _tag: "Dispute", input: { ...purchaseOf(userId, payment, bought, at), dispute: id, disputed, funds } }]
  }
}

/**
 * What follows from an event for a person. Facts of subscriptions add up to the same in any order, the plan is a function
 * of them, and the ledger gives each period, purchase and correction once for its key: so the end does not depend on
 * when, how often and in which order events come.
 */
export const decidePayment = (
  view: PaymentView,
  event: { readonly createdAt: number },
  fact: PaymentFact
): PaymentDecision => {
  const links = fact._tag === "Charge" || fact._tag === "Dispute" ? [] : referencesOf(fact)
  const subject: Subject = { at: event.createdAt, links }
  switch (fact._tag) {
    case "Checkout":
      return decideCheckout(view, subject, fact.session)
    case "InvoicePaid":
      return decideInvoice(view, subject, fact.invoice)
    case "Subscription":
      return decideReport(view, subject, fact.subscription)
    case "Charge":
      return decideCharge(view, subject, fact.charge)
    case "Dispute":
      return decideDispute(view, subject, fact.dispute)
    case "Unreadable":
      return { ...UNCHANGED, outcome: { state: "unreadable", note: fact.problem } }
  }
}
