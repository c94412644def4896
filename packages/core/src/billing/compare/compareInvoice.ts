import { Clock, Effect } from "effect"
import type { CreditRecords } from "../../credits/CreditLedger.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { CatalogData } from "../../tiers/CatalogData.ts"
import type { BillingAccount } from "../BillingAccount.ts"
import type { Owner } from "../BillingStore.ts"
import { begunMonths, keysOfMonth } from "../decide/pastPeriods.ts"
import type { PaidInvoice } from "../provider/PaymentEvent.ts"
import { tierOfPrice } from "../planOf.ts"
import { noFacts, paidLines, type PaidPeriod, type SubscriptionFacts, withInvoice } from "../SubscriptionFacts.ts"
import type { Books } from "./knownBooks.ts"
import { differs, money, type PaymentDifference } from "./PaymentDifference.ts"
import { refusalOf } from "./wouldFollow.ts"

type Found = Effect.Effect<PaymentDifference | undefined, StorageFailed>

const periodsOf = ({ earlier, paid }: SubscriptionFacts): ReadonlyArray<PaidPeriod> =>
  paid === undefined ? earlier : [...earlier, paid]

/** Returns true if the ledger has granted the credits of a period, or of one of its months. */
const isGiven = Effect.fnUntraced(function* (
  records: CreditRecords["Service"],
  period: PaidPeriod,
  subscriptionId: string,
  userId: UserId
) {
  const now = yield* Clock.currentTimeMillis
  const months = begunMonths(period, subscriptionId, userId, Math.max(now, period.start))
  const keys = months.flatMap(({ periodKey }) => keysOfMonth(periodKey, subscriptionId))
  return (yield* records.transactions(userId, keys)).size > 0
})

/**
 * Returns true if a period may lack its credits: a later period is stored, the subscription has ended, another
 * subscription was paid for, or an operator has pinned the tier.
 */
const mayBeWithout = (
  { pinned, subscriptions }: BillingAccount,
  { endedAt, id, paid }: SubscriptionFacts,
  period: PaidPeriod
): boolean =>
  pinned ||
  period !== paid ||
  endedAt !== undefined ||
  subscriptions.some((one) => one.id !== id && one.paid !== undefined)

/** Compares paid invoices of subscriptions with the stored periods and changes, and with the credits of the periods. */
export const invoiceComparison = (books: Books, records: CreditRecords["Service"], catalog: CatalogData) => {
  const isPlan = (priceId: string) => tierOfPrice(catalog, priceId) !== undefined

  /** Compares an invoice that pays for a plan with the stored subscription. */
  const compareKnown = (invoice: PaidInvoice, account: BillingAccount, facts: SubscriptionFacts): Found =>
    Effect.gen(function* () {
      const { amountPaid, currency, id } = invoice
      const { userId } = account
      const subject = { userId, payment: id }
      const paid = money(amountPaid, currency)
      const told = withInvoice(noFacts(facts.id), invoice, isPlan)
      const period = periodsOf(facts).find(({ payment }) => payment?.invoiceId === id)
      const payment = period?.payment ?? facts.changes.find((change) => change.payment.invoiceId === id)?.payment
      if (payment === undefined && invoice.createdAt < (account.importedAt ?? -Infinity)) return undefined
      if (payment === undefined) {
        return differs(subject, "not-granted", `${paid} are paid for a plan, and the payment is not known here`)
      }
      if (payment.amount !== amountPaid || payment.currency !== currency) {
        return differs(
          subject,
          "amount",
          `${paid} are paid, and ${money(payment.amount, payment.currency)} are stored as paid`
        )
      }
      if (told.paid === undefined) return undefined
      const { end, priceId, start } = told.paid
      if (period === undefined || period.start !== start || period.end !== end || period.priceId !== priceId) {
        return differs(subject, "plan", "it pays for another price or another period than the one that is stored")
      }
      if (mayBeWithout(account, facts, period) || (yield* isGiven(records, period, facts.id, userId))) return undefined
      return differs(subject, "not-granted", `${paid} are paid for a period, and its credits were not given`)
    })

  return (invoice: PaidInvoice, owner: Owner | undefined): Found =>
    Effect.gen(function* () {
      const { amountPaid, createdAt, currency, id, subscriptionId } = invoice
      const userId = owner?.userId
      const { changes, period } = paidLines(invoice, isPlan)
      const isOfPlan = [...changes, ...(period === undefined ? [] : [period])].some(({ priceId }) => isPlan(priceId))
      if (subscriptionId === undefined) return undefined
      if (userId === undefined) {
        return isOfPlan
          ? differs({ userId, payment: id }, "not-granted", "it is paid, and its customer is linked to no person")
          : undefined
      }
      const subject = { userId, payment: id }
      const refusal = refusalOf({ userId, catalog, now: createdAt }, { _tag: "InvoicePaid", invoice })
      if (refusal !== undefined) {
        return amountPaid === 0
          ? undefined
          : differs(subject, "not-granted", `${money(amountPaid, currency)} are paid, and nothing is given: ${refusal}`)
      }
      if (!isOfPlan) return undefined
      const { account } = yield* books.of(userId)
      const facts = account.subscriptions.find((one) => one.id === subscriptionId)
      return yield* compareKnown(invoice, account, facts ?? noFacts(subscriptionId))
    })
}
