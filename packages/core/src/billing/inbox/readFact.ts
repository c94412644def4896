import { Effect } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { type EventOutcome, OTHER_MODE_NOTE } from "../BillingAccount.ts"
import type { BillingStore } from "../BillingStore.ts"
import type { PaymentFailed } from "../errors.ts"
import type {
  CheckoutSession,
  PaidFor,
  PaidInvoice,
  PaymentCharge,
  PaymentDispute,
  PaymentSubject,
  ReceivedPaymentEvent
} from "../provider/PaymentEvent.ts"
import type { LookUpFailed, PaymentLookups } from "../provider/PaymentLookups.ts"
import { claimedUser, disputedPayment, type PaymentFact, paymentOf, referencesOf } from "./paymentReferences.ts"

/** The final outcome of an event that has no person or no consequences. */
export interface Settled {
  readonly _tag: "Settled"
  readonly outcome: EventOutcome
}

const settled = (outcome: EventOutcome): Effect.Effect<Settled> => Effect.succeed({ _tag: "Settled", outcome })

const IGNORED: EventOutcome = { state: "ignored", note: "nothing depends on events of this kind" }
const FOREIGN: EventOutcome = { state: "ignored", note: "it is of another account" }
/**
 * Refused, but not done: after the operator has set a key and a secret of the same mode, the provider may list the
 * event again, and it is applied.
 */
const OF_OTHER_MODE: EventOutcome = { state: "refused", note: OTHER_MODE_NOTE }

const NO_SUBJECT: PaymentSubject = {
  customerId: undefined,
  subscriptionId: undefined,
  paymentId: undefined,
  userId: undefined
}

/**
 * Returns true for a fact with missing parts, for which the provider has to be asked. It is asked only for people of
 * this server, including erased people.
 */
export const isInPart = (fact: PaymentFact): boolean => {
  switch (fact._tag) {
    case "InvoicePaid":
      return fact.invoice.isCut === true
    case "Charge":
      return fact.charge.invoiceId === undefined
    case "Checkout": {
      const { isPaid, items, mode, priceId } = fact.session
      return isPaid && mode !== "setup" && priceId === undefined && items === undefined
    }
    default:
      return false
  }
}

/** The parts of an event that the reader needs. */
type ReportedEvent = Pick<ReceivedPaymentEvent, "customerId" | "event">

/** Turns an object that the provider does not have, or has in an unknown form, into an unreadable fact. */
const orUnreadable = (
  look: Effect.Effect<PaymentFact, LookUpFailed>,
  subject: Partial<PaymentSubject>
): Effect.Effect<PaymentFact, PaymentFailed> => {
  const unreadable = (problem: string) =>
    Effect.succeed<PaymentFact>({ _tag: "Unreadable", problem, subject: { ...NO_SUBJECT, ...subject } })
  return Effect.catchTags(look, {
    PaymentObjectNotFound: ({ object }) => unreadable(`the provider has no such ${object}`),
    PaymentObjectUnreadable: ({ problem }) => unreadable(problem)
  })
}

