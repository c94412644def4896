import { Context, Effect, Layer, Stream } from "effect"
import { CreditLedger, CreditRecords } from "../../credits/CreditLedger.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { Catalog } from "../../tiers/Catalog.ts"
import { BillingStore } from "../BillingStore.ts"
import { PaymentEventStore } from "../inbox/PaymentEventStore.ts"
import type { PaymentFailed } from "../errors.ts"
import type { PaymentRecord } from "../provider/PaymentEvent.ts"
import { PaymentLookups } from "../provider/PaymentLookups.ts"
import { PaymentReports } from "../provider/PaymentReports.ts"
import { BillingUpkeep } from "../upkeep/BillingUpkeep.ts"
import { makeKnownBooks } from "./knownBooks.ts"
import type { PaymentDifference } from "./PaymentDifference.ts"
import { providerSide } from "./providerSide.ts"
import { type Sale, storedSide } from "./storedSide.ts"

export interface CompareInput {
  /** Unix milliseconds: payments since this time are compared; subscriptions that continue are all compared. */
  readonly since: number
  readonly onDifference: (difference: PaymentDifference) => Effect.Effect<void>
}

/** The numbers of compared objects of each kind: first the provider's objects, then the stored payments. */
export interface Compared {
  readonly sessions: number
  readonly invoices: number
  readonly charges: number
  readonly disputes: number
  readonly subscriptions: number
  readonly purchases: number
  readonly periods: number
  readonly differences: number
}

/** The kinds of listed objects that are counted, and their counters. */
const COUNTED: Readonly<Partial<Record<PaymentRecord["_tag"], keyof Compared>>> = {
  Checkout: "sessions",
  InvoicePaid: "invoices",
  Charge: "charges",
  Dispute: "disputes",
  Subscription: "subscriptions"
}

const NOTHING: Compared = {
  sessions: 0,
  invoices: 0,
  charges: 0,
  disputes: 0,
  subscriptions: 0,
  purchases: 0,
  periods: 0,
  differences: 0
}

/**
 * Compares the ledger and the stored payments with the payment provider's objects, in both directions. Changes nothing.
 */
export class PaymentComparison extends Context.Service<
  PaymentComparison,
  {
    /**
     * Compares the sessions, invoices, charges with their refunds, disputes and subscriptions of the provider with the
     * stored payments and with the granted credits; then compares the stored payments with the provider's objects. An
     * object that cannot be read is reported as a difference, and the comparison continues.
     */
    compare(input: CompareInput): Effect.Effect<Compared, PaymentFailed | StorageFailed>
  }
>()("@parley/core/billing/PaymentComparison") {
  static readonly layer = Layer.effect(
    PaymentComparison,
    Effect.gen(function* () {
      const lookups = yield* PaymentLookups
      const reports = yield* PaymentReports
      const store = yield* BillingStore
      const events = yield* PaymentEventStore
      const upkeep = yield* BillingUpkeep
      const ledger = yield* CreditLedger
      const records = yield* CreditRecords
      const catalog = yield* Catalog

      const compare = Effect.fn("PaymentComparison.compare")(function* ({ onDifference, since }: CompareInput) {
        const books = yield* makeKnownBooks(store, ledger)
        const seen = new Set<string>()
        const counts = { ...NOTHING }
        const count = (what: keyof Compared | undefined) => {
          if (what !== undefined) counts[what] += 1
        }
        const atProvider = providerSide({ lookups, reports, store, records, catalog, books })
        const onSale = (what: Sale["what"]) => count(what === "session" ? "purchases" : "periods")
        const stored = storedSide({ lookups, events, upkeep, records, catalog, books, since, onSale }, seen)
        const listed = atProvider(
          since,
          (record) => {
            seen.add(record.id)
            count(COUNTED[record._tag])
          },
          seen
        )
        yield* listed.pipe(
          Stream.concat(stored.owed),
          Stream.concat(stored.credited),
          Stream.concat(stored.people),
          Stream.runForEach((difference) => {
            count("differences")
            return onDifference(difference)
          })
        )
        const compared: Compared = counts
        return compared
      })

      return PaymentComparison.of({ compare })
    })
  )
}
