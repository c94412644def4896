import { Clock, Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import {
  type BillingAccount,
  ERASED,
  type EventOutcome,
  GIVEN_BACK_NOTE,
  noBilling,
  OWED_AGAIN,
  type StoredPaymentEvent
} from "./BillingAccount.ts"
import {
  BillingStore,
  type ConcludeInput,
  isDone,
  type KeptEvent,
  type LinkInput,
  type PinInput,
  type Received,
  type ReceiveInput
} from "./BillingStore.ts"
import { customerReference } from "./paymentReferences.ts"
import { InMemoryPayments } from "./upkeep/InMemoryPayments.ts"

const GIVEN_BACK: EventOutcome = { state: "ignored", note: GIVEN_BACK_NOTE }
const WAITING: EventOutcome = { state: "waiting", note: "nobody is linked to its customer yet" }

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const { accounts, inbox, owners, purchases } = yield* InMemoryPayments
  /** Ids of people who were erased: no event that names one brings the person back. */
  const erased = yield* storage.table<UserId, true>()

  /** A payment is owed while the latest report of none of its refunds and disputes says that all of it was given back. */
  const settleOwed = (reference: string) => {
    const rows = [...inbox.values()].filter(({ event }) => event.payment === reference)
    const reports = rows
      .flatMap(({ event: { createdAt: at }, report }) => (report === undefined ? [] : [{ ...report, at }]))
      .toSorted((a, b) => a.at - b.at || Number(a.isReturned) - Number(b.isReturned))
    const isReturned = [...new Map(reports.map((report) => [report.source, report.isReturned])).values()].includes(true)
    for (const row of rows) {
      const { id, note, state } = row.event
      const isOther = isReturned ? state === "owed" : state === "ignored" && note === GIVEN_BACK_NOTE
      if (!isOther || row.report !== undefined) continue
      inbox.set(id, { ...row, event: { ...row.event, ...(isReturned ? GIVEN_BACK : OWED_AGAIN) } })
    }
  }

  const put = (
    {
      createdAt,
      customerId,
      id,
      kind,
      payload,
      payment
    }: Omit<KeptEvent, "payload"> & Pick<StoredPaymentEvent, "payload">,
    receivedAt: number,
    outcome: EventOutcome,
    userId: UserId | undefined,
    waitsFor: ReadonlyArray<string> = []
  ) => {
    const { note, state } = outcome
    const reference = payment?.reference
    const event = { id, kind, createdAt, customerId, payload, receivedAt, state, note, userId, payment: reference }
    inbox.set(id, { event, waitsFor, report: payment?.report })
    if (reference !== undefined) settleOwed(reference)
  }

  /** Events that wait for what was linked, oldest first. */
  const waitingFor = (links: ReadonlyArray<string>): ReadonlyArray<StoredPaymentEvent> =>
    [...inbox.values()]
      .filter(({ event, waitsFor }) => event.state === "waiting" && waitsFor.some((one) => links.includes(one)))
      .map(({ event }) => event)
      .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

  const linkAll = (userId: UserId | undefined, links: ReadonlyArray<string>) => {
    const fresh = links.filter((link) => !owners.has(link))
    for (const link of fresh) owners.set(link, userId)
    return waitingFor(fresh)
  }

  const receive = (
    { again, bought, claimed, event, ifErased = ERASED, references }: ReceiveInput,
    now: number
  ): Received => {
    const before = inbox.get(event.id)?.event
    if (before !== undefined && !again && isDone(before.state)) {
      return { _tag: "Known", outcome: { state: before.state, note: before.note } }
    }
    const receivedAt = before?.receivedAt ?? now
    const linked = references.filter((reference) => owners.has(reference))
    const named = linked.length > 0 || claimed === undefined || erased.has(claimed) ? undefined : claimed
    const userId = linked.map((one) => owners.get(one)).find((one) => one !== undefined) ?? named
    if (userId === undefined && (linked.length > 0 || claimed !== undefined)) {
      put({ ...event, payload: undefined }, receivedAt, ifErased, undefined)
      const payment = event.payment?.reference
      const waiting = linkAll(undefined, payment === undefined ? references : [...references, payment])
      return { _tag: "Erased", waiting: waiting.filter(({ id }) => id !== event.id) }
    }
    if (userId === undefined) {
      put({ ...event, payment: undefined }, receivedAt, WAITING, undefined, references)
      return { _tag: "Unmatched" }
    }
    const { paymentId, sessionId } = bought
    return {
      _tag: "Matched",
      account: accounts.get(userId) ?? noBilling(userId),
      bought: (purchases.get(userId) ?? []).find(
        (one) =>
          (sessionId !== undefined && one.sessionId === sessionId) ||
          (paymentId !== undefined && one.paymentId === paymentId)
      ),
      now
    }
  }

  const conclude = (input: ConcludeInput, now: number): ReadonlyArray<StoredPaymentEvent> => {
    const { bought, event, followed, invoiceReports, links, outcome, subscription, userId, waitsFor } = input
    const account = accounts.get(userId) ?? noBilling(userId)
    const subscriptions =
      subscription === undefined
        ? account.subscriptions
        : [...account.subscriptions.filter(({ id }) => id !== subscription.id), subscription]
    const customer = links.find((link) => link.startsWith(customerReference("")))?.slice(customerReference("").length)
    accounts.set(userId, {
      ...account,
      subscriptions,
      customerId: account.customerId ?? customer,
      followed: followed ?? account.followed,
      invoiceReports: invoiceReports ?? account.invoiceReports
    })
    if (bought !== undefined) purchases.set(userId, [...(purchases.get(userId) ?? []), bought])
    put(event, inbox.get(event.id)?.event.receivedAt ?? now, outcome, userId, waitsFor)
    return linkAll(userId, links).filter(({ id }) => id !== event.id)
  }

  const pin = ({ followed, pinned, userId }: PinInput): BillingAccount => {
    const before = accounts.get(userId) ?? noBilling(userId)
    const account = { ...before, followed: followed ?? before.followed, pinned: pinned ?? before.pinned }
    accounts.set(userId, account)
    return account
  }

  const link = ({ customerId, replaces, userId }: LinkInput) => {
    const account = accounts.get(userId) ?? noBilling(userId)
    if (account.customerId !== replaces && account.customerId !== undefined) {
      return { customerId: account.customerId, waiting: [] }
    }
    const reference = customerReference(customerId)
    if (owners.has(reference) && owners.get(reference) !== userId) return { customerId: undefined, waiting: [] }
    accounts.set(userId, { ...account, customerId })
    return { customerId, waiting: linkAll(userId, [reference]) }
  }

  yield* storage.addPersonalPart({
    count: (userId) => ({ customers: accounts.has(userId) ? 1 : 0 }),
    erase: (userId) => {
      accounts.delete(userId)
      purchases.delete(userId)
      for (const [id, row] of inbox) {
        const { customerId = "", userId: owner } = row.event
        // Those of kinds that nothing depends on are about nobody, and tell of the customer nevertheless.
        if (owner === userId || (owner === undefined && owners.get(customerReference(customerId)) === userId)) {
          inbox.set(id, { ...row, event: { ...row.event, userId: undefined, payload: undefined } })
        }
      }
      for (const [reference, owner] of owners) if (owner === userId) owners.set(reference, undefined)
      erased.set(userId, true)
    }
  })

  const timed = <A>(work: (now: number) => A) => storage.exclusive(Effect.map(Clock.currentTimeMillis, work))

  return BillingStore.of({
    receive: (input) => timed((now) => receive(input, now)),
    // One process does one thing after another: nothing is to be shared.
    applyAtOnce: () => Effect.succeed(undefined),
    conclude: (input) => timed((now) => conclude(input, now)),
    keep: (event, outcome) =>
      timed((now) => {
        const before = inbox.get(event.id)?.event
        if (before !== undefined && isDone(before.state)) return { state: before.state, note: before.note }
        const customer = customerReference(event.customerId ?? "")
        const isErased = owners.has(customer) && owners.get(customer) === undefined
        const kept = isErased ? { ...event, payload: undefined } : event
        put(kept, before?.receivedAt ?? now, outcome, undefined)
        return outcome
      }),
    pin: (input) => timed(() => pin(input)),
    link: (input) => timed(() => link(input)),
    account: (userId) => timed(() => accounts.get(userId) ?? noBilling(userId)),
    bought: (userId) => timed(() => (purchases.get(userId) ?? []).toSorted((a, b) => b.boughtAt - a.boughtAt)),
    ownerOf: (references) =>
      timed(() => {
        const linked = references.filter((reference) => owners.has(reference)).map((one) => owners.get(one))
        return linked.length === 0 ? undefined : { userId: linked.find((one) => one !== undefined) }
      }),
    find: (ids) => timed(() => ids.flatMap((id) => inbox.get(id)?.event ?? [])),
    list: ({ before, limit, state, userId }) =>
      timed(() => {
        const all = [...inbox.values()]
          .map(({ event }) => event)
          .toReversed()
          .toSorted((a, b) => b.receivedAt - a.receivedAt)
        const from = before === undefined ? 0 : all.findIndex(({ id }) => id === before) + 1
        return all
          .slice(from)
          .filter(
            (event) => (state === undefined || event.state === state) && (userId ?? event.userId) === event.userId
          )
          .slice(0, limit)
      })
  })
})

/** What the payment provider reported, in the memory of one process. */
export const InMemoryBillingStore = {
  layer: Layer.effect(BillingStore, make).pipe(Layer.provide([InMemoryPayments.layer, InMemoryStorage.layer]))
}