/** Makes the functions that ask the provider for the missing parts of facts. */
const lookedUpFacts = (lookups: PaymentLookups["Service"]) => {
  /** The invoice that a payment paid: according to its event, or else according to the provider. */
  const paidFor = (told: PaidFor | undefined, payment: string): Effect.Effect<PaidFor, LookUpFailed> =>
    told === undefined ? Effect.map(lookups.paymentInvoice(payment), (id) => id ?? null) : Effect.succeed(told)

  /**
   * The whole charge of a disputed payment, in the currency of the dispute; null if the provider does not state it in
   * that currency.
   */
  const chargedOf = ({ chargeId, currency, whole }: PaymentDispute): Effect.Effect<number | null, PaymentFailed> =>
    whole !== undefined
      ? Effect.succeed(whole)
      : lookups.charge(chargeId).pipe(
          Effect.map((charge) => (charge.currency === currency ? charge.amount : null)),
          Effect.catchTag(["PaymentObjectNotFound", "PaymentObjectUnreadable"], () => Effect.succeed(null))
        )

  const chargeFact = (charge: PaymentCharge) =>
    orUnreadable(
      Effect.map(paidFor(charge.invoiceId, paymentOf(charge)), (invoiceId) => ({
        _tag: "Charge",
        charge: { ...charge, invoiceId }
      })),
      { customerId: charge.customerId, paymentId: paymentOf(charge) }
    )

  const wholeInvoice = ({ isCut: _cut, ...invoice }: PaidInvoice) => {
    const { customerId, id, subscriptionId, userId } = invoice
    return orUnreadable(
      Effect.map(lookups.paidInvoice(id), ({ lines }) => ({ _tag: "InvoicePaid", invoice: { ...invoice, lines } })),
      { customerId, subscriptionId, userId }
    )
  }

  const wholeSession = (session: CheckoutSession) => {
    const { customerId, id, paymentId, subscriptionId } = session
    return orUnreadable(
      Effect.map(lookups.session(id), ({ items = [] }) => ({ _tag: "Checkout", session: { ...session, items } })),
      { customerId, paymentId, subscriptionId }
    )
  }

  /** Returns a fact with the parts that its event left out, which are requested from the provider. */
  const whole = (fact: Extract<PaymentFact, { readonly _tag: "Charge" | "Checkout" | "InvoicePaid" }>) => {
    switch (fact._tag) {
      case "Charge":
        return chargeFact(fact.charge)
      case "Checkout":
        return wholeSession(fact.session)
      case "InvoicePaid":
        return wholeInvoice(fact.invoice)
    }
  }

  const disputeFact = (dispute: PaymentDispute) => {
    const payment = disputedPayment(dispute)
    const found = Effect.map(
      Effect.all([paidFor(dispute.invoiceId, payment), chargedOf(dispute)]),
      ([invoiceId, charged]): PaymentFact => ({
        _tag: "Dispute",
        dispute: { ...dispute, invoiceId, whole: charged }
      })
    )
    return orUnreadable(found, { paymentId: payment })
  }

  return {
    whole,
    dispute: disputeFact,
    /** Returns the charge to which a refund belongs. */
    refundedCharge: (chargeId: string, customerId: string | undefined) =>
      orUnreadable(Effect.flatMap(lookups.charge(chargeId), chargeFact), { customerId })
  }
}

/** Reads the facts from events, and requests missing parts from the provider. */
export const factReader = (lookups: PaymentLookups["Service"], store: BillingStore["Service"]) => {
  const facts = lookedUpFacts(lookups)

  const isLinked = (fact: PaymentFact): Effect.Effect<boolean, StorageFailed> =>
    claimedUser(fact) === undefined
      ? Effect.map(store.ownerOf(referencesOf(fact)), (owner) => owner !== undefined)
      : Effect.succeed(true)

  const read = <E>(
    { customerId, event }: ReportedEvent,
    linked: (fact: PaymentFact) => Effect.Effect<boolean, E>
  ): Effect.Effect<PaymentFact | Settled, PaymentFailed | E> => {
    switch (event._tag) {
      case "Other":
        return settled(IGNORED)
      case "Foreign":
        return settled(FOREIGN)
      case "OtherMode":
        return settled(OF_OTHER_MODE)
      case "Dispute":
        return facts.dispute(event.dispute)
      case "Refund":
        return facts.refundedCharge(event.chargeId, customerId)
      case "Charge":
      case "Checkout":
      case "InvoicePaid":
        if (!isInPart(event)) return Effect.succeed(event)
        return Effect.flatMap(linked(event), (known) => (known ? facts.whole(event) : Effect.succeed(event)))
      default:
        return Effect.succeed(event)
    }
  }

  const factOf = <E>(event: ReportedEvent, linked: (fact: PaymentFact) => Effect.Effect<boolean, E>) =>
    Effect.map(read(event, linked), (fact): PaymentFact | Settled =>
      fact._tag === "Unreadable" && referencesOf(fact).length === 0 && claimedUser(fact) === undefined
        ? { _tag: "Settled", outcome: { state: "unreadable", note: fact.problem } }
        : fact
    )

  return {
    /**
     * Returns the fact that an event reports. If its person is unknown, an incomplete fact stays incomplete, and the
     * provider is not asked.
     */
    factOf: (event: ReceivedPaymentEvent) => factOf(event, isLinked),
    /** Returns the fact of an event whose person is known, with all its parts. */
    knownFactOf: (event: ReportedEvent) => factOf(event, () => Effect.succeed(true))
  }
}

export type FactReader = ReturnType<typeof factReader>
