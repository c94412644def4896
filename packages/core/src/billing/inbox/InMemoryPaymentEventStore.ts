import { Clock, Effect, Layer, Schema } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { cursorOf, pageOf, readCursor } from "../../storage/Cursor.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { StorageFailed } from "../../storage/StorageFailed.ts"
import {
  ERASED,
  type EventOutcome,
  GIVEN_BACK_NOTE,
  noBilling,
  OWED_AGAIN,
  type StoredPaymentEvent
} from "../BillingAccount.ts"
import { InMemoryPayments, type PaymentTables as Tables } from "../upkeep/InMemoryPayments.ts"
import {
  type ConcludeInput,
  isDone,
  type KeptEvent,
  type ListEventsInput,
  PaymentEventStore,
  type Received,
  type ReceiveInput
} from "./PaymentEventStore.ts"
import { customerReference } from "./paymentReferences.ts"

const GIVEN_BACK: EventOutcome = { state: "ignored", note: GIVEN_BACK_NOTE }
const WAITING: EventOutcome = { state: "waiting", note: "nobody is linked to its customer yet" }

/**
 * Sets the state of the events of a payment. The payment is owed if none of the latest reports of its refunds and
 * disputes says that the whole payment was returned.
 */
const settleOwed = ({ inbox }: Tables, reference: string) => {
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
  tables: Tables,
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
  tables.inbox.set(id, { event, waitsFor, report: payment?.report })
  if (reference !== undefined) settleOwed(tables, reference)
}

/** Returns the events that wait for linked references, oldest first. */
const waitingFor = ({ inbox }: Tables, links: ReadonlyArray<string>): ReadonlyArray<StoredPaymentEvent> =>
  [...inbox.values()]
    .filter(({ event, waitsFor }) => event.state === "waiting" && waitsFor.some((one) => links.includes(one)))
    .map(({ event }) => event)
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

/** Links references to a person, or to an erased person (undefined). Returns the events that waited for them. */
export const linkAll = (tables: Tables, userId: UserId | undefined, links: ReadonlyArray<string>) => {
  const fresh = links.filter((link) => !tables.owners.has(link))
  for (const link of fresh) tables.owners.set(link, userId)
  return waitingFor(tables, fresh)
}

const receive = (
  tables: Tables,
  { again, bought, claimed, event, ifErased = ERASED, references }: ReceiveInput,
  now: number
): Received => {
  const { accounts, erased, inbox, owners, purchases } = tables
  const before = inbox.get(event.id)?.event
  if (before !== undefined && !again && isDone(before.state)) {
    return { _tag: "Known", outcome: { state: before.state, note: before.note } }
  }
  const receivedAt = before?.receivedAt ?? now
  const linked = references.filter((reference) => owners.has(reference))
  const named = linked.length > 0 || claimed === undefined || erased.has(claimed) ? undefined : claimed
  const userId = linked.map((one) => owners.get(one)).find((one) => one !== undefined) ?? named
  if (userId === undefined && (linked.length > 0 || claimed !== undefined)) {
    put(tables, { ...event, payload: undefined }, receivedAt, ifErased, undefined)
    const payment = event.payment?.reference
    const waiting = linkAll(tables, undefined, payment === undefined ? references : [...references, payment])
    return { _tag: "Erased", waiting: waiting.filter(({ id }) => id !== event.id) }
  }
  if (userId === undefined) {
    put(tables, { ...event, payment: undefined }, receivedAt, WAITING, undefined, references)
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

const isDoneAlready = ({ inbox }: Tables, { again = false, event }: ConcludeInput): boolean => {
  const before = inbox.get(event.id)?.event
  return before !== undefined && !again && isDone(before.state)
}

const doneAlready = () =>
  new StorageFailed({
    operation: "PaymentEventStore.conclude",
    retryable: true,
    cause: new Error("The event is done already.")
  })

const conclude = (tables: Tables, input: ConcludeInput, now: number): ReadonlyArray<StoredPaymentEvent> => {
  const { accounts, inbox, purchases } = tables
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
  put(tables, event, inbox.get(event.id)?.event.receivedAt ?? now, outcome, userId, waitsFor)
  return linkAll(tables, userId, links).filter(({ id }) => id !== event.id)
}

/** Stores an event without a person. */
const keep = (tables: Tables, event: KeptEvent, outcome: EventOutcome, now: number): EventOutcome => {
  const { inbox, owners } = tables
  const before = inbox.get(event.id)?.event
  if (before !== undefined && isDone(before.state)) return { state: before.state, note: before.note }
  const customer = customerReference(event.customerId ?? "")
  const isErased = owners.has(customer) && owners.get(customer) === undefined
  const kept = isErased ? { ...event, payload: undefined } : event
  put(tables, kept, before?.receivedAt ?? now, outcome, undefined)
  return outcome
}

/** The time when an event was received, in Unix milliseconds, and its id. */
const EventPosition = Schema.Tuple([Schema.Number, Schema.String])

const list = (
  { inbox }: Tables,
  { limit, state, userId }: ListEventsInput,
  [lastAt, lastId = ""]: typeof EventPosition.Type | readonly [undefined]
) => {
  const found = [...inbox.values()]
    .map(({ event }) => event)
    .filter((event) => (state === undefined || event.state === state) && (userId ?? event.userId) === event.userId)
    .filter(
      ({ id, receivedAt }) => lastAt === undefined || receivedAt < lastAt || (receivedAt === lastAt && id < lastId)
    )
    .toSorted((a, b) => b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1))
  return pageOf(found, limit, ({ id, receivedAt }) => cursorOf(receivedAt, id))
}

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const tables = yield* InMemoryPayments
  const timed = <A>(work: (now: number) => A) => storage.exclusive(Effect.map(Clock.currentTimeMillis, work))
  return PaymentEventStore.of({
    receive: (input) => timed((now) => receive(tables, input, now)),
    // In memory, one process runs one call at a time, so there is no transaction that events could share.
    applyAtOnce: () => Effect.succeed(undefined),
    conclude: (input) =>
      storage.exclusive(
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          isDoneAlready(tables, input) ? Effect.fail(doneAlready()) : Effect.sync(() => conclude(tables, input, now))
        )
      ),
    keep: (event, outcome) => timed((now) => keep(tables, event, outcome, now)),
    find: (ids) => timed(() => ids.flatMap((id) => tables.inbox.get(id)?.event ?? [])),
    list: (input) =>
      Effect.flatMap(readCursor(EventPosition, input.after), (last) =>
        timed(() => list(tables, input, last ?? [undefined]))
      )
  })
})

/** The events of the payment provider in the memory of one process. */
export const InMemoryPaymentEventStore = {
  layer: Layer.effect(PaymentEventStore, make).pipe(Layer.provide([InMemoryPayments.layer, InMemoryStorage.layer]))
}
