import {
  cursorOf,
  ERASED,
  type EventOutcome,
  Id,
  type KeptEvent,
  pageOf,
  PaymentEventStore,
  readCursor,
  type Received,
  type StoredPaymentEvent
} from "@parley/core/adapter"
import { Effect, Layer, Schema } from "effect"
import { type LedgerTime, makeLedgerTime } from "../credits/LedgerClock.ts"
import { Database, type DatabaseError, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { applyPayments } from "./applyPayments.ts"
import { paymentLists, type StoredWaiting, toWaiting } from "./paymentRows.ts"
import { matched, type StoredAccount } from "./storedAccount.ts"
import { livesHere } from "../storage/leftRows.ts"

type Db = Database["Service"]

type StoredReceipt =
  | { readonly found: "Known"; readonly state: EventOutcome["state"]; readonly note: string }
  | { readonly found: "Unmatched" }
  | { readonly found: "Erased"; readonly waiting: ReadonlyArray<StoredWaiting> }
  | { readonly found: "Matched"; readonly account: StoredAccount; readonly now: number }

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

const toReceived = (receipt: StoredReceipt): Received => {
  if (receipt.found === "Known") return { _tag: "Known", outcome: { state: receipt.state, note: receipt.note } }
  if (receipt.found === "Unmatched") return { _tag: "Unmatched" }
  if (receipt.found === "Erased") return { _tag: "Erased", waiting: receipt.waiting.map(toWaiting) }
  return matched(receipt.account, Math.floor(receipt.now))
}

const eventJson = ({ createdAt, customerId, id, kind, payload, payment }: KeptEvent) =>
  JSON.stringify({ id, kind, createdAt, customerId, payload, payment })

/** Calls a function of the database schema by its name. */
type Call = <A>(name: string, parameters: ReadonlyArray<unknown>) => Effect.Effect<A, DatabaseError>

const caller =
  ({ schema, statement }: Db): Call =>
  <A>(name: string, parameters: ReadonlyArray<unknown>) =>
    Effect.map(
      statement<{ readonly answer: A }>(
        `SELECT ${schema}.${name}(${parameters.map((_, index) => `$${index + 1}`).join(", ")}) AS answer`,
        parameters
      ),
      ([row]) => (row as { readonly answer: A }).answer
    )

const receive =
  (call: Call, time: LedgerTime): PaymentEventStore["Service"]["receive"] =>
  ({ again, bought, claimed, event, ifErased = ERASED, references }) =>
    Effect.flatMap(time.given, (given) =>
      call<StoredReceipt>("receive_payment", [
        eventJson(event),
        references,
        claimed ?? null,
        bought.sessionId ?? null,
        bought.paymentId ?? null,
        again,
        JSON.stringify(ifErased),
        given
      ])
    ).pipe(Effect.map(toReceived), storing("PaymentEventStore.receive"))

const conclude =
  (call: Call, time: LedgerTime): PaymentEventStore["Service"]["conclude"] =>
  (conclusion) =>
    Effect.flatMap(time.given, (receivedAt) =>
      call<ReadonlyArray<StoredWaiting>>("conclude_payment", [
        conclusion.event.id,
        conclusion.waitsFor,
        ...paymentLists([{ conclusion, receivedAt }])
      ])
    ).pipe(
      Effect.map((waiting) => waiting.map(toWaiting)),
      storing("PaymentEventStore.conclude")
    )

const find =
  ({ schema, statement }: Db): PaymentEventStore["Service"]["find"] =>
  (ids) =>
    statement<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM ${schema}.payment_events e WHERE e.event_id = ANY($1::text[])
      AND ${livesHere(schema, "coalesce(e.owner, '')")}`,
      [ids]
    ).pipe(
      Effect.map((rows) => rows.map(toEvent)),
      storing("PaymentEventStore.find")
    )

/** The position of an event in a list: the time of its receipt in Unix microseconds, and its id. */
const EventPosition = Schema.Tuple([Schema.Int, Id])

const list =
  ({ schema, statement }: Db): PaymentEventStore["Service"]["list"] =>
  ({ after, limit, state, userId }) =>
    readCursor(EventPosition, after).pipe(
      Effect.flatMap((last) => {
        const [micros = null, id = null] = last ?? []
        return statement<EventRow & { readonly micros: number }>(
          `SELECT ${EVENT_COLUMNS}, (extract(epoch FROM e.received_at) * 1000000)::bigint AS micros
           FROM ${schema}.payment_events e
           WHERE ($1::text IS NULL OR e.state = $1) AND (e.owner = $2 OR $2::text IS NULL AND ${livesHere(schema, "coalesce(e.owner, '')")})
             AND ($3::bigint IS NULL
               OR (e.received_at, e.event_id) < (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::text))
           ORDER BY e.received_at DESC, e.event_id DESC LIMIT $5`,
          [state ?? null, userId ?? null, micros, id, limit + 1]
        )
      }),
      Effect.map((rows) => pageOf(rows, limit, ({ event_id, micros }) => cursorOf(micros, event_id))),
      Effect.map(({ next, rows }) => ({ rows: rows.map(toEvent), next })),
      storing("PaymentEventStore.list")
    )

const make = Effect.gen(function* () {
  const database = yield* Database
  const time = yield* makeLedgerTime
  const call = caller(database)
  return PaymentEventStore.of({
    applyAtOnce: applyPayments(database, time),
    receive: receive(call, time),
    conclude: conclude(call, time),
    keep: (event, { note, state }) =>
      Effect.flatMap(time.given, (given) =>
        call<EventOutcome>("keep_payment", [eventJson(event), state, note, given])
      ).pipe(storing("PaymentEventStore.keep")),
    find: find(database),
    list: list(database)
  })
})

/** The events of the payment provider in Postgres or PGlite. */
export const PgPaymentEventStoreLayer: Layer.Layer<PaymentEventStore, never, Database> = Layer.effect(
  PaymentEventStore,
  make
)
