import { Effect, Option, Stream } from "effect"
import type { CreditRecords } from "../../credits/CreditLedger.ts"
import type { UserId } from "../../identity/UserId.ts"
import { type Cursor, ownCursor, type Page } from "../../storage/Cursor.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { CatalogData } from "../../tiers/CatalogData.ts"
import type { PaymentEventStore } from "../inbox/PaymentEventStore.ts"
import type { PaymentFailed } from "../errors.ts"
import type { LookUpFailed, PaymentLookups } from "../provider/PaymentLookups.ts"
import { paymentsOf, type SubscriptionFacts } from "../SubscriptionFacts.ts"
import type { BillingUpkeep, CreditedSession, PaidPerson } from "../upkeep/BillingUpkeep.ts"
import { isPaidFor, planComparison } from "./comparePlan.ts"
import type { Books, KnownBooks } from "./knownBooks.ts"
import { differs, type PaymentDifference } from "./PaymentDifference.ts"

const PAGE_SIZE = 100

export interface StoredSideParts {
  readonly lookups: PaymentLookups["Service"]
  readonly events: PaymentEventStore["Service"]
  readonly upkeep: BillingUpkeep["Service"]
  readonly records: CreditRecords["Service"]
  readonly catalog: CatalogData
  readonly books: Books
  /** Unix milliseconds: earlier payments are not compared. */
  readonly since: number
  /** Called for each compared payment. */
  readonly onSale: (what: Sale["what"]) => void
}

/** A payment for which credits were granted: a checkout session, or an invoice of a plan. */
export interface Sale {
  readonly what: "session" | "invoice"
  readonly payment: string
}

type Differences = Stream.Stream<PaymentDifference, PaymentFailed | StorageFailed>

/** Returns all rows of a list that is read page by page. */
const allOf = <A, E>(load: (after: Cursor | undefined) => Effect.Effect<Page<A>, E>): Stream.Stream<A, E> =>
  Stream.paginate(undefined as Cursor | undefined, (after) =>
    Effect.map(load(after), ({ next, rows }) => [rows, Option.fromUndefinedOr(next)] as const)
  )

/**
 * Maps an object of the provider, or undefined if there is no such object. For an object in an unknown form, returns
 * `unreadable`.
 */
const look = <A, B>(object: Effect.Effect<A, LookUpFailed>, then: (found: A | undefined) => B, unreadable: B) =>
  object.pipe(
    Effect.map((found): B => then(found)),
    Effect.catchTags({
      PaymentObjectNotFound: () => Effect.succeed(then(undefined)),
      PaymentObjectUnreadable: () => Effect.succeed(unreadable)
    })
  )

/**
 * Returns true if the provider has no payment for a sale. A sale that is not listed is looked up alone, because the
 * lists may lack objects that were paid later than they were created.
 */
const isUnpaidAt = (
  lookups: PaymentLookups["Service"],
  seen: ReadonlySet<string>,
  { payment, what }: Sale
): Effect.Effect<boolean, PaymentFailed> => {
  if (seen.has(payment)) return Effect.succeed(false)
  return what === "session"
    ? look(lookups.session(payment), (session) => session?.isPaid !== true, false)
    : look(lookups.paidInvoice(payment), (invoice) => invoice === undefined, false)
}

/** Lists the payments since a time that a person's stored purchases and plans refer to. */
const salesOf = ({ account, bought }: KnownBooks, since: number): ReadonlyArray<Sale> => [
  ...bought.flatMap(({ boughtAt, sessionId: payment }) =>
    boughtAt < since ? [] : [{ what: "session", payment } as const]
  ),
  ...account.subscriptions
    .flatMap(paymentsOf)
    .flatMap(({ invoiceId: payment, paidAt }) => (paidAt < since ? [] : [{ what: "invoice", payment } as const]))
]

