import { AUDIT_KEPT_MS, AuditLog, type StoredAuditEntry } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

interface EntryRow extends Row {
  readonly number: number
  readonly at: Date
  readonly action: string
  readonly operator: string
  readonly subject: string | null
  readonly reason: string | null
  readonly details: string
  readonly address: string | null
}

const toEntry = ({ action, address, at, details, number, operator, reason, subject }: EntryRow): StoredAuditEntry => ({
  number,
  at: at.getTime(),
  action,
  by: operator,
  userId: subject ?? undefined,
  reason: reason ?? undefined,
  details,
  ...(address === null ? {} : { address })
})

/**
 * Deletes the oldest entries; only one process deletes at a time. The numbers of the entries are passed as an array:
 * for a set of unknown size the planner would read the whole table. SQL parameters: the least age of an entry in
 * milliseconds, the most entries to delete, the name of the schema.
 */
const removeOldSql = (schema: string) => `WITH lock AS MATERIALIZED (
    SELECT pg_try_advisory_xact_lock(hashtextextended($3 || '.audit_log', 0)) AS is_ours
  ), old AS MATERIALIZED (
    SELECT number FROM ${schema}.audit_log
    WHERE (SELECT is_ours FROM lock)
      AND at < now() - $1::float8 * interval '1 millisecond'
    ORDER BY at LIMIT $2
  ), removed AS (
    DELETE FROM ${schema}.audit_log WHERE number = ANY(ARRAY(SELECT number FROM old)) RETURNING 1
  )
  SELECT count(*) AS removed FROM removed`

const make = Effect.map(Database, ({ schema, statement }) =>
  AuditLog.of({
    record: ({ action, address, by, details, reason, userId }) =>
      Effect.asVoid(
        statement(
          `INSERT INTO ${schema}.audit_log (action, operator, subject, reason, details, address) VALUES ($1, $2, $3, $4, $5, $6)`,
          [action, by, userId ?? null, reason ?? null, details, address ?? null]
        )
      ).pipe(storing("AuditLog.record")),
    list: ({ before, limit, since, userId }) =>
      Effect.map(
        statement<EntryRow>(
          `SELECT number, at, action, operator, subject, reason, details, address FROM ${schema}.audit_log
           WHERE ($1::text IS NULL OR subject = $1) AND ($2::bigint IS NULL OR number < $2)
             AND ($3::float8 IS NULL OR at >= to_timestamp($3::float8 / 1000))
           ORDER BY number DESC LIMIT $4`,
          [userId ?? null, before ?? null, since ?? null, limit]
        ),
        (rows) => rows.map(toEntry)
      ).pipe(storing("AuditLog.list")),
    removeOld: ({ keptMs, limit }) =>
      Effect.map(
        statement<{ removed: number }>(removeOldSql(schema), [Math.max(keptMs, AUDIT_KEPT_MS), limit, schema]),
        ([row]) => row?.removed ?? 0
      ).pipe(storing("AuditLog.removeOld", "maintenance"))
  })
)

/** The audit log of operators' actions in Postgres or PGlite. */
export const PgAuditLogLayer: Layer.Layer<AuditLog, never, Database> = Layer.effect(AuditLog, make)
