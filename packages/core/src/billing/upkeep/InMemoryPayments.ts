import { Context, Effect, Layer } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import type { BillingAccount, BoughtCredits, EventPayment, StoredPaymentEvent } from "../BillingAccount.ts"

/** An event with the references that it waits for. */
export interface InboxRow {
  readonly event: StoredPaymentEvent
  readonly waitsFor: ReadonlyArray<string>
  readonly report: EventPayment["report"]
}

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  return {
    inbox: yield* storage.table<string, InboxRow>(),
    /** The person of a reference; undefined if the person was erased. */
    owners: yield* storage.table<string, UserId | undefined>(),
    accounts: yield* storage.table<UserId, BillingAccount>(),
    purchases: yield* storage.table<UserId, ReadonlyArray<BoughtCredits>>(),
    /** The ids of erased people. An event that contains one of these ids does not create the person again. */
    erased: yield* storage.table<UserId, true>(),
    marks: yield* storage.table<"caughtUpTo", number>()
  }
})

export type PaymentTables = Effect.Success<typeof make>

/** The tables that the ports of billing share, in the memory of one process. */
export class InMemoryPayments extends Context.Service<InMemoryPayments, PaymentTables>()(
  "@parley/core/billing/upkeep/InMemoryPayments"
) {
  static readonly layer = Layer.effect(InMemoryPayments, make).pipe(Layer.provide(InMemoryStorage.layer))
}
