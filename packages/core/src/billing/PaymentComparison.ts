import { Context, Effect, Layer, Stream } from "effect"
import { CreditLedger } from "../credits/CreditLedger.ts"
import { periodKey } from "../credits/rules/decideAccount.ts"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { BillingStore } from "./BillingStore.ts"
import { customerReference } from "./paymentReferences.ts"
import type { PaymentFailed } from "./errors.ts"
import type { CheckoutSession, PaidInvoice } from "./PaymentEvent.ts"
import { PaymentGateway } from "./PaymentGateway.ts"
import { tierOfPrice } from "./planOf.ts"
import { noFacts, withInvoice } from "./SubscriptionFacts.ts"

/**
 * Where the ledger and the payment provider disagree. `not-granted`: paid, and no credits were given for it; `not-paid`:
 * credits were given, and the provider knows no such payment; `amount`: both know it, with other amounts.
 */
export interface PaymentDifference {
  readonly kind: "not-granted" | "not-paid" | "amount"
  /** Whose it is; undefined where nobody is linked to it. */
  readonly userId: UserId | undefined
  /** The checkout session or the invoice. */
  readonly payment: string
  /** In words, what the one says and what the other. */
  readonly found: string
}

export interface CompareInput {
  /** Unix milliseconds: payments begun since then are compared. */
  readonly since: number
  readonly onDifference: (difference: PaymentDifference) => Effect.Effect<void>
}

/** How much was compared. */
export interface Compared {
  readonly sessions: number
  readonly invoices: number
  readonly purchases: number
  readonly periods: number
  readonly differences: number
}

/** Read together. */
const AT_ONCE = 100

/** Compares the ledger with what the payment provider says was paid. Changes nothing. */
export class PaymentComparison extends Context.Service<
  PaymentComparison,
  {
    /** Compares all pages of the provider's sessions and invoices, and all that was granted, since a moment. */
    compare(input: CompareInput): Effect.Effect<Compared, PaymentFailed | StorageFailed>
  }
