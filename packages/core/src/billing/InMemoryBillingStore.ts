import { Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { InMemoryStorage, type PersonalPart } from "../storage/InMemoryStorage.ts"
import { type BillingAccount, noBilling, type StoredPaymentEvent } from "./BillingAccount.ts"
import {
  type Adopted,
  type AdoptInput,
  BillingStore,
  type LinkInput,
  type Owner,
  type PinInput
} from "./BillingStore.ts"
import { InMemoryPaymentEventStore, linkAll } from "./inbox/InMemoryPaymentEventStore.ts"
import { customerReference } from "./inbox/paymentReferences.ts"
import { InMemoryPayments, type PaymentTables as Tables } from "./upkeep/InMemoryPayments.ts"

const pin = ({ accounts }: Tables, { followed, pinned, userId }: PinInput): BillingAccount => {
  const before = accounts.get(userId) ?? noBilling(userId)
  const account = { ...before, followed: followed ?? before.followed, pinned: pinned ?? before.pinned }
  accounts.set(userId, account)
  return account
}

const link = (tables: Tables, { customerId, replaces, userId }: LinkInput) => {
  const { accounts, owners } = tables
  const account = accounts.get(userId) ?? noBilling(userId)
  if (account.customerId !== replaces && account.customerId !== undefined) {
    return { customerId: account.customerId, waiting: [] }
  }
  const reference = customerReference(customerId)
  if (owners.has(reference) && owners.get(reference) !== userId) return { customerId: undefined, waiting: [] }
  accounts.set(userId, { ...account, customerId })
  return { customerId, waiting: linkAll(tables, userId, [reference]) }
}

const adopt = (tables: Tables, people: ReadonlyArray<AdoptInput>, dryRun: boolean): Adopted => {
  const refused = new Map<UserId, string | undefined>()
  const waiting: Array<StoredPaymentEvent> = []
  for (const { customerId, importedAt, userId } of people) {
    const { accounts, owners } = tables
    const account = accounts.get(userId) ?? noBilling(userId)
    const reference = customerReference(customerId)
    if (owners.has(reference) && owners.get(reference) !== userId) refused.set(userId, undefined)
    else if (account.customerId !== undefined && account.customerId !== customerId) {
      refused.set(userId, account.customerId)
    } else if (!dryRun) {
      accounts.set(userId, { ...account, customerId, importedAt: account.importedAt ?? importedAt })
      waiting.push(...linkAll(tables, userId, [reference]))
    }
  }
  return { refused, waiting: waiting.toSorted((a, b) => a.createdAt - b.createdAt).map(({ id }) => id) }
}

const ownerOf = (
  { erased, owners }: Tables,
  references: ReadonlyArray<string>,
  claimed: UserId | undefined
): Owner | undefined => {
  const linked = references.filter((reference) => owners.has(reference)).map((one) => owners.get(one))
  const isErased = claimed !== undefined && erased.has(claimed)
  return linked.length === 0 && !isErased ? undefined : { userId: linked.find((one) => one !== undefined) }
}

/** The payments of a person, for erasures. */
const personalPart = ({ accounts, erased, inbox, owners, purchases }: Tables): PersonalPart => ({
  people: () => [...accounts.values()].map(({ customerId, userId }) => ({ userId, customerId })),
  count: (userId) => ({ customers: accounts.has(userId) ? 1 : 0 }),
  erase: (userId) => {
    accounts.delete(userId)
    purchases.delete(userId)
    for (const [id, row] of inbox) {
      const { customerId = "", userId: owner } = row.event
      // An event of a kind that nothing depends on has no person, but may be about the person's customer.
      if (owner === userId || (owner === undefined && owners.get(customerReference(customerId)) === userId)) {
        inbox.set(id, { ...row, event: { ...row.event, userId: undefined, payload: undefined } })
      }
    }
    for (const [reference, owner] of owners) if (owner === userId) owners.set(reference, undefined)
    erased.set(userId, true)
  }
})

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const tables = yield* InMemoryPayments
  const { accounts, purchases } = tables
  yield* storage.addPersonalPart(personalPart(tables))
  const atOnce = <A>(work: () => A) => storage.exclusive(Effect.sync(work))
  return BillingStore.of({
    pin: (input) => atOnce(() => pin(tables, input)),
    link: (input) => atOnce(() => link(tables, input)),
    adopt: (people, { dryRun }) => atOnce(() => adopt(tables, people, dryRun)),
    account: (userId) => atOnce(() => accounts.get(userId) ?? noBilling(userId)),
    bought: (userId) => atOnce(() => (purchases.get(userId) ?? []).toSorted((a, b) => b.boughtAt - a.boughtAt)),
    ownerOf: (references, claimed) => atOnce(() => ownerOf(tables, references, claimed))
  })
})

/** The people who pay, and the events of the payment provider, in the memory of one process. */
export const InMemoryBillingStore = {
  layer: Layer.effect(BillingStore, make).pipe(
    Layer.provide([InMemoryPayments.layer, InMemoryStorage.layer]),
    Layer.merge(InMemoryPaymentEventStore.layer)
  )
}
