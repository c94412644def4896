import { Effect, Stream } from "effect"
import type { CreditRecords } from "../../credits/CreditLedger.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { CatalogData } from "../../tiers/CatalogData.ts"
import type { BillingStore, Owner } from "../BillingStore.ts"
import type { PaymentFailed } from "../errors.ts"
import { factReader, isInPart } from "../inbox/readFact.ts"
import type { PaymentCharge, PaymentRecord } from "../provider/PaymentEvent.ts"
import type { PaymentLookups } from "../provider/PaymentLookups.ts"
import type { PaymentReports } from "../provider/PaymentReports.ts"
import {
  claimedUser,
  disputedPayment,
  invoiceReference,
  type PaymentFact,
  paymentOf,
  paymentReference,
  referencesOf
} from "../inbox/paymentReferences.ts"
import { correctionComparison } from "./compareCorrection.ts"
import { invoiceComparison } from "./compareInvoice.ts"
import { sessionComparison } from "./compareSession.ts"
import { subscriptionComparison } from "./compareSubscription.ts"
import type { Books } from "./knownBooks.ts"
import { differs, type PaymentDifference } from "./PaymentDifference.ts"

export interface ProviderSideParts {
  readonly lookups: PaymentLookups["Service"]
  readonly reports: PaymentReports["Service"]
  readonly store: BillingStore["Service"]
  readonly records: CreditRecords["Service"]
  readonly catalog: CatalogData
  readonly books: Books
}

type Found = Effect.Effect<PaymentDifference | undefined, PaymentFailed | StorageFailed>

const NONE: Found = Effect.succeed(undefined)

/** Finds the person of an object, in the same way as the person of a payment event. */
const ownerOf = (store: BillingStore["Service"], fact: PaymentFact): Effect.Effect<Owner | undefined, StorageFailed> =>
  Effect.map(store.ownerOf(referencesOf(fact)), (owner) => {
    const userId = claimedUser(fact)
    return owner ?? (userId === undefined ? undefined : { userId })
  })

/** Finds a payment of an erased person that no event has reported: every reported payment has a linked reference. */
const unreported = (store: BillingStore["Service"], id: string, paid: number, reference: string): Found =>
  paid === 0
    ? NONE
    : Effect.map(store.ownerOf([reference]), (reported) =>
        reported === undefined
          ? differs({ userId: undefined, payment: id }, "not-granted", "it is paid, and its person was erased")
          : undefined
      )

/** Compares single objects of the provider with the stored payments of their owner. */
const objectComparison = ({ books, catalog, records, store }: ProviderSideParts) => {
  const compareInvoice = invoiceComparison(books, records, catalog)
  const compareSession = sessionComparison(books, records, catalog)
  const compareSubscription = subscriptionComparison(books, catalog)
  const { compareCharge, compareDispute } = correctionComparison(books, catalog)

  /** Payments and invoices whose money was returned, so that no credits are due for them. */
  const returned = new Set<string>()
  /**
   * Differences of charges without a purchase, by their payments. If the checkout session of a charge is listed too,
   * only the difference of the session is reported.
   */
  const unsold = new Map<string, PaymentDifference>()

  const lookAtCharge = (charge: PaymentCharge, { userId }: Owner): Found => {
    const payment = paymentOf(charge)
    if (charge.amountRefunded >= charge.amount) returned.add(charge.invoiceId ?? payment)
    if (userId === undefined) return NONE
    return Effect.map(compareCharge(charge, userId), (difference) => {
      if (difference?.kind !== "not-granted") return difference
      unsold.set(payment, difference)
      return undefined
    })
  }

  const unlessReturned = (payment: string, found: Found): Found =>
    Effect.map(found, (difference) => {
      unsold.delete(payment)
      return difference?.kind === "not-granted" && returned.has(payment) ? undefined : difference
    })

  /** Compares an object whose person is known or was erased; a sale is also compared if it is linked to no person. */
  const lookAt = (id: string, fact: PaymentFact, owner: Owner | undefined): Found => {
    const isErased = owner !== undefined && owner.userId === undefined
    switch (fact._tag) {
      case "Unreadable":
        return Effect.succeed(
          owner === undefined || isErased
            ? undefined
            : differs({ userId: owner.userId, payment: id }, "unreadable", fact.problem)
        )
      case "Subscription":
        return compareSubscription(fact.subscription, owner)
      case "Checkout": {
        const { amountTotal, paymentId = "" } = fact.session
        const compared = isErased
          ? unreported(store, id, amountTotal, paymentReference(paymentId))
          : compareSession(fact.session, owner)
        return unlessReturned(paymentId, compared)
      }
      case "InvoicePaid": {
        const { amountPaid, subscriptionId } = fact.invoice
        // The invoice of a one-time purchase is not compared here, because its checkout session is compared.
        const paid = subscriptionId === undefined ? 0 : amountPaid
        const compared = isErased
          ? unreported(store, id, paid, invoiceReference(id))
          : compareInvoice(fact.invoice, owner)
        return unlessReturned(id, compared)
      }
      case "Charge":
        return owner === undefined ? NONE : lookAtCharge(fact.charge, owner)
      case "Dispute": {
        const { dispute } = fact
        if (dispute.funds === "withdrawn") returned.add(dispute.invoiceId ?? disputedPayment(dispute))
        return owner?.userId === undefined ? NONE : compareDispute(dispute, owner.userId)
      }
    }
  }

  return { lookAt, unsold }
}

