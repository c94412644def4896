import type { ConcludeInput, EventOutcome, KeptEvent, StoredPaymentEvent } from "@parley/core/adapter"
import { jsonList } from "../credits/ledgerRows.ts"

/** An event that is not applied yet, as the functions of the database schema return it. */
export interface StoredWaiting extends Omit<StoredPaymentEvent, "customerId" | "userId" | "payload" | "payment"> {
  readonly customerId: string | null
  readonly userId: string | null
  readonly payload: string | null
}

export const toWaiting = (waiting: StoredWaiting): StoredPaymentEvent => ({
  ...waiting,
  customerId: waiting.customerId ?? undefined,
  userId: waiting.userId ?? undefined,
  payment: undefined,
  payload: waiting.payload ?? undefined
})

export const jsonOrNull = (value: object | undefined): string | null =>
  value === undefined ? null : JSON.stringify(value)

/** The conclusion of an event, to be stored. If `receivedAt` is null, the database sets the time of receipt. */
export interface ConcludedPayment {
  readonly conclusion: ConcludeInput
  readonly receivedAt: string | null
}

const eventRow = ({ conclusion: { again, event, outcome, userId }, receivedAt }: ConcludedPayment) => ({
  ...eventOf(event),
  received_at: receivedAt,
  person: userId,
  again,
  ...stateOf(outcome)
})

const stateOf = ({ note, state }: EventOutcome) => ({ state, note })

const eventOf = (event: KeptEvent) => ({
  id: event.id,
  kind: event.kind,
  created_at: event.createdAt,
  customer_id: event.customerId,
  payment: event.payment?.reference,
  source: event.payment?.report?.source,
  returned: event.payment?.report?.isReturned,
  payload: event.payload
})

const CUSTOMER = "customer:"

const knownRow = ({ conclusion: { followed, invoiceReports: reports, links, userId: person } }: ConcludedPayment) => {
  const customer = links.find((link) => link.startsWith(CUSTOMER))?.slice(CUSTOMER.length)
  return { person, followed, customer, reports }
}

const subscriptionRows = ({ conclusion: { subscription, userId: person } }: ConcludedPayment) =>
  subscription === undefined ? [] : [{ person, facts: subscription }]

const linkRows = ({ conclusion: { links, userId: person } }: ConcludedPayment) =>
  links.map((reference) => ({ reference, person }))

const boughtRows = ({ conclusion: { bought, userId: person } }: ConcludedPayment) =>
  bought === undefined
    ? []
    : [
        {
          person,
          session_id: bought.sessionId,
          payment_id: bought.paymentId,
          price_id: bought.priceId,
          granted: bought.granted,
          paid: bought.paid,
          currency: bought.currency,
          bought_at: bought.boughtAt
        }
      ]

/** Turns conclusions into the SQL parameters of `write_payments`, in their order. */
export const paymentLists = (concluded: ReadonlyArray<ConcludedPayment>): ReadonlyArray<string | null> => [
  JSON.stringify(concluded.map(eventRow)),
  JSON.stringify(concluded.map(knownRow)),
  jsonList(concluded.flatMap(subscriptionRows)),
  jsonList(concluded.flatMap(boughtRows)),
  jsonList(concluded.flatMap(linkRows))
]
