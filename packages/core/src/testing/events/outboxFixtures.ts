import { Effect } from "effect"
import { type CreditPorts } from "../../credits/CreditLedger.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import type { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { type ClaimedDelivery, type DeliveryRecords, Outbox } from "../../events/Outbox.ts"
import type { EventType, ParleyEvent } from "../../events/ParleyEvent.ts"
import { receiptDraft, reservation } from "../credits/creditFixtures.ts"
import { newUserId } from "../storage/storageFixtures.ts"

/** The ports for tests of an outbox, and the ports whose changes it reports. */
export type OutboxWorld = CreditPorts | DeliveryRecords | DocumentStore | Outbox | UnitOfWork

/** The thresholds of low balances in these suites. */
export const LOW_BELOW = { free: 50, pro: 500, business: 0 }

/** Subscribes a new destination to these types; returns its id. */
export const subscribed = (...types: ReadonlyArray<EventType>) =>
  Effect.gen(function* () {
    const id = `hook:${crypto.randomUUID()}`
    yield* (yield* Outbox).subscribe({ destinations: [{ id, types }], lowBelow: LOW_BELOW })
    return id
  })

/** Opens a new account of the tier `free`. */
export const newAccount = (allowance: number) =>
  Effect.gen(function* () {
    const userId = newUserId()
    yield* (yield* testedLedger).open({ userId, tier: "free", allowance })
    return userId
  })

/** Charges a reply with this cost. */
export const chargeOf = (userId: UserId, key: string, amount: number) =>
  Effect.gen(function* () {
    const ledger = yield* testedLedger
    yield* ledger.reserve(reservation(userId, key, amount))
    yield* ledger.settle({ userId, key, amount, draft: receiptDraft })
  })

/** Claims all due deliveries to a destination, for an hour unless given. */
export const claimAll = (destination: string, leaseMs = 3_600_000) =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    const all: Array<ClaimedDelivery> = []
    for (;;) {
      const some = yield* outbox.claim({ destination, limit: 7, leaseMs })
      all.push(...some)
      if (some.length < 7) return all as ReadonlyArray<ClaimedDelivery>
    }
  })

const sortKey = ({ data, type }: ParleyEvent): string => `${type} ${JSON.stringify(data)}`

/** Returns the due events by type and content, because events of the same millisecond have no order. */
export const claimed = (destination: string) =>
  Effect.map(claimAll(destination), (all) =>
    all.map(({ event }) => event).toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  )
