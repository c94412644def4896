import { OperatorReports } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { operatorAccess } from "../../access/operatorAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { integerParameter, optionalIntegerParameter } from "../parameters.ts"
import { defineRoute } from "../Route.ts"
import { optionalTimeParameter, optionalUserParameter } from "./operatorParameters.ts"

const AuditBody = Schema.Struct({
  entries: Schema.Array(
    Schema.Struct({
      number: Schema.Int,
      at: Schema.String,
      by: Schema.String.annotate({
        description: "`user:` and the id of an operator, or the name of a command's user."
      }),
      action: Schema.String,
      userId: Schema.NullOr(Schema.String),
      details: Schema.String,
      reason: Schema.NullOr(Schema.String),
      address: Schema.NullOr(Schema.String)
    })
  ),
  next: Schema.NullOr(Schema.Int).annotate({ description: "`before` of the next page; null on the last one." })
})

const HealthBody = Schema.Struct({
  work: Schema.Array(
    Schema.Struct({ name: Schema.String, status: Schema.Literals(["ok", "failed", "unused"]), detail: Schema.String })
  ).annotate({ description: "The background work of all processes; `unused` if no worker has ever run." }),
  workers: Schema.Struct({
    alive: Schema.Int,
    lastSeenSeconds: Schema.NullOr(Schema.Finite).annotate({
      description: "Seconds since the last sign of any worker; null if there never was one."
    }),
    due: Schema.Int,
    oldestDueSeconds: Schema.NullOr(Schema.Finite).annotate({
      description: "Seconds for which the oldest due job has waited; null if none is due."
    })
  }).annotate({ description: "The workers of all processes, and the jobs that are due." }),
  jobs: Schema.Struct({ waiting: Schema.Int, running: Schema.Int, failed: Schema.Int }).annotate({
    description: "Jobs by state; 100 means 100 or more."
  }),
  paymentEvents: Schema.Struct({
    waiting: Schema.Int,
    refused: Schema.Int,
    unreadable: Schema.Int,
    owed: Schema.Int
  }).annotate({ description: "Payment events by state; 100 means 100 or more." }),
  destinations: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      pending: Schema.Int,
      dead: Schema.Int,
      oldestSeconds: Schema.NullOr(Schema.Finite).annotate({
        description: "Seconds since the oldest event that waits; null if none waits."
      }),
      disabledAt: Schema.NullOr(Schema.String)
    })
  ),
  vendors: Schema.Array(
    Schema.Struct({ vendor: Schema.String, model: Schema.String, reason: Schema.String, failures: Schema.Int })
  ).annotate({ description: "Replies that models failed in this process since it began." }),
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
