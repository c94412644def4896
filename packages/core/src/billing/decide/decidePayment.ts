import type { UserId } from "../../identity/UserId.ts"
import { type BoughtCredits, toBeRefunded } from "../BillingAccount.ts"
import type {
  CheckoutSession,
  PaidInvoice,
  PaymentCharge,
  PaymentDispute,
  PaymentSubscription
} from "../provider/PaymentEvent.ts"
import { creditsOfItems, itemsOf } from "../inbox/soldItems.ts"
import {
  disputedPayment,
  invoiceReference,
  paymentOf,
  type PaymentFact,
  paymentReference,
  referencesOf
} from "../inbox/paymentReferences.ts"
import { tierOfPrice } from "../planOf.ts"
import {
  paidAfterEnd,
  paidLines,
  type SubscriptionFacts,
  withCheckout,
  withInvoice,
  withReport
} from "../SubscriptionFacts.ts"
import { decideInvoiceReport, learnedOf } from "./followPaidPlan.ts"
import { correctedPayment } from "./owedPayment.ts"
import { type PaymentDecision, type PaymentView, UNCHANGED } from "./PaymentDecision.ts"

const ignored = (note: string, links: ReadonlyArray<string> = []): PaymentDecision => ({
  ...UNCHANGED,
  outcome: { state: "ignored", note },
  links
})

/** The links of an event, and the time of the event. */
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

const refusedQuantity = (quantity: number, subject: Subject): PaymentDecision =>
  refused(`it is for ${quantity} of a plan, which is sold once each`, subject)

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
  if (plan === undefined) return refused("its price is for no plan in the catalog", subject)
  if (plan.quantity !== 1) return refusedQuantity(plan.quantity, subject)
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
  // The invoice may pay only for something other than a plan; its period is then not a period of the plan.
  if (!lines.some(({ priceId }) => isPlan(priceId))) return refused("its price is for no plan in the catalog", subject)
  const several = lines.find(({ quantity }) => quantity !== 1)
  if (several !== undefined) return refusedQuantity(several.quantity, subject)
  const learn = (facts: SubscriptionFacts) => withInvoice(facts, invoice, isPlan, subject.at)
  const learned = learnedOf(view, links, subscriptionId, learn, invoice.id)
  const { endedAt = Infinity } = learned.subscription ?? {}
  return endedAt < subject.at && invoice.amountPaid > 0 ? afterTheEnd(learned, invoice.id) : learned
}

/**
 * Marks the payment of an invoice as owed if the subscription had ended before the payment: such an invoice grants
 * nothing.
 */
const afterTheEnd = (learned: PaymentDecision, invoiceId: string): PaymentDecision => ({
  ...learned,
  outcome: toBeRefunded(`invoice ${invoiceId} was paid after its subscription had ended`),
  payment: { reference: invoiceReference(invoiceId) }
})

const decideReport = (view: PaymentView, subject: Subject, report: PaymentSubscription): PaymentDecision => {
  const isPlan = (priceId: string) => tierOfPrice(view.catalog, priceId) !== undefined
  const learn = (facts: SubscriptionFacts) => withReport(facts, report, subject.at, isPlan)
  const learned = learnedOf(view, subject.links, report.id, learn)
  const hadEnded = view.account.subscriptions.some(({ endedAt, id }) => id === report.id && endedAt !== undefined)
  const late = learned.subscription && paidAfterEnd(learned.subscription)
  return hadEnded || late === undefined ? learned : afterTheEnd(learned, late.invoiceId)
}

/** Converts a `part` of `whole` into the units of `paid`; at most `paid`. */
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

/** The purchase that was refunded or disputed, in the form that the ledger reads. */
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

/**
 * The disputed part of a payment, in the units of the payment: the dispute's share of the charge is applied to the
 * payment. If the charge is known neither in the currency of the dispute nor in that of the payment, the whole payment
 * counts as disputed.
 */
const disputedPart = (
  { amount, currency, whole }: PaymentDispute,
  { currency: paidIn, paid }: BoughtCredits
): number => {
  if (typeof whole === "number") return scaled(amount, whole, paid)
  return currency === paidIn ? Math.min(amount, paid) : paid
}

const decideDispute = (view: PaymentView, { at }: Subject, dispute: PaymentDispute): PaymentDecision => {
  const { account, bought } = view
  const { userId } = account
  const { amount, currency, funds, id, invoiceId, whole } = dispute
  if (funds === "untouched") return ignored("the bank only asks")
  if (typeof invoiceId === "string") {
    const report = { source: `dispute ${id}`, part: amount, whole: whole ?? undefined, currency, reportedAt: at }
    return decideInvoiceReport(view, { ...report, invoiceId, isWon: funds === "reinstated" })
  }
  const payment = disputedPayment(dispute)
  if (bought === undefined) return waiting(payment)
  const disputed = disputedPart(dispute, bought)
  return {
    ...UNCHANGED,
    outcome: { state: "applied", note: funds === "withdrawn" ? "credits are taken back" : "credits are given back" },
    actions: [{ _tag: "Dispute", input: { ...purchaseOf(userId, payment, bought, at), dispute: id, disputed, funds } }]
  }
}

/** Returns true for an event about a plan: its facts are stored even if they were reported before an import. */
const isOfPlan = (fact: PaymentFact): boolean =>
  fact._tag === "InvoicePaid" ||
  fact._tag === "Subscription" ||
  fact._tag === "Unreadable" ||
  (fact._tag === "Checkout" && fact.session.mode === "subscription")

/**
 * Decides the consequences of a payment event for a person. The facts of a subscription do not depend on the order of
 * its events, the plan is a function of the facts, and the ledger does each grant and correction once for its key. So
 * the result does not depend on the time, the number and the order of events.
 */
export const decidePayment = (
  view: PaymentView,
  event: { readonly createdAt: number },
  fact: PaymentFact
): PaymentDecision => {
  const links = fact._tag === "Charge" || fact._tag === "Dispute" ? [] : referencesOf(fact)
  const subject: Subject = { at: event.createdAt, links }
  if (event.createdAt < (view.account.importedAt ?? -Infinity) && !isOfPlan(fact)) {
    return ignored("it is from before the import of its person, and part of the imported balance", links)
  }
  switch (fact._tag) {
    case "Checkout":
      return decideCheckout(view, subject, fact.session)
    case "InvoicePaid":
      return decideInvoice(view, subject, fact.invoice)
    case "Subscription":
      return decideReport(view, subject, fact.subscription)
    case "Charge":
      return { ...decideCharge(view, subject, fact.charge), payment: correctedPayment(fact) }
    case "Dispute":
      return { ...decideDispute(view, subject, fact.dispute), payment: correctedPayment(fact) }
    case "Unreadable":
      return { ...UNCHANGED, outcome: { state: "unreadable", note: fact.problem } }
  }
}
