import { Data, Effect, Result } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import { retryStorage } from "../../storage/retryStorage.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { UnitOfWork } from "../../storage/UnitOfWork.ts"
import type { PaymentFailed } from "../errors.ts"
import type { PaymentGateway } from "../provider/PaymentGateway.ts"
import type { PaymentReports } from "../provider/PaymentReports.ts"
import type { FactReader } from "./readFact.ts"
import type { StoredPaymentEvent } from "../BillingAccount.ts"
import type { ReceivedPaymentEvent } from "../provider/PaymentEvent.ts"
import type { PaymentFact } from "./paymentReferences.ts"

/** A waiting event that was read again. */
export interface WaitingFact {
  readonly event: ReceivedPaymentEvent
  readonly fact: PaymentFact
}

/** The results of earlier attempts of a unit of work, by the ids of the events. */
export interface UnitSoFar {
  /** The person of the unit, or `NO_PERSON`. Undefined for waiting events: their links determine their person. */
  readonly owner: UserId | undefined
  /** Waiting events that were read; undefined for events that cannot be applied now. */
  readonly read: ReadonlyMap<string, WaitingFact | undefined>
  /** For each event with an operation that the ledger refused: the reason. */
  readonly refused: ReadonlyMap<string, string>
  /** The ids of the subscriptions that were ended at the provider. */
  readonly ended: ReadonlySet<string>
}

/** Events wait for the links of a unit of work; they must be read before the unit can be completed. */
export class WaitingUnread extends Data.TaggedError("WaitingUnread")<{
  readonly unread: ReadonlyArray<StoredPaymentEvent>
}> {}

/** The ledger refuses one of several operations of an event. */
export class ActionRefused extends Data.TaggedError("ActionRefused")<{
  readonly reason: string
  readonly isFirst: boolean
}> {}

/** The ledger refuses an operation after other operations of the same event, which must be undone. */
export class RefusedHalfway extends Data.TaggedError("RefusedHalfway")<{
  readonly eventId: string
  readonly reason: string
}> {}

/**
 * The person of an event was linked after the event had been read in part, or after its unit of work had begun without
 * a person.
 */
export class LinkedMeanwhile extends Data.TaggedError("LinkedMeanwhile") {}

/**
 * An event reports a running subscription of an erased person: the subscription must be ended before the event is
 * applied.
 */
export class StillRuns extends Data.TaggedError("StillRuns")<{
  readonly eventId: string
  readonly subscriptionId: string
}> {}

/** The reasons to roll back a unit of work and to run it again with more information. */
export type DoAgain = WaitingUnread | RefusedHalfway | StillRuns | LinkedMeanwhile

export interface UnitParts {
  readonly facts: FactReader
  readonly gateway: PaymentGateway["Service"]
  readonly reports: PaymentReports["Service"]
  readonly unitOfWork: UnitOfWork["Service"]
}

const stillWaits = Effect.logWarning(
  "An event that waited cannot be applied yet: the payment provider does not answer. Background work tries again within an hour; `parley billing replay` does at once."
)

/**
 * Runs work as one unit. If events wait for the links of the unit, the unit is rolled back, the events are read, if
 * necessary by asking the provider, and the unit runs again with them. So the provider is never asked while a person is
 * locked. The unit also runs again if the ledger refuses one of several operations.
 */
export const paymentUnits = ({ facts, gateway, reports, unitOfWork }: UnitParts) => {
  /**
   * Reads a waiting event. If the provider does not answer, the event keeps waiting, and a later catch-up applies it.
   */
  const readWaiting = ({ payload }: StoredPaymentEvent): Effect.Effect<WaitingFact | undefined> =>
    Effect.gen(function* () {
      const event = yield* reports.read(payload ?? "")
      const fact = yield* facts.knownFactOf(event)
      return fact._tag === "Settled" ? undefined : { event, fact }
    }).pipe(
      Effect.catchTag(["PaymentUnavailable", "PaymentRefused", "PaymentsNotConfigured"], () =>
        Effect.as(stillWaits, undefined)
      )
    )

  /**
   * Ends a subscription of an erased person, so that no further payment is made for it. If the provider does not answer
   * this call, it sends the event again, or the event keeps waiting.
   */
  const endRunning = ({ eventId, subscriptionId }: StillRuns, read: Map<string, WaitingFact | undefined>) =>
    gateway.endSubscription(subscriptionId).pipe(
      Effect.catchTag("PaymentObjectNotFound", () => Effect.void),
      Effect.catch((error) =>
        read.has(eventId) ? Effect.as(stillWaits, void read.set(eventId, undefined)) : Effect.fail(error)
      )
    )

  return <A>(
    owner: UserId,
    work: (soFar: UnitSoFar) => Effect.Effect<A, DoAgain | StorageFailed>
  ): Effect.Effect<A, LinkedMeanwhile | PaymentFailed | StorageFailed> =>
    Effect.gen(function* () {
      const read = new Map<string, WaitingFact | undefined>()
      const refused = new Map<string, string>()
      const ended = new Set<string>()
      while (true) {
        const done = yield* Effect.result(retryStorage(unitOfWork.run(owner, work({ owner, read, refused, ended }))))
        if (Result.isSuccess(done)) return done.success
        const { failure } = done
        if (failure._tag === "StorageFailed" || failure._tag === "LinkedMeanwhile") return yield* failure
        if (failure._tag === "RefusedHalfway") refused.set(failure.eventId, failure.reason)
        else if (failure._tag === "StillRuns") {
          yield* endRunning(failure, read)
          ended.add(failure.subscriptionId)
        } else for (const event of failure.unread) read.set(event.id, yield* readWaiting(event))
      }
    })
}
