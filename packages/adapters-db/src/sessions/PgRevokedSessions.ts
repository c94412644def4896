import { RevokedSessions } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

interface AnswerRow extends Row {
  readonly sessions: ReadonlyArray<{ readonly digest: string; readonly expiresAt: number }>
  readonly as_of: number
}

/**
 * Longer than a statement may take from reading its clock to its commit, so that rows that were committed late are read
 * again.
 */
const OVERLAP = "interval '1 minute'"

const revokeText = (schema: string) => `
  WITH forgotten AS (DELETE FROM ${schema}.revoked_sessions WHERE expires_at <= clock_timestamp())
  INSERT INTO ${schema}.revoked_sessions (digest, expires_at)
  SELECT decode($1, 'hex'), to_timestamp($2::float8 / 1000) WHERE to_timestamp($2::float8 / 1000) > clock_timestamp()
  ON CONFLICT (digest) DO NOTHING`

const sinceText = (schema: string) => `
  SELECT (extract(epoch FROM clock_timestamp() - ${OVERLAP}) * 1000)::float8 AS as_of, (
    SELECT coalesce(json_agg(json_build_object('digest', encode(r.digest, 'hex'),
      'expiresAt', extract(epoch FROM r.expires_at) * 1000)), '[]')
    FROM ${schema}.revoked_sessions r
    WHERE r.expires_at > clock_timestamp() AND r.revoked_at >= coalesce(to_timestamp($1::float8 / 1000), '-infinity')
  ) AS sessions`

const make = Effect.map(Database, ({ schema, statement }) =>
  RevokedSessions.of({
    revoke: ({ digest, expiresAt }) =>
      Effect.asVoid(statement(revokeText(schema), [digest, expiresAt])).pipe(storing("RevokedSessions.revoke")),
    since: (moment) =>
      Effect.map(statement<AnswerRow>(sinceText(schema), [moment ?? null]), ([row]) => ({
        sessions: row?.sessions ?? [],
        asOf: row?.as_of ?? moment ?? 0
      })).pipe(storing("RevokedSessions.since"))
  })
)

/** Sessions that were signed out, in Postgres or PGlite, for all server processes on it. */
export const PgRevokedSessionsLayer: Layer.Layer<RevokedSessions, never, Database> = Layer.effect(RevokedSessions, make)
