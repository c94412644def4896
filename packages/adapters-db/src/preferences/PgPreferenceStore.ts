import { NO_PREFERENCES, PreferenceStore } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, type Row } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

interface PreferencesRow extends Row {
  readonly instructions: string
  readonly model: string | null
}

/** Preferences in Postgres or PGlite. Statements run with the rights of their owner. */
export const PgPreferenceStoreLayer: Layer.Layer<PreferenceStore, never, Database> = Layer.effect(
  PreferenceStore,
  Effect.map(Database, ({ schema, statementAsUser }) => {
    const table = `${schema}.preferences`
    const find = `SELECT instructions, model FROM ${table} WHERE user_id = $1`
    const put = `INSERT INTO ${table} (user_id, instructions, model) VALUES ($1, $2, $3)
      ON CONFLICT (user_id) DO UPDATE SET instructions = excluded.instructions, model = excluded.model, updated_at = now()`
    return PreferenceStore.of({
      get: (userId) =>
        storing("PreferenceStore.get")(
          Effect.map(statementAsUser<PreferencesRow>(userId, find, [userId]), ([row]) =>
            row === undefined ? NO_PREFERENCES : { instructions: row.instructions, modelId: row.model }
          )
        ),
      set: (userId, { instructions, modelId }) =>
        storing("PreferenceStore.set")(Effect.asVoid(statementAsUser(userId, put, [userId, instructions, modelId])))
    })
  })
)
