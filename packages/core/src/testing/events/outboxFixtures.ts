import { Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { CreditLedger } from "../../credits/CreditLedger.ts"
import type { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import type { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { type ClaimedDelivery, Outbox } from "../../events/Outbox.ts"
import type { EventType, ParleyEvent } from "../../events/ParleyEvent.ts"
import { receiptDraft, reservation } from "../credits/creditFixtures.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import { newUserId } from "../storage/storageFixtures.ts"

/** What an outbox is tested together with: it tells what these commit. */
export type OutboxWorld = CreditLedger | DocumentStore | Outbox | UnitOfWork

/** Below what balances are low in these suites. */
export const LOW_BELOW = { free: 50, pro: 500, business: 0 }

/** A destination nobody has seen before, told of these types from now on; gives its id. */
export const subscribed = (...types: ReadonlyArray<EventType>) =>
  Effect.gen(function* () {
    const id = `hook:${crypto.randomUUID()}`
    yield* (yield* Outbox).subscribe({ destinations: [{ id, types }], lowBelow: LOW_BELOW })
    return id
  })

/** A new account of the tier `free`. */
export const newAccount = (allowance: number) =>
  Effect.gen(function* () {
    const userId = newUserId()
    yield* (yield* testedLedger).open({ userId, tier: "free", allowance })
    return userId
  })

/** A reply that costs so much. */
export const chargeOf = (userId: UserId, key: string, amount: number) =>
  Effect.gen(function* () {
    const ledger = yield* testedLedger
    yield* ledger.reserve(reservation(userId, key, amount))
    yield* ledger.settle({ userId, key, amount, draft: receiptDraft })
  })

/** All that is due for a destination, claimed for an hour. */
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

/** The events of all that is due, by type and content: what happens in one millisecond has no order. */
export const claimed = (destination: string) =>
  Effect.map(claimAll(destination), (all) =>
    all.map(({ event }) => event).toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
  )
