import { type Admission, CallLimiter, type LimitReached } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

interface AdmissionRow {
  readonly [column: string]: unknown
  readonly place: number | null
  readonly reached: LimitReached | null
  readonly remaining_ms: number | null
}

const admissionOf = ({ place, reached, remaining_ms }: AdmissionRow): Admission =>
  place === null || reached === null
    ? { _tag: "Admitted" }
    : { _tag: "Refused", place: place - 1, reached, remainingMs: remaining_ms ?? 0 }

const make = Effect.map(Database, ({ schema, statement }) =>
  CallLimiter.of({
    admit: ({ ended, lease, leaseMs, limits, windowMs }) =>
      Effect.map(
        statement<AdmissionRow>(
          `SELECT place, reached, remaining_ms FROM ${schema}.admit_call($1, $2, $3, $4, $5, $6, $7, $8)`,
          [
            limits.map(({ subject }) => subject),
            limits.map(({ name }) => name),
            limits.map(({ calls }) => calls),
            limits.map(({ atOnce }) => atOnce ?? null),
            windowMs,
            lease,
            leaseMs,
            ended
          ]
        ),
        (rows) => admissionOf(rows[0] as AdmissionRow)
      ).pipe(storing("CallLimiter.admit")),
    keep: ({ ended, leaseMs, leases }) =>
      Effect.asVoid(statement(`SELECT ${schema}.keep_calls($1, $2, $3)`, [leases, leaseMs, ended])).pipe(
        storing("CallLimiter.keep", "maintenance")
      ),
    sweep: ({ limit }) =>
      Effect.map(statement(`SELECT ${schema}.sweep_calls($1) AS swept`, [limit]), ([row]) =>
        Number(row?.["swept"] ?? 0)
      ).pipe(storing("CallLimiter.sweep", "maintenance"))
  })
)

/**
 * A limiter of concurrent calls in Postgres or PGlite, by the database's clock, shared by all server processes of this
 * database.
 */
export const PgCallLimiterLayer: Layer.Layer<CallLimiter, never, Database> = Layer.effect(CallLimiter, make)
