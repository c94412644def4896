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

/** An event that waited, read again. */
export interface WaitingFact {
  readonly event: ReceivedPaymentEvent
  readonly fact: PaymentFact
}

/** The findings of earlier tries of a unit of work, by the events' ids. */
export interface UnitSoFar {
  /** The person of the unit, or `NO_PERSON`. Undefined for events that waited: their person is that of their links. */
  readonly owner: UserId | undefined
  /** Events that waited; undefined for those that cannot be applied now. */
  readonly read: ReadonlyMap<string, WaitingFact | undefined>
  /** The reasons why the ledger refuses their operations. */
  readonly refused: ReadonlyMap<string, string>
  /** Subscriptions that have been ended at the provider, by their own ids. */
  readonly ended: ReadonlySet<string>
}

/** Events wait for the links of a unit of work, and must be read before it can be done. */
export class WaitingUnread extends Data.TaggedError("WaitingUnread")<{
  readonly unread: ReadonlyArray<StoredPaymentEvent>
}> {}

/** The ledger refuses one of several operations. */
export class ActionRefused extends Data.TaggedError("ActionRefused")<{
  readonly reason: string
  readonly isFirst: boolean
}> {}

/** The same, after operations that must be undone. */
export class RefusedHalfway extends Data.TaggedError("RefusedHalfway")<{
  readonly eventId: string
  readonly reason: string
}> {}

/** A person was linked after their event was read in part, or after its unit of work began as one of no person. */
export class LinkedMeanwhile extends Data.TaggedError("LinkedMeanwhile") {}

/** An event reports a running subscription of an erased person: it is ended before the event is applied. */
export class StillRuns extends Data.TaggedError("StillRuns")<{
  readonly eventId: string
  readonly subscriptionId: string
}> {}

/** The reason to roll a unit of work back, and to run it again with more knowledge. */
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
 * Runs work as one unit. If events waited for its links, the unit is rolled back, the events are read, if necessary with the
 * provider's help, and the unit runs again with them: nothing is looked up while a person is locked. The unit also runs again if
 * the ledger refuses one of several operations.
 */
export const paymentUnits = ({ facts, gateway, reports, unitOfWork }: UnitParts) => {
  /** Reads an event that waited. If the provider does not answer, the event stays waiting, and catching up finds it. */
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
   * Ends a subscription of an erased person, so that nothing more is paid for it. If the provider does not answer, it sends the
   * event again, or the event stays waiting.
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