/** Compares a stored subscription that is missing in the provider's list of continuing subscriptions. */
const compareUnlisted = (lookups: PaymentLookups["Service"], { id }: SubscriptionFacts, userId: UserId) => {
  const subject = { userId, payment: id }
  return look(
    lookups.subscription(id),
    (found) => {
      if (found === undefined) return differs(subject, "not-paid", "the provider has no such subscription")
      return found.status === "ended"
        ? differs(subject, "plan", "it goes on here, and has ended at the provider")
        : undefined
    },
    undefined
  )
}

/**
 * Compares the stored payments with the provider's objects. `seen` contains the ids of the objects that the provider
 * has listed.
 */
export const storedSide = (
  { books, catalog, records, events, lookups, onSale, since, upkeep }: StoredSideParts,
  seen: ReadonlySet<string>
) => {
  const comparePlan = planComparison(records, catalog)
  const isUnpaid = (sale: Sale) => isUnpaidAt(lookups, seen, sale)

  /**
   * Finds credits that the ledger granted for a session without a stored purchase. Listed sessions are skipped, because
   * they were compared before.
   */
  const credited: Differences = allOf<CreditedSession, StorageFailed>((after) =>
    upkeep.credited({ since, after, limit: PAGE_SIZE })
  ).pipe(
    Stream.mapEffect(
      Effect.fnUntraced(function* ({ amount, sessionId, userId }) {
        const { bought } = yield* books.of(userId)
        if (seen.has(sessionId) || bought.some((one) => one.sessionId === sessionId)) return undefined
        const unpaid = yield* isUnpaid({ payment: sessionId, what: "session" })
        const missing = unpaid ? "the provider has no such payment" : "no purchase is stored"
        const found = `${amount} credits were given, and ${missing}`
        return differs({ userId, payment: sessionId }, unpaid ? "not-paid" : "amount", found)
      })
    ),
    Stream.filter((difference) => difference !== undefined)
  )

  const comparePerson = Effect.fnUntraced(function* ({ altered, userId }: PaidPerson) {
    const known = yield* books.of(userId)
    const { account } = known
    const unpaid = yield* Effect.filter(salesOf(known, since), isUnpaid)
    const unlisted = account.subscriptions.filter((facts) => isPaidFor(facts) && !seen.has(facts.id))
    const gone = yield* Effect.forEach(unlisted, (facts) => compareUnlisted(lookups, facts, userId))
    return [
      ...altered.map((found) => differs({ userId, payment: userId }, "altered", found)),
      ...unpaid.map(({ payment }) =>
        differs({ userId, payment }, "not-paid", "credits were given, and the provider has no such payment")
      ),
      ...gone.flatMap((difference) => difference ?? []),
      ...(yield* comparePlan(account))
    ]
  })

  /** Repeats the comparison of a person with differences: an event may have been applied between two reads. */
  const confirmed = (person: PaidPerson) =>
    Effect.flatMap(comparePerson(person), (found) =>
      found.length === 0 ? Effect.succeed(found) : Effect.andThen(books.forget(person.userId), comparePerson(person))
    )

  /** Finds the differences in the stored rows, payments, subscriptions and plans of all people with stored payments. */
  const people: Differences = allOf<PaidPerson, StorageFailed>((after) =>
    upkeep.people({ after, limit: PAGE_SIZE })
  ).pipe(
    Stream.tap(({ userId }) =>
      Effect.map(books.of(userId), (known) => salesOf(known, since).forEach(({ what }) => onSale(what)))
    ),
    Stream.mapEffect(confirmed),
    Stream.flattenIterable
  )

  /** Lists all payments without credits that are not refunded yet, of any age; for example those of erased people. */
  const owed: Differences = allOf((after) =>
    ownCursor(events.list({ state: "owed", userId: undefined, limit: PAGE_SIZE, after }))
  ).pipe(
    Stream.map(({ id, note, payment = id, userId }) =>
      differs({ userId, payment: payment.slice(payment.indexOf(":") + 1) }, "not-granted", note)
    )
  )

  return { credited, people, owed }
}
