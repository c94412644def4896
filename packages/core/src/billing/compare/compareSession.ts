import { Effect } from "effect"
import { type CreditRecords, transactionOf } from "../../credits/CreditLedger.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { CatalogData } from "../../tiers/CatalogData.ts"
import type { BoughtCredits } from "../BillingAccount.ts"
import type { Owner } from "../BillingStore.ts"
import { creditsOfItems, itemsOf } from "../inbox/soldItems.ts"
import type { CheckoutSession } from "../provider/PaymentEvent.ts"
import type { Books } from "./knownBooks.ts"
import { differs, money, type PaymentDifference } from "./PaymentDifference.ts"
import { refusalOf } from "./wouldFollow.ts"

type Sold = NonNullable<ReturnType<typeof creditsOfItems>>

/** A description of the difference between a stored purchase and its checkout session; undefined if they agree. */
const otherPurchase = (
  { amountTotal, currency, paymentId }: CheckoutSession,
  { credits, priceId }: Sold,
  bought: BoughtCredits,
  given: number
): string | undefined => {
  if (bought.paid !== amountTotal || bought.currency !== currency) {
    return `${money(amountTotal, currency)} are paid, and ${money(bought.paid, bought.currency)} are stored as paid`
  }
  if (bought.paymentId !== paymentId) return "it was paid by another payment than the one that is stored"
  if (bought.priceId !== priceId) return `${priceId} was bought, and ${bought.priceId} is stored`
  if (bought.granted !== given) return `${bought.granted} credits were bought, and ${given} were given`
  return credits === given ? undefined : `${given} credits were given, and the catalog gives ${credits} for the price`
}

/** Compares paid one-time checkout sessions with the stored purchases and the credits in the ledger. */
export const sessionComparison =
  (books: Books, records: CreditRecords["Service"], catalog: CatalogData) =>
  (session: CheckoutSession, owner: Owner | undefined): Effect.Effect<PaymentDifference | undefined, StorageFailed> =>
    Effect.gen(function* () {
      const { amountTotal, createdAt, currency, id } = session
      const userId = owner?.userId
      const subject = { userId, payment: id }
      const sold = creditsOfItems(catalog, itemsOf(session))
      if (userId === undefined) {
        return sold && differs(subject, "not-granted", "it is paid, and its customer is linked to no person")
      }
      const paid = money(amountTotal, currency)
      if (sold === undefined) {
        const refusal = refusalOf({ userId, catalog, now: createdAt }, { _tag: "Checkout", session })
        return amountTotal === 0
          ? undefined
          : differs(subject, "not-granted", `${paid} are paid, and nothing is given: ${refusal}`)
      }
      const given = yield* transactionOf(records, userId, `topup:${id}`)
      if (given === undefined && createdAt < ((yield* books.of(userId)).account.importedAt ?? -Infinity))
        return undefined
      if (given === undefined) return differs(subject, "not-granted", `${paid} are paid, and nothing was given`)
      const bought = (yield* books.of(userId)).bought.find(({ sessionId }) => sessionId === id)
      if (bought === undefined) return differs(subject, "amount", "credits were given, and no purchase is stored")
      const other = otherPurchase(session, sold, bought, given.amount)
      return other === undefined ? undefined : differs(subject, "amount", other)
    })
