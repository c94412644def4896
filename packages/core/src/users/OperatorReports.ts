import { Context, Effect, Layer, Schema } from "effect"
import { AuditLog, type StoredAuditEntry } from "../audit/AuditLog.ts"
import { PaymentEventStore } from "../billing/inbox/PaymentEventStore.ts"
import { CreditService } from "../credits/CreditService.ts"
import type { Balance } from "../credits/Account.ts"
import { DeliveryRecords, type DestinationRecord } from "../events/Outbox.ts"
import { UserId } from "../identity/UserId.ts"
import { JobQueue } from "../jobs/JobQueue.ts"
import { type WorkFinding, workFindings, workState } from "../jobs/WorkHealth.ts"
import { WorkerRegistry, type WorkState } from "../jobs/WorkerRegistry.ts"
import { type ModelFailures, failuresSoFar } from "../models/modelMetrics.ts"
import { SecurityEvents } from "../security/SecurityEvents.ts"
import { ownCursor } from "../storage/Cursor.ts"
import { inputsOf, Offset, PageLimit } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UserNotFound } from "./errors.ts"
import { OperatorTiers, type TierStanding } from "./OperatorTiers.ts"
import { type AccessState, UserAccess } from "./UserAccess.ts"

/** The maximum number of jobs and of payment events that are read for each state. */
const LOOKED_AT = 100

/** The states of payment events that need an operator's attention. */
const OPEN_STATES = ["waiting", "refused", "unreadable", "owed"] as const
/** The states of jobs that are not done. */
const OPEN_JOBS = ["waiting", "running", "failed"] as const

/** A report on a person, for operators. */
export interface PersonReport {
  readonly userId: UserId
  readonly access: AccessState
  /** Undefined for a person without an account. */
  readonly account: { readonly balance: Balance; readonly tier: TierStanding } | undefined
}

/** The state of a service at a glance. Jobs and payment events are counted up to 100. */
export interface HealthReport {
  /** The findings about the background work: whether a worker is alive, and whether jobs have waited for too long. */
  readonly work: ReadonlyArray<WorkFinding>
  /** The workers of all processes, and the jobs that are due. */
  readonly workers: WorkState
  readonly jobs: Readonly<Record<(typeof OPEN_JOBS)[number], number>>
  readonly paymentEvents: Readonly<Record<(typeof OPEN_STATES)[number], number>>
  /** The hooks and webhooks, with their pending and dead deliveries. */
  readonly destinations: ReadonlyArray<DestinationRecord>
  /** The failures of models in this process since its start. */
  readonly vendors: ReadonlyArray<ModelFailures>
  /** The refusals of this process since its start, by code and problem. */
  readonly refusals: Readonly<Record<string, number>>
}

/** Selects entries of the audit log. */
export const AuditAsked = Schema.Struct({
  /** Only entries about this person. */
  userId: Schema.optional(UserId),
  /** Only entries since this time, in Unix milliseconds. */
  since: Schema.optional(Schema.Finite),
  /** Only entries before the one with this number. */
  before: Schema.optional(Offset),
  limit: PageLimit
})
export type AuditAsked = typeof AuditAsked.Type

/** Reports for operators. They change nothing, not even the audit log. */
export class OperatorReports extends Context.Service<
  OperatorReports,
  {
    /** Returns a person who has an account, or whose access was ended. */
    person(userId: UserId): Effect.Effect<PersonReport, UserNotFound | StorageFailed>
    /** Lists entries of the audit log, the newest first. */
    audit(input: AuditAsked): Effect.Effect<ReadonlyArray<StoredAuditEntry>, StorageFailed>
    readonly health: Effect.Effect<HealthReport, StorageFailed>
    /** Returns the findings about the background work of all processes. */
    readonly work: Effect.Effect<ReadonlyArray<WorkFinding>, StorageFailed>
  }
>()("@parley/core/users/OperatorReports") {
  static readonly inputs = inputsOf<OperatorReports["Service"]>()({
    person: [{ userId: UserId }],
    audit: [{ input: AuditAsked }],
    health: []
  })
  static readonly layer = Layer.effect(
    OperatorReports,
    Effect.gen(function* () {
      const access = yield* UserAccess
      const audit = yield* AuditLog
      const credits = yield* CreditService
      const deliveries = yield* DeliveryRecords
      const jobs = yield* JobQueue
      const payments = yield* PaymentEventStore
      const security = yield* SecurityEvents
      const tiers = yield* OperatorTiers
      const workers = Effect.provideService(workState, WorkerRegistry, yield* WorkerRegistry)

      const health = Effect.gen(function* () {
        const jobCounts = yield* Effect.forEach(OPEN_JOBS, (state) =>
          Effect.map(
            ownCursor(jobs.list(undefined, { state, limit: LOOKED_AT })),
            (page) => [state, page.jobs.length] as const
          )
        )
        const eventCounts = yield* Effect.forEach(OPEN_STATES, (state) =>
          Effect.map(
            ownCursor(payments.list({ state, userId: undefined, limit: LOOKED_AT, after: undefined })),
            ({ rows }) => [state, rows.length] as const
          )
        )
        const state = yield* workers
        return {
          work: workFindings(state),
          workers: state,
          jobs: Object.fromEntries(jobCounts) as HealthReport["jobs"],
          paymentEvents: Object.fromEntries(eventCounts) as HealthReport["paymentEvents"],
          destinations: yield* deliveries.destinations,
          vendors: yield* failuresSoFar,
          refusals: yield* security.refusals
        }
      })

      return OperatorReports.of({
        person: Effect.fn("OperatorReports.person")(function* (userId) {
          const state = yield* access.access(userId)
          const account = yield* Effect.all({ balance: credits.find(userId), tier: tiers.standing(userId) }).pipe(
            Effect.catchTag("AccountNotFound", () => Effect.undefined)
          )
          const isKnown = account !== undefined || state.blockedAt !== undefined || state.notBefore !== undefined
          if (!isKnown) return yield* new UserNotFound({ userId })
          return { userId, access: state, account }
        }),
        audit: ({ before, limit, since, userId }) => audit.list({ before, limit, since, userId }),
        health,
        work: Effect.map(workers, workFindings)
      })
    })
  )
}