/** Compares the objects that the provider lists with the stored payments. */
export const providerSide = (parts: ProviderSideParts) => {
  const { books, lookups, reports, store } = parts
  const { knownFactOf } = factReader(lookups, store)
  const { lookAt, unsold } = objectComparison(parts)

  /** Compares an object after asking the provider for its missing parts. */
  const lookAtWhole = (record: PaymentRecord): Found =>
    Effect.gen(function* () {
      const fact = yield* knownFactOf({ customerId: undefined, event: record })
      if (fact._tag === "Settled") {
        return differs({ userId: undefined, payment: record.id }, "unreadable", fact.outcome.note)
      }
      return yield* lookAt(record.id, fact, yield* ownerOf(store, fact))
    })

  /**
   * Compares one listed object. The provider is asked for missing parts only if the object's person is known here. For
   * the invoice of a charge, the provider is asked only if the charge was refunded in part or in whole, which is rare.
   * `seen` contains the ids of the objects that were listed before.
   */
  const compareRecord = (record: PaymentRecord, seen: ReadonlySet<string>): Found =>
    Effect.gen(function* () {
      if (record._tag === "Refund") return seen.has(record.chargeId) ? undefined : yield* lookAtWhole(record)
      if (record._tag === "Dispute") return yield* lookAtWhole(record)
      const owner = yield* ownerOf(store, record)
      if (!isInPart(record)) return yield* lookAt(record.id, record, owner)
      if (owner === undefined) return undefined
      const isUnrefunded = record._tag === "Charge" && record.charge.amountRefunded === 0
      return yield* isUnrefunded ? lookAt(record.id, record, owner) : lookAtWhole(record)
    })

  /**
   * Repeats a comparison that found a difference: an event may have been applied after the person's payments were read.
   */
  const confirmed = (record: PaymentRecord, seen: ReadonlySet<string>): Found =>
    Effect.flatMap(compareRecord(record, seen), (difference) =>
      difference?.userId === undefined
        ? Effect.succeed(difference)
        : Effect.andThen(books.forget(difference.userId), compareRecord(record, seen))
    )

  /**
   * Returns the differences of the objects that the provider lists since a time. `onRecord` is called after each
   * object.
   */
  return (
    since: number,
    onRecord: (record: PaymentRecord) => void,
    seen: ReadonlySet<string>
  ): Stream.Stream<PaymentDifference, PaymentFailed | StorageFailed> =>
    reports.records({ since }).pipe(
      Stream.filter((record) => record._tag !== "Checkout" || record.session.mode === "one-time"),
      Stream.mapEffect((record) => Effect.tap(confirmed(record, seen), () => Effect.sync(() => onRecord(record)))),
      Stream.filter((difference) => difference !== undefined),
      Stream.concat(Stream.suspend(() => Stream.fromIterable(unsold.values())))
    )
}
