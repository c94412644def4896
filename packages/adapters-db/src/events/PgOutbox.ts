import {
  ownerOfEvent,
  type ClaimedDelivery,
  type DeliveryOutcome,
  type DeliveryRecord,
  DeliveryRecords,
  type DeliveryState,
  eventOf,
  feedCursor,
  feedPlace,
  IdGenerator,
  Outbox
} from "@parley/core/adapter"
import type { EventType } from "@parley/core"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"
import { deliverySql, outboxSql } from "./outboxSql.ts"

interface EventRow extends Row {
  readonly event_id: string
  readonly type: EventType
  readonly created_at: Date
  readonly tries: number
}

interface AccountRow extends Row {
  readonly event_id: string
  readonly type: EventType
  readonly created_at: Date
  readonly data: unknown
  readonly destination: string
  readonly state: DeliveryState
}

interface FeedRow extends ClaimedRow {
  readonly place: number
}

interface ClaimedRow extends EventRow {
  readonly data: unknown
  readonly traceparent?: string | null
}

interface DeliveryRow extends EventRow {
  readonly user_id: string
  readonly destination: string
  readonly state: DeliveryState
  readonly due_at: Date
  readonly ended_at: Date | null
  readonly reason: string | null
}

interface DestinationRow extends Row {
  readonly id: string
  readonly types: ReadonlyArray<EventType>
  readonly seen_at: Date
  readonly disabled_at: Date | null
  readonly pending: number
  readonly dead: number
  readonly oldest_ms: number | null
}

const recordOf = (row: DeliveryRow): DeliveryRecord => ({
  eventId: row.event_id,
  type: row.type,
  account: row.user_id,
  destination: row.destination,
  state: row.state,
  tries: row.tries,
  createdAt: row.created_at.getTime(),
  dueAt: row.state === "pending" ? row.due_at.getTime() : undefined,
  endedAt: row.ended_at?.getTime(),
  reason: row.reason ?? undefined
})

const claimedOf = (row: ClaimedRow & Pick<DeliveryRow, "user_id">, claim: string): ClaimedDelivery => ({
  owner: row.user_id,
  event: eventOf({ id: row.event_id, type: row.type, at: row.created_at.getTime(), data: row.data }),
  tries: row.tries,
  claim,
  traceparent: row.traceparent ?? undefined
})

/** Returns the state of a delivery after a try, the milliseconds until its next try, and the reason of a failure. */
const leftBy = (outcome: DeliveryOutcome): readonly [DeliveryState, number, string | null] =>
  outcome._tag === "Delivered"
    ? ["delivered", 0, null]
    : outcome._tag === "Dead"
      ? ["dead", 0, outcome.reason]
      : ["pending", outcome.afterMs, outcome.reason]

const counted = (rows: ReadonlyArray<Row>): number => Number(rows[0]?.["count"] ?? 0)

const makeOutbox = Effect.gen(function* () {
  const { schema, statement } = yield* Database
  const ids = yield* IdGenerator
  const sqlTexts = outboxSql(schema)

  return Outbox.of({
    subscribe: ({ destinations, lowBelow }) =>
      storing("Outbox.subscribe")(
        Effect.asVoid(
          statement(sqlTexts.subscribe, [
            JSON.stringify(destinations.map(({ id, types }) => ({ id, types }))),
            lowBelow === undefined ? null : JSON.stringify(lowBelow)
          ])
        )
      ),
    publish: ({ at, data, type }) =>
      storing("Outbox.publish")(
        Effect.asVoid(statement(sqlTexts.publish, [ownerOfEvent(data), type, at, JSON.stringify(data)]))
      ),
    claim: ({ destination, leaseMs, limit }) =>
      storing(
        "Outbox.claim",
        "maintenance"
      )(
        Effect.gen(function* () {
          const claim = yield* ids.next
          const rows = yield* statement<ClaimedRow & Pick<DeliveryRow, "user_id">>(sqlTexts.claim, [
            destination,
            limit,
            claim,
            leaseMs
          ])
          return rows.map((row) => claimedOf(row, claim))
        })
      ),
    conclude: ({ delivery: { claim, event, owner }, destination, outcome }) =>
      storing(
        "Outbox.conclude",
        "maintenance"
      )(Effect.asVoid(statement(sqlTexts.conclude, [owner, event.id, destination, claim, ...leftBy(outcome)]))),
    disable: (destination) =>
      storing("Outbox.disable", "maintenance")(Effect.asVoid(statement(sqlTexts.disable, [destination]))),
    prune: ({ limit }) =>
      storing("Outbox.prune", "maintenance")(Effect.map(statement(sqlTexts.prune, [limit]), counted))
  })
})

/** The most new events that one read of the feed adds to the feed's order. */
const PLACED_AT_ONCE = 1_000

const makeRecords = Effect.map(Database, ({ asService, schema, statement }) => {
  const sqlTexts = deliverySql(schema)
  return DeliveryRecords.of({
    list: ({ destination, limit, state }) =>
      storing("DeliveryRecords.list")(
        Effect.map(statement<DeliveryRow>(sqlTexts.list, [state ?? null, destination ?? null, limit]), (rows) =>
          rows.map(recordOf)
        )
      ),
    ofAccount: ({ account, after, limit }) =>
      storing("DeliveryRecords.ofAccount")(
        Effect.map(
          statement<AccountRow>(sqlTexts.ofAccount, [
            account,
            after?.eventId ?? null,
            after?.destination ?? null,
            limit
          ]),
          (rows) =>
            rows.map((row) => ({
              event: eventOf({ id: row.event_id, type: row.type, at: row.created_at.getTime(), data: row.data }),
              destination: row.destination,
              state: row.state
            }))
        )
      ),
    feed: ({ after, limit }) =>
      asService(({ query }) =>
        Effect.gen(function* () {
          const from = yield* feedPlace(after)
          yield* query(sqlTexts.lockFeed, [schema])
          yield* query(sqlTexts.placeFeed, [PLACED_AT_ONCE])
          const rows = yield* query<FeedRow>(sqlTexts.feed, [from, limit])
          const events = rows.map((row) =>
            eventOf({ id: row.event_id, type: row.type, at: row.created_at.getTime(), data: row.data })
          )
          return { events, next: feedCursor(rows.at(-1)?.place ?? from) }
        })
      ).pipe(storing("DeliveryRecords.feed")),
    destinations: storing("DeliveryRecords.destinations")(
      Effect.map(statement<DestinationRow>(sqlTexts.destinations), (rows) =>
        rows.map((row) => ({
          id: row.id,
          types: row.types,
          seenAt: row.seen_at.getTime(),
          disabledAt: row.disabled_at?.getTime(),
          pending: row.pending,
          dead: row.dead,
          oldestMs: row.oldest_ms ?? undefined
        }))
      )
    ),
    retry: ({ destination, eventId }) =>
      storing(
        "DeliveryRecords.retry",
        "maintenance"
      )(Effect.map(statement(sqlTexts.retry, [eventId ?? null, destination ?? null]), counted))
  })
})

/** The outbox in Postgres or PGlite. Times are those of the database's clock. */
export const PgOutboxLayer: Layer.Layer<DeliveryRecords | Outbox, never, Database> = Layer.mergeAll(
  Layer.effect(Outbox, makeOutbox),
  Layer.effect(DeliveryRecords, makeRecords)
)
