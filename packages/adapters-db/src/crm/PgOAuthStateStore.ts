import { OAuthStateStore } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

/**
 * Time for which a used OAuth state is kept after it has expired. A server process decides by its own clock whether a
 * state is still valid, and that clock may lag behind the database's by at most this time.
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

/** Used OAuth states in Postgres or PGlite, shared by all server processes of this database. */
export const PgOAuthStateStoreLayer: Layer.Layer<OAuthStateStore, never, Database> = Layer.effect(OAuthStateStore, make)