>()("@parley/core/billing/PaymentComparison") {
  static readonly layer = Layer.effect(
    PaymentComparison,
    Effect.gen(function* () {
      const gateway = yield* PaymentGateway
      const store = yield* BillingStore
      const ledger = yield* CreditLedger
      const catalog = yield* Catalog

      /** Whose a payment is: as with its events, by whom it is linked to, else by its metadata. */
      const ownerOf = (customerId: string | undefined, userId: string | undefined) =>
        Effect.map(
          customerId === undefined ? Effect.succeed(undefined) : store.ownerOf([customerReference(customerId)]),
          (owner) => owner ?? (userId === undefined ? undefined : { userId })
        )

      const compareSession = Effect.fnUntraced(function* (session: CheckoutSession) {
        const { amountTotal, currency, customerId, id, priceId } = session
        // Sold by another page than this server's: nothing is granted for it.
        if (priceId === undefined) return undefined
        const owner = yield* ownerOf(customerId, session.userId)
        if (owner?.userId === undefined && owner !== undefined) return undefined
        const differs = (kind: PaymentDifference["kind"], found: string): PaymentDifference => ({
          kind,
          userId: owner?.userId,
          payment: id,
          found
        })
        if (owner?.userId === undefined)
          return differs("not-granted", "it is paid, and nobody is linked to its customer")
        const given = yield* ledger.transaction(owner.userId, `topup:${id}`)
        if (given === undefined)
          return differs("not-granted", `${amountTotal} ${currency} are paid, and nothing was given`)
        const bought = (yield* store.bought(owner.userId)).find(({ sessionId }) => sessionId === id)
        if (bought === undefined) return differs("amount", "credits were given, and no purchase is kept")
        if (bought.paid !== amountTotal || bought.currency !== currency) {
          const kept = `${bought.paid} ${bought.currency}`
          return differs("amount", `${amountTotal} ${currency} are paid, and ${kept} are kept as paid`)
        }
        if (bought.granted !== given.amount) {
          return differs("amount", `${bought.granted} credits were bought, and ${given.amount} were given`)
        }
        return undefined
      })

      /** The key of the period that an invoice pays for; undefined where it pays for none of a plan. */
      const paidPeriod = (invoice: PaidInvoice, userId: UserId) => {
        const { subscriptionId } = invoice
        if (subscriptionId === undefined) return undefined
        const isPlan = (priceId: string) => tierOfPrice(catalog, priceId) !== undefined
        const { paid } = withInvoice(noFacts(subscriptionId), invoice, isPlan)
        if (paid === undefined || !isPlan(paid.priceId)) return undefined
        return { ...paid, key: paid.isFirst ? `first:${subscriptionId}` : periodKey(userId, paid.start) }
      }

      const compareInvoice = Effect.fnUntraced(function* (invoice: PaidInvoice) {
        const { amountPaid, currency, customerId, id, subscriptionId } = invoice
        const owner = yield* ownerOf(customerId, invoice.userId)
        if (owner !== undefined && owner.userId === undefined) return undefined
        const userId = owner?.userId
        const period = paidPeriod(invoice, userId ?? "nobody")
        if (period === undefined) return undefined
        const differs = (kind: PaymentDifference["kind"], found: string): PaymentDifference => ({
          kind,
          userId,
          payment: id,
          found
        })
        if (userId === undefined) return differs("not-granted", "it is paid, and nobody is linked to its customer")
        const { subscriptions } = yield* store.account(userId)
        const facts = subscriptions.find((one) => one.id === subscriptionId)
        const kept = facts?.paid
        if (
          kept?.payment?.invoiceId === id &&
          (kept.payment.amount !== amountPaid || kept.payment.currency !== currency)
        ) {
          return differs(
            "amount",
            `${amountPaid} ${currency} are paid, and ${kept.payment.amount} ${kept.payment.currency} are kept as paid`
          )
        }
        if ((yield* ledger.transaction(userId, period.key)) !== undefined) return undefined
        // While a dearer plan of the person is in force, another one gives nothing; what was reported of it is kept.
        const others = subscriptions.filter((one) => one.id !== subscriptionId && one.paid !== undefined)
        const isKnown = kept !== undefined && kept.start >= period.start
        return isKnown && others.length > 0
          ? undefined
          : differs("not-granted", `${amountPaid} ${currency} are paid for a period, and it was not given`)
      })

      const isMissing = (
        look: Effect.Effect<{ readonly isPaid: boolean }, PaymentFailed | { readonly _tag: "PaymentObjectNotFound" }>
      ) =>
        look.pipe(
          Effect.map(({ isPaid }) => !isPaid),
          Effect.catchIf(
            (error): error is { readonly _tag: "PaymentObjectNotFound" } => error._tag === "PaymentObjectNotFound",
            () => Effect.succeed(true)
          )
        ) as Effect.Effect<boolean, PaymentFailed>

      const compare = Effect.fn("PaymentComparison.compare")(function* ({ onDifference, since }: CompareInput) {
        const seen = new Set<string>()
        const counts = { sessions: 0, invoices: 0, purchases: 0, periods: 0, differences: 0 }
        const tell = Effect.fnUntraced(function* (difference: PaymentDifference | undefined) {
          if (difference === undefined) return
          counts.differences += 1
          yield* onDifference(difference)
        })
        yield* gateway.paidSessions({ since }).pipe(
          Stream.filter(({ mode }) => mode === "one-time"),
          Stream.runForEach((session) => {
            seen.add(session.id)
            counts.sessions += 1
            return Effect.flatMap(compareSession(session), tell)
          })
        )
        yield* gateway.paidInvoices({ since }).pipe(
          Stream.runForEach((invoice) => {
            seen.add(invoice.id)
            counts.invoices += 1
            return Effect.flatMap(compareInvoice(invoice), tell)
          })
        )
        // What began at the provider before then, and was paid later, is not in its lists: it is asked for by itself.
        let after: string | undefined
        for (;;) {
          const page = yield* store.sales({ since, after, limit: AT_ONCE })
          for (const { payment, userId, what } of page) {
            counts[what === "session" ? "purchases" : "periods"] += 1
            if (seen.has(payment)) continue
            const look =
              what === "session"
                ? gateway.session(payment)
                : Effect.map(gateway.paidInvoice(payment), () => ({ isPaid: true }))
            if (yield* isMissing(look)) {
              yield* tell({
                kind: "not-paid",
                userId,
                payment,
                found: "credits were given, and the provider has no such payment"
              })
            }
          }
          const last = page.at(-1)
          if (last === undefined || page.length < AT_ONCE) return counts
          after = last.payment
        }
      })

      return PaymentComparison.of({ compare })
    })
  )
}
