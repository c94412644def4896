import {
  type BillingAccount,
  BillingStore,
  ERASED,
  type EventOutcome,
  type FollowedPeriod,
  type KeptEvent,
  type Received,
  type StoredPaymentEvent,
  type SubscriptionFacts
} from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { makeLedgerTime } from "../credits/LedgerClock.ts"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { applyPayments } from "./applyPayments.ts"
import { matched, type StoredAccount, toAccount } from "./storedAccount.ts"

type StoredReceipt =
  | { readonly found: "Known"; readonly state: EventOutcome["state"]; readonly note: string }
  | { readonly found: "Unmatched" }
  | { readonly found: "Erased"; readonly waiting: ReadonlyArray<StoredWaiting> }
  | { readonly found: "Matched"; readonly account: StoredAccount; readonly now: number }

interface StoredWaiting extends Omit<StoredPaymentEvent, "customerId" | "userId" | "payload" | "payment"> {
  readonly customerId: string | null
  readonly userId: string | null
  readonly payload: string | null
}

interface EventRow extends Row {
  readonly event_id: string
  readonly kind: string
  readonly created_at: Date
  readonly received_at: Date
  readonly customer_id: string | null
  readonly owner: string | null
  readonly state: StoredPaymentEvent["state"]
  readonly note: string
  readonly payment: string | null
  readonly payload: string | null
}

interface PurchaseRow extends Row {
  readonly session_id: string
  readonly payment_id: string | null
  readonly price_id: string
  readonly granted: number
  readonly paid: number
  readonly currency: string
  readonly bought_at: Date
}

const EVENT_COLUMNS =
  "e.event_id, e.kind, e.created_at, e.received_at, e.customer_id, e.owner, e.state, e.note, e.payment, e.payload"

const toEvent = (row: EventRow): StoredPaymentEvent => ({
  id: row.event_id,
  kind: row.kind,
  createdAt: row.created_at.getTime(),
  receivedAt: row.received_at.getTime(),
  customerId: row.customer_id ?? undefined,
  userId: row.owner ?? undefined,
  state: row.state,
  note: row.note,
  payment: row.payment ?? undefined,
  payload: row.payload ?? undefined
})

const toWaiting = (waiting: StoredWaiting): StoredPaymentEvent => ({
  ...waiting,
  customerId: waiting.customerId ?? undefined,
  userId: waiting.userId ?? undefined,
  payment: undefined,
  payload: waiting.payload ?? undefined
})

const toReceived = (receipt: StoredReceipt): Received => {
  if (receipt.found === "Known") return { _tag: "Known", outcome: { state: receipt.state, note: receipt.note } }
  if (receipt.found === "Unmatched") return { _tag: "Unmatched" }
  if (receipt.found === "Erased") return { _tag: "Erased", waiting: receipt.waiting.map(toWaiting) }
  return matched(receipt.account, Math.floor(receipt.now))
}

const eventJson = ({ createdAt, customerId, id, kind, payload, payment }: KeptEvent) =>
  JSON.stringify({ id, kind, createdAt, customerId, payload, payment })

const jsonOrNull = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value))

