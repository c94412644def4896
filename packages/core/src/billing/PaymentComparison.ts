import { Clock, Context, Effect, Layer, Stream } from "effect"
import { CreditLedger } from "../credits/CreditLedger.ts"
import { periodKey } from "../credits/rules/decideAccount.ts"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { BillingStore, type Owner } from "./BillingStore.ts"
import { claimedUser, referencesOf } from "./paymentReferences.ts"
import type { PaymentFailed } from "./errors.ts"
import { isInPart } from "./inbox/readFact.ts"
import { creditsOfItems, itemsOf } from "./inbox/soldItems.ts"
import type { CheckoutSession, PaidInvoice, PaymentRecord } from "./PaymentEvent.ts"
import { type LookUpFailed, PaymentGateway } from "./PaymentGateway.ts"
import { paidPlans, tierOfPrice } from "./planOf.ts"
import { noFacts, withInvoice } from "./SubscriptionFacts.ts"
import { BillingUpkeep } from "./upkeep/BillingUpkeep.ts"

/**
 * Where the ledger and the payment provider disagree. `not-granted`: paid, and no credits were given for it; `not-paid`:
 * credits were given, and the provider knows no such payment; `amount`: both know it, with other amounts; `unreadable`: the
 * provider's object is in an unknown form; `second-subscription`: it is paid for beside one that gives the plan; `altered`:
 * stored payments of a person are not as they were written.
 */
export interface PaymentDifference {
  readonly kind: "not-granted" | "not-paid" | "amount" | "unreadable" | "second-subscription" | "altered"
  /** Whose it is; undefined where nobody is linked to it. */
  readonly userId: UserId | undefined
  /** The checkout session, the invoice or the subscription; of altered payments the person. */
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
      const upkeep = yield* BillingUpkeep
      const ledger = yield* CreditLedger
      const catalog = yield* Catalog

      /** Whose a payment is: as with its events, by whom it is linked to, else by its metadata. */
      const ownerOf = (record: PaymentRecord): Effect.Effect<Owner | undefined, StorageFailed> =>
        Effect.map(store.ownerOf(referencesOf(record)), (owner) => {
          const userId = claimedUser(record)
          return owner ?? (userId === undefined ? undefined : { userId })
        })

