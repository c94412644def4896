import { OperatorReports } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { operatorAccess } from "../../access/operatorAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { integerParameter, optionalIntegerParameter } from "../parameters.ts"
import { choice, listOf, moment, named, orNull, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { optionalTimeParameter, optionalUserParameter } from "./operatorParameters.ts"

const AuditEntryBody = named("AuditEntry", "An action of an operator.", {
  number: whole("The number of the entry, which grows."),
  at: moment("When the action took place."),
  by: text("`user:` and the id of an operator, or the name of a command's user."),
  action: text("The name of the action."),
  userId: orNull(Schema.String, "The person on whom the operator acted; null if there is none."),
  details: text("The parameters of the action."),
  reason: orNull(Schema.String, "The reason that the operator named; null without one."),
  address: orNull(Schema.String, "The address of the operator's client; null if it is unknown.")
})

const AuditBody = named("AuditPage", "A page of the audit log.", {
  entries: listOf(AuditEntryBody, "The entries, newest first."),
  next: Schema.NullOr(Schema.Int).annotate({ description: "`before` of the next page; null on the last one." })
})

const WorkBody = named("WorkCheck", "A check of the background work.", {
  name: text("The name of the check."),
  status: choice(["ok", "failed", "unused"], "The result of the check."),
  detail: text("A sentence for operators.")
})

const DestinationBody = named("EventDestination", "The deliveries to a hook or webhook.", {
  id: text("The destination's id."),
  pending: whole("The number of events that wait."),
  dead: whole("The number of events whose delivery was given up."),
  oldestSeconds: orNull(Schema.Finite, "Seconds since the oldest event that waits; null if none waits."),
  disabledAt: orNull(Schema.String, "When the destination was disabled; null if it is not.")
})

const VendorFailuresBody = named("VendorFailures", "Replies that a model failed.", {
  vendor: text("The vendor."),
  model: text("The model's id."),
  reason: text("The kind of the failure."),
  failures: whole("The number of failures.")
})

const HealthBody = named("ServiceHealth", "The state of the service.", {
  work: listOf(WorkBody, "The background work of all processes; `unused` if no worker has ever run."),
  workers: named("WorkersHealth", "The workers of all processes, and the jobs that are due.", {
    alive: whole("The number of living workers."),
    lastSeenSeconds: Schema.NullOr(Schema.Finite).annotate({
      description: "Seconds since the last sign of any worker; null if there never was one."
    }),
    due: whole("The number of jobs that are due."),
    oldestDueSeconds: Schema.NullOr(Schema.Finite).annotate({
      description: "Seconds for which the oldest due job has waited; null if none is due."
    })
  }),
  jobs: named("JobCounts", "Jobs by state; 100 means 100 or more.", {
    waiting: whole("Jobs that wait."),
    running: whole("Jobs that run."),
    failed: whole("Jobs that have failed.")
  }),
  paymentEvents: named("PaymentEventCounts", "Payment events by state; 100 means 100 or more.", {
    waiting: whole("Events that match no person yet."),
    refused: whole("Events that contradict what is stored."),
    unreadable: whole("Events that the server could not read."),
    owed: whole("Payments that have to be refunded.")
  }),
  destinations: listOf(DestinationBody, "The hooks and webhooks."),
  vendors: listOf(VendorFailuresBody, "Replies that models failed in this process since it began."),
  refusals: Schema.Record(Schema.String, Schema.Int).annotate({
    description: "Refusals of this process since it began, by code and problem."
  })
})

const secondsOf = (milliseconds: number | undefined): number | null =>
  milliseconds === undefined ? null : Math.max(0, Math.round(milliseconds / 1_000))

/** The actions of operators. */
export const listAudit = defineRoute({
  method: "GET",
  path: "/api/admin/audit",
  summary: "Lists the actions of operators, newest first",
  access: operatorAccess("support"),
  queryParameters: {
    user: optionalUserParameter("Only actions on this person."),
    since: optionalTimeParameter("Only actions since this time (ISO 8601)."),
    before: optionalIntegerParameter({
      description: "`next` of the previous page.",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER
    }),
    limit: integerParameter({ description: "The most entries.", minimum: 1, maximum: 1_000, default: 50 })
  },
  responses: { 200: { description: "A page of entries.", schema: AuditBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ query: { before, limit, since, user } }) {
    const found = yield* OperatorReports.use((reports) =>
      reports.audit({ userId: user, since, before, limit: limit + 1 })
    )
    const page = found.slice(0, limit)
    const body: typeof AuditBody.Type = {
      entries: page.map(({ action, address, at, by, details, number, reason, userId }) => ({
        number,
        at: new Date(at).toISOString(),
        by,
        action,
        userId: userId ?? null,
        details,
        reason: reason ?? null,
        address: address ?? null
      })),
      next: found.length > limit ? (page.at(-1)?.number ?? null) : null
    }
    return json(200, body)
  })
})

/** The state of the service. */
export const getAdminHealth = defineRoute({
  method: "GET",
  path: "/api/admin/health",
  summary:
    "Returns the state of workers, open jobs, payment events, deliveries of hooks and webhooks, failures of models, and refusals",
  access: operatorAccess("support"),
  responses: { 200: { description: "The state.", schema: HealthBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* () {
    const report = yield* OperatorReports.use(({ health }) => health)
    const { destinations, jobs, paymentEvents, refusals, vendors, work, workers } = report
    const body: typeof HealthBody.Type = {
      work,
      workers: {
        alive: workers.alive,
        lastSeenSeconds: secondsOf(workers.lastSeenMs),
        due: workers.due,
        oldestDueSeconds: secondsOf(workers.oldestDueMs)
      },
      jobs,
      paymentEvents,
      destinations: destinations.map(({ dead, disabledAt, id, oldestMs, pending }) => ({
        id,
        pending,
        dead,
        oldestSeconds: secondsOf(oldestMs),
        disabledAt: disabledAt === undefined ? null : new Date(disabledAt).toISOString()
      })),
      vendors,
      refusals
    }
    return json(200, body)
  })
})
