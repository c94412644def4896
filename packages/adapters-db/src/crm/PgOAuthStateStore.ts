import { OAuthStateStore } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

/**
 * A server process decides by its own clock if a state is still valid. A used state is deleted only after the longest
 * time by which that clock may lag behind this one.
 */
const KEPT_LONGER = "interval '1 hour'"

const spendText = (schema: string) => `
  WITH forgotten AS (
    DELETE FROM ${schema}.crm_spent_states s USING (
      SELECT o.user_id, o.digest FROM ${schema}.crm_spent_states o
      WHERE o.expires_at < clock_timestamp() - ${KEPT_LONGER} ORDER BY o.expires_at LIMIT 100 FOR UPDATE SKIP LOCKED
    ) old WHERE s.user_id = old.user_id AND s.digest = old.digest
  )
  INSERT INTO ${schema}.crm_spent_states (user_id, digest, expires_at)
  VALUES ($1, decode($2, 'hex'), to_timestamp($3::float8 / 1000))
  ON CONFLICT (user_id, digest) DO NOTHING RETURNING 1 AS first`

const make = Effect.map(Database, ({ schema, statement }) =>
  OAuthStateStore.of({
    spend: ({ digest, expiresAt, owner }) =>
      Effect.map(statement(spendText(schema), [owner, digest, expiresAt]), (rows) => rows.length > 0).pipe(
        storing("OAuthStateStore.spend")
      )
  })
)

/** Used states in Postgres or PGlite, for all server processes on it. */
export const PgOAuthStateStoreLayer: Layer.Layer<OAuthStateStore, never, Database> = Layer.effect(OAuthStateStore, make)