      const compareSession = Effect.fnUntraced(function* (session: CheckoutSession, owner: Owner | undefined) {
        const { amountTotal, currency, id } = session
        // Nothing of this server's.
        if (creditsOfItems(catalog, itemsOf(session)) === undefined) return undefined
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

      const compareInvoice = Effect.fnUntraced(function* (invoice: PaidInvoice, owner: Owner | undefined) {
        const { amountPaid, currency, id, subscriptionId } = invoice
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

      /** Compares something that the provider lists; what belongs to nobody here, or nobody any more, differs in nothing. */
      const compareRecord = (
        record: PaymentRecord
      ): Effect.Effect<PaymentDifference | undefined, PaymentFailed | StorageFailed> =>
        Effect.gen(function* () {
          const owner = yield* ownerOf(record)
          if (owner !== undefined && owner.userId === undefined) return undefined
          const unreadable = (payment: string, found: string): PaymentDifference | undefined =>
            owner && { kind: "unreadable", userId: owner.userId, payment, found }
          if (owner === undefined && record._tag !== "Unreadable" && isInPart(record)) return undefined
          const look = (object: Effect.Effect<PaymentDifference | undefined, LookUpFailed | StorageFailed>) =>
            Effect.catchTags(object, {
              PaymentObjectNotFound: () => Effect.succeed(undefined),
              PaymentObjectUnreadable: ({ problem }) => Effect.succeed(unreadable(record.id, problem))
            })
          switch (record._tag) {
            case "Unreadable":
              return unreadable(record.id, record.problem)
            case "Checkout":
              return isInPart(record)
                ? yield* look(Effect.flatMap(gateway.session(record.id), (whole) => compareSession(whole, owner)))
                : yield* compareSession(record.session, owner)
            case "InvoicePaid":
              return isInPart(record)
                ? yield* look(Effect.flatMap(gateway.paidInvoice(record.id), (whole) => compareInvoice(whole, owner)))
                : yield* compareInvoice(record.invoice, owner)
          }
        })

      const isMissing = (
        look: Effect.Effect<{ readonly isPaid: boolean }, LookUpFailed>
      ): Effect.Effect<boolean, PaymentFailed> =>
        look.pipe(
          Effect.map(({ isPaid }) => !isPaid),
          Effect.catchTags({
            PaymentObjectNotFound: () => Effect.succeed(true),
            // It is there, in whatever form.
            PaymentObjectUnreadable: () => Effect.succeed(false)
          })
        )

      /** Payments for which no credits are given, as those of erased people: of every age, until they are refunded. */
      const tellOwed = Effect.fnUntraced(function* (
        tell: (difference: PaymentDifference) => Effect.Effect<void, StorageFailed>
      ) {
        let before: string | undefined
        for (;;) {
          const page = yield* store.list({ state: "owed", userId: undefined, limit: AT_ONCE, before })
          for (const { id, note, payment = id, userId } of page) {
            yield* tell({ kind: "not-granted", userId, payment: payment.slice(payment.indexOf(":") + 1), found: note })
          }
          const last = page.at(-1)
          if (last === undefined || page.length < AT_ONCE) return
          before = last.id
        }
      })

      /** Subscriptions that people pay for beside the one whose plan they have. */
      const tellSeveral = Effect.fnUntraced(function* (
        tell: (difference: PaymentDifference) => Effect.Effect<void, StorageFailed>
      ) {
        const now = yield* Clock.currentTimeMillis
        let after: UserId | undefined
        for (;;) {
          const page = yield* upkeep.several({ after, limit: AT_ONCE })
          for (const { userId } of page) {
            const [first, ...others] = paidPlans(yield* store.account(userId), catalog, now)
            for (const [{ id: payment }] of others) {
              const found = `it is paid for beside ${first?.[0].id}, which gives the plan`
              yield* tell({ kind: "second-subscription", userId, payment, found })
            }
          }
          const last = page.at(-1)
          if (last === undefined || page.length < AT_ONCE) return
          after = last.userId
        }
      })

      /** What somebody has changed in the storage, past the events of the provider. */
      const tellAltered = Effect.fnUntraced(function* (
        tell: (difference: PaymentDifference) => Effect.Effect<void, StorageFailed>
      ) {
        let after: UserId | undefined
        for (;;) {
          const page = yield* upkeep.people({ after, limit: AT_ONCE })
          for (const { altered, userId } of page) {
            for (const found of altered) yield* tell({ kind: "altered", userId, payment: userId, found })
          }
          after = page.at(-1)?.userId
          if (after === undefined || page.length < AT_ONCE) return
        }
      })

      const compare = Effect.fn("PaymentComparison.compare")(function* ({ onDifference, since }: CompareInput) {
        const seen = new Set<string>()
        const counts = { sessions: 0, invoices: 0, purchases: 0, periods: 0, differences: 0 }
        const tell = Effect.fnUntraced(function* (difference: PaymentDifference | undefined) {
          if (difference === undefined) return
          counts.differences += 1
          yield* onDifference(difference)
        })
        yield* gateway.records({ since }).pipe(
          Stream.filter((record) => record._tag !== "Checkout" || record.session.mode === "one-time"),
          Stream.runForEach((record) => {
            seen.add(record.id)
            if (record._tag === "Checkout") counts.sessions += 1
            if (record._tag === "InvoicePaid") counts.invoices += 1
            return Effect.flatMap(compareRecord(record), tell)
          })
        )
        yield* tellOwed(tell)
        yield* tellSeveral(tell)
        yield* tellAltered(tell)
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
