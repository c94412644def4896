import { Context, Effect, Layer, Schema } from "effect"
import { ActionAsked, BY_AN_APPLICATION } from "../audit/ActionAsked.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import { NO_PERSON } from "../identity/UserId.ts"
import { Id, inputsOf, PageLimit } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { DELIVERY_STATES, DeliveryRecords, type DeliveryRecord, type DestinationRecord } from "./Outbox.ts"

/** Selects deliveries, the newest event first. */
export const DeliveriesAsked = Schema.Struct({
  state: Schema.optional(Schema.Literals(DELIVERY_STATES)),
  destination: Schema.optional(Id),
  /** The maximum number of deliveries: 50 unless given, at most 1,000. */
  limit: Schema.optional(PageLimit)
})
export type DeliveriesAsked = typeof DeliveriesAsked.Type

/** Selects dead deliveries: of one event, of one destination, or all. */
export const RetryAsked = Schema.Struct({ eventId: Schema.optional(Id), destination: Schema.optional(Id) })
export type RetryAsked = typeof RetryAsked.Type

const PAGE = 50

/** The deliveries of events to hooks and webhooks, for operators. */
export class EventService extends Context.Service<
  EventService,
  {
    /** Lists deliveries. Delivered ones are stored for a day, dead ones for thirty days. */
    list(asked?: DeliveriesAsked): Effect.Effect<ReadonlyArray<DeliveryRecord>, StorageFailed>
    /** Lists the hooks and webhooks, with their pending and dead deliveries. */
    readonly destinations: Effect.Effect<ReadonlyArray<DestinationRecord>, StorageFailed>
    /**
     * Retries dead deliveries, with as many tries as new ones, and enables their destinations; returns their number.
     * Recorded in the audit log.
     */
    retry(which?: RetryAsked, asked?: ActionAsked): Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/events/EventService") {
  static readonly inputs = inputsOf<EventService["Service"]>()({
    list: [{ asked: Schema.UndefinedOr(DeliveriesAsked) }],
    destinations: [],
    retry: [{ which: Schema.UndefinedOr(RetryAsked) }, { asked: Schema.UndefinedOr(ActionAsked) }]
  })
  static readonly layer = Layer.effect(
    EventService,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const deliveries = yield* DeliveryRecords
      const unitOfWork = yield* UnitOfWork
      return EventService.of({
        list: (asked = {}) => deliveries.list({ ...asked, limit: asked.limit ?? PAGE }),
        destinations: deliveries.destinations,
        retry: Effect.fn("EventService.retry")((which = {}, { address, by, reason } = BY_AN_APPLICATION) => {
          const { destination, eventId = "all that are dead" } = which
          const details = destination === undefined ? eventId : `${eventId} to ${destination}`
          const entry = { action: "events retry", by, userId: undefined, reason, details, address }
          return unitOfWork.run(NO_PERSON, Effect.andThen(audit.record(entry), deliveries.retry(which)))
        })
      })
    })
  )
}
