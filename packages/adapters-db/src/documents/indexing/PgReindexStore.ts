import { isUuid, ReindexStore } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../../database/Database.ts"
import { storing } from "../../storage/storageFailed.ts"

const FOREIGN_KEY_VIOLATION = "23503"

/** Moments are microseconds since 1970, by the database's clock. */
const MOMENT = `(extract(epoch FROM begun_at) * 1000000)::bigint AS "begunAt"`
const ALIVE = "begun_at > clock_timestamp() - interval '7 days'"

const texts = (schema: string) => ({
  /**
   * Parameters: the scope, whether an unfinished run starts from the beginning. Two statements may have the same clock
   * time, so the row before this statement decides too, not the time alone.
   */
  begin: `INSERT INTO ${schema}.reindex_runs AS r (scope, begun_at) VALUES ($1, clock_timestamp())
    ON CONFLICT (scope) DO UPDATE SET begun_at = CASE
      WHEN NOT $2::boolean AND r.${ALIVE} THEN r.begun_at ELSE excluded.begun_at END
    RETURNING ${MOMENT}, begun_at < statement_timestamp() OR NOT $2::boolean AND EXISTS (
      SELECT FROM ${schema}.reindex_runs b WHERE b.scope = $1 AND b.${ALIVE}) AS continued`,
  find: `SELECT ${MOMENT} FROM ${schema}.reindex_runs WHERE scope = $1 AND ${ALIVE}`,
  end: `DELETE FROM ${schema}.reindex_runs WHERE scope = $1`,
  /**
   * Parameters: owner, document, holder, milliseconds. No row: another holder has the claim, or there is no ready
   * document.
   */
  claim: `INSERT INTO ${schema}.reindex_claims AS c (user_id, document_id, holder, expires_at)
    SELECT user_id, id, $3::uuid, clock_timestamp() + $4::integer * interval '1 millisecond'
    FROM ${schema}.documents WHERE user_id = $1 AND id = $2 AND status = 'ready'
    ON CONFLICT (user_id, document_id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
      WHERE c.holder = excluded.holder OR c.expires_at <= clock_timestamp()
    RETURNING holder`,
  release: `DELETE FROM ${schema}.reindex_claims WHERE user_id = $1 AND document_id = $2 AND holder = $3`,
  sweep: `WITH runs AS (DELETE FROM ${schema}.reindex_runs WHERE NOT ${ALIVE} RETURNING 1),
    claims AS (DELETE FROM ${schema}.reindex_claims WHERE expires_at <= clock_timestamp() RETURNING 1)
    SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM claims) AS forgotten`
})

const make = Effect.map(Database, ({ schema, statement }) => {
  const text = texts(schema)
  return ReindexStore.of({
    begin: ({ restart, scope }) =>
      storing("ReindexStore.begin")(
        Effect.flatMap(statement<{ begunAt: number; continued: boolean }>(text.begin, [scope, restart]), ([run]) =>
          run === undefined ? Effect.die(new Error("A run was not begun.")) : Effect.succeed(run)
        )
      ),
    find: (scope) =>
      storing("ReindexStore.find")(
        Effect.map(
          statement<{ begunAt: number }>(text.find, [scope]),
          ([run]) => run && { begunAt: run.begunAt, continued: true }
        )
      ),
    end: (scope) => storing("ReindexStore.end")(Effect.asVoid(statement(text.end, [scope]))),
    claim: ({ documentId, forMs, holder, userId }) =>
      storing("ReindexStore.claim")(
        isUuid(documentId)
          ? statement(text.claim, [userId, documentId, holder, forMs]).pipe(
              Effect.map((rows) => rows.length > 0),
              // Deleted in this very moment.
              Effect.catchIf(
                ({ sqlState }) => sqlState === FOREIGN_KEY_VIOLATION,
                () => Effect.succeed(false)
              )
            )
          : Effect.succeed(false)
      ),
    release: ({ documentId, holder, userId }) =>
      storing("ReindexStore.release")(Effect.asVoid(statement(text.release, [userId, documentId, holder]))),
    sweep: storing("ReindexStore.sweep")(
      Effect.map(statement<{ forgotten: number }>(text.sweep), ([row]) => Number(row?.forgotten ?? 0))
    )
  })
})

/** The runs and claims of re-indexing in Postgres or PGlite; claims expire by the database's clock. */
export const PgReindexStoreLayer: Layer.Layer<ReindexStore, never, Database> = Layer.effect(ReindexStore, make)