const make = Effect.gen(function* () {
  const database = yield* Database
  const { schema } = database
  const time = yield* makeLedgerTime

  /** Calls a function of the schema whose last parameter is the moment of writing, null for the database's own. */
  const call = <A>(name: string, parameters: ReadonlyArray<unknown>) =>
    Effect.flatMap(time.given, (given) =>
      Effect.map(
        database.statement<{ readonly answer: A }>(
          `SELECT ${schema}.${name}(${[...parameters, given].map((_, index) => `$${index + 1}`).join(", ")}) AS answer`,
          [...parameters, given]
        ),
        ([row]) => (row as { readonly answer: A }).answer
      )
    )

  return BillingStore.of({
    applyAtOnce: applyPayments(database, time),
    receive: ({ again, bought, claimed, event, ifErased = ERASED, references }) =>
      call<StoredReceipt>("receive_payment", [
        eventJson(event),
        references,
        claimed ?? null,
        bought.sessionId ?? null,
        bought.paymentId ?? null,
        again,
        JSON.stringify(ifErased)
      ]).pipe(Effect.map(toReceived), storing("BillingStore.receive")),
    conclude: ({ bought, event, followed, invoiceReports, links, outcome, subscription, userId, waitsFor }) =>
      call<ReadonlyArray<StoredWaiting>>("conclude_payment", [
        eventJson(event),
        userId,
        outcome.state,
        outcome.note,
        jsonOrNull(subscription),
        jsonOrNull(followed),
        jsonOrNull(invoiceReports),
        jsonOrNull(bought),
        links,
        waitsFor
      ]).pipe(
        Effect.map((waiting) => waiting.map(toWaiting)),
        storing("BillingStore.conclude")
      ),
    keep: (event, { note, state }) =>
      call<EventOutcome>("keep_payment", [eventJson(event), state, note]).pipe(storing("BillingStore.keep")),
    pin: ({ followed, pinned, userId }) =>
      database
        .statement<{ readonly answer: StoredAccount }>(`SELECT ${schema}.pin_tier($1, $2, $3) AS answer`, [
          userId,
          pinned ?? null,
          jsonOrNull(followed)
        ])
        .pipe(
          Effect.map(([row]) => toAccount((row as { readonly answer: StoredAccount }).answer)),
          storing("BillingStore.pin")
        ),
    link: ({ customerId, replaces, userId }) =>
      database
        .statement<{
          readonly answer: { readonly customerId: string | null; readonly waiting: ReadonlyArray<StoredWaiting> }
        }>(`SELECT ${schema}.link_customer($1, $2, $3) AS answer`, [userId, customerId, replaces ?? null])
        .pipe(
          Effect.map(([row]) => ({
            customerId: row?.answer.customerId ?? undefined,
            waiting: (row?.answer.waiting ?? []).map(toWaiting)
          })),
          storing("BillingStore.link")
        ),
    account: (userId) =>
      database
        .statement<{
          customer_id: string | null
          followed: FollowedPeriod | null
          subscriptions: ReadonlyArray<SubscriptionFacts>
          invoice_reports: BillingAccount["invoiceReports"] | null
          pinned: boolean | null
        }>(
          `SELECT a.customer_id, a.followed, a.invoice_reports, a.pinned, (
             SELECT coalesce(json_agg(s.facts ORDER BY s.subscription_id), '[]')
             FROM ${schema}.billing_subscriptions s WHERE s.user_id = $1
           ) AS subscriptions
           FROM (SELECT $1::text AS user_id) u LEFT JOIN ${schema}.billing_accounts a ON a.user_id = u.user_id`,
          [userId]
        )
        .pipe(
          Effect.map(([row]) =>
            toAccount({
              userId,
              customerId: row?.customer_id ?? null,
              followed: row?.followed ?? null,
              subscriptions: row?.subscriptions ?? [],
              invoiceReports: row?.invoice_reports ?? [],
              pinned: row?.pinned ?? false
            })
          ),
          storing("BillingStore.account")
        ),
    bought: (userId) =>
      database
        .statement<PurchaseRow>(
          `SELECT p.session_id, p.payment_id, p.price_id, p.granted, p.paid, p.currency, p.bought_at
           FROM ${schema}.billing_purchases p WHERE p.user_id = $1 ORDER BY p.bought_at DESC, p.session_id DESC`,
          [userId]
        )
        .pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              sessionId: row.session_id,
              paymentId: row.payment_id ?? undefined,
              priceId: row.price_id,
              granted: row.granted,
              paid: row.paid,
              currency: row.currency,
              boughtAt: row.bought_at.getTime()
            }))
          ),
          storing("BillingStore.bought")
        ),
    ownerOf: (references) =>
      database
        .statement<{ owner: string | null }>(`SELECT ${schema}.owner_of_references($1) AS owner`, [references])
        .pipe(
          Effect.map(([row]) => {
            const owner = row?.owner ?? undefined
            return owner === undefined ? undefined : { userId: owner === "erased:" ? undefined : owner }
          }),
          storing("BillingStore.ownerOf")
        ),
    find: (ids) =>
      database
        .statement<EventRow>(
          `SELECT ${EVENT_COLUMNS} FROM ${schema}.payment_events e WHERE e.event_id = ANY($1::text[])`,
          [ids]
        )
        .pipe(
          Effect.map((rows) => rows.map(toEvent)),
          storing("BillingStore.find")
        ),
    list: ({ before, limit, state, userId }) =>
      database
        .statement<EventRow>(
          `SELECT ${EVENT_COLUMNS} FROM ${schema}.payment_events e
           WHERE ($1::text IS NULL OR e.state = $1) AND ($2::text IS NULL OR e.owner = $2)
             AND ($3::text IS NULL OR (e.received_at, e.event_id) < (
               SELECT b.received_at, b.event_id FROM ${schema}.payment_events b WHERE b.event_id = $3))
           ORDER BY e.received_at DESC, e.event_id DESC LIMIT $4`,
          [state ?? null, userId ?? null, before ?? null, limit]
        )
        .pipe(
          Effect.map((rows) => rows.map(toEvent)),
          storing("BillingStore.list")
        )
  })
})

/** What the payment provider reported, in Postgres or PGlite. */
export const PgBillingStoreLayer: Layer.Layer<BillingStore, never, Database> = Layer.effect(BillingStore, make)
