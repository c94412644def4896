import { Effect } from "effect"
import type { CorrectionReport } from "../../credits/Purchase.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { CatalogData } from "../../tiers/CatalogData.ts"
import type { BoughtCredits } from "../BillingAccount.ts"
import type { CreditAction } from "../decide/PaymentDecision.ts"
import type { PaymentCharge, PaymentDispute } from "../provider/PaymentEvent.ts"
import { disputedPayment, type PaymentFact, paymentOf } from "../inbox/paymentReferences.ts"
import type { Books } from "./knownBooks.ts"
import { differs, money, type PaymentDifference } from "./PaymentDifference.ts"
import { wouldFollow } from "./wouldFollow.ts"

type Found = Effect.Effect<PaymentDifference | undefined, StorageFailed>

/**
 * Returns true if the stored reports contain `part` as the refunded or disputed amount of a subject; no report counts
 * as 0.
 */
const isReported = (reports: ReadonlyArray<CorrectionReport>, source: string, part: number): boolean => {
  const report = reports.find((one) => one.source === source)
  return (report === undefined || report.isWon ? 0 : report.part) === part
}

/** The report that an action stores in the ledger. */
const reportOf = (action: CreditAction | undefined): { readonly source: string; readonly part: number } | undefined => {
  if (action?._tag === "Refund") return { source: "refund", part: action.input.refunded }
  if (action?._tag !== "Dispute") return undefined
  const { dispute, disputed, funds } = action.input
  return { source: `dispute ${dispute}`, part: funds === "withdrawn" ? disputed : 0 }
}

/** Compares refunds and disputes at the provider with the reports that the credits follow. */
export const correctionComparison = (books: Books, catalog: CatalogData) => {
  /** Returns true if the ledger contains the report that follows from a refund or a dispute of a purchase. */
  const isFollowed = Effect.fnUntraced(function* (userId: UserId, bought: BoughtCredits, fact: PaymentFact) {
    const { account } = yield* books.of(userId)
    const [action] = wouldFollow({ account, bought, catalog, now: bought.boughtAt }, fact).actions
    const expected = reportOf(action)
    if (expected === undefined) return true
    const { reports = [] } = (yield* books.purchase(userId, bought.paymentId ?? "")) ?? {}
    return isReported(reports, expected.source, expected.part)
  })

  const compareCharge = (charge: PaymentCharge, userId: UserId): Found =>
    Effect.gen(function* () {
      const { amount, amountRefunded, currency, id, invoiceId, priceId } = charge
      const subject = { userId, payment: id }
      const uncorrected = `${money(amountRefunded, currency)} of it are refunded, and the credits do not follow`
      const { account, bought } = yield* books.of(userId)
      const source = `refund ${id}`
      const isOfInvoice = typeof invoiceId === "string" || account.invoiceReports.some((one) => one.source === source)
      if (isOfInvoice) {
        const follows = isReported(account.invoiceReports, source, amountRefunded)
        return follows ? undefined : differs(subject, "not-corrected", uncorrected)
      }
      const purchase = bought.find(({ paymentId }) => paymentId === paymentOf(charge))
      if (purchase === undefined) {
        return priceId === undefined || amount === amountRefunded
          ? undefined
          : differs(subject, "not-granted", `${money(amount, currency)} are paid, and no purchase is stored`)
      }
      if (currency === purchase.currency && amount !== purchase.paid) {
        const stored = money(purchase.paid, currency)
        return differs(subject, "amount", `${money(amount, currency)} are charged, and ${stored} are stored as paid`)
      }
      const follows = yield* isFollowed(userId, purchase, { _tag: "Charge", charge })
      return follows ? undefined : differs(subject, "not-corrected", uncorrected)
    })

  const compareDispute = (dispute: PaymentDispute, userId: UserId): Found =>
    Effect.gen(function* () {
      const { amount, currency, funds, id, invoiceId } = dispute
      if (funds === "untouched") return undefined
      const { account, bought } = yield* books.of(userId)
      const purchase = bought.find(({ paymentId }) => paymentId === disputedPayment(dispute))
      const part = funds === "withdrawn" ? amount : 0
      const follows =
        typeof invoiceId === "string"
          ? isReported(account.invoiceReports, `dispute ${id}`, part)
          : purchase === undefined || (yield* isFollowed(userId, purchase, { _tag: "Dispute", dispute }))
      if (follows) return undefined
      const moved = funds === "withdrawn" ? "withdrawn" : "given back"
      const found = `its bank has ${moved} ${money(amount, currency)}, and the credits do not follow`
      return differs({ userId, payment: id }, "not-corrected", found)
    })

  return { compareCharge, compareDispute }
}
