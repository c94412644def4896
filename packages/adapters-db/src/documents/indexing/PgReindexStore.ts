import type { DocumentType, UserId } from "@parley/core"
import { type DocumentFailure, isUuid, ReindexRecords, ReindexStore } from "@parley/core/adapter"
import { Context, Effect, Layer } from "effect"
import { Database, type Row } from "../../database/Database.ts"
import { storing } from "../../storage/storageFailed.ts"
import { isWritable, livesHere } from "../../storage/leftRows.ts"

const FOREIGN_KEY_VIOLATION = "23503"

/** The time at which a run began, in microseconds since 1970, by the database's clock. */
const MOMENT = `(extract(epoch FROM begun_at) * 1000000)::bigint AS "begunAt"`
const ALIVE = "begun_at > clock_timestamp() - interval '7 days'"

const texts = (schema: string) => ({
  /**
   * Begins a run, or continues an unfinished one. SQL parameters: the scope, and whether an unfinished run starts again
   * from the beginning. The column `continued` is true if an unfinished run is continued. For that the statement also
   * looks at the earlier row, because two statements may have the same clock time.
   */
  begin: `INSERT INTO ${schema}.reindex_runs AS r (scope, begun_at) VALUES ($1, clock_timestamp())
    ON CONFLICT (scope) DO UPDATE SET begun_at = CASE
      WHEN NOT $2::boolean AND r.${ALIVE} THEN r.begun_at ELSE excluded.begun_at END
    RETURNING ${MOMENT}, begun_at < statement_timestamp() OR NOT $2::boolean AND EXISTS (
      SELECT FROM ${schema}.reindex_runs b WHERE b.scope = $1 AND b.${ALIVE}) AS continued`,
  find: `SELECT ${MOMENT} FROM ${schema}.reindex_runs WHERE scope = $1 AND ${ALIVE}`,
  end: `DELETE FROM ${schema}.reindex_runs WHERE scope = $1`,
  /**
   * Claims a ready document. Returns no row if another holder has the claim, or if the document does not exist or is
   * not ready. SQL parameters: owner, document, holder, length of the claim in milliseconds.
   */
  claim: `INSERT INTO ${schema}.reindex_claims AS c (user_id, document_id, holder, expires_at)
    SELECT user_id, id, $3::uuid, clock_timestamp() + $4::integer * interval '1 millisecond'
    FROM ${schema}.documents WHERE user_id = $1 AND id = $2 AND status = 'ready'
    ON CONFLICT (user_id, document_id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at, failure = NULL
      WHERE c.holder = excluded.holder OR c.expires_at <= clock_timestamp()
    RETURNING holder`,
  release: `DELETE FROM ${schema}.reindex_claims WHERE user_id = $1 AND document_id = $2 AND holder = $3`,
  /** Ends a claim with a failure. SQL parameters: owner, document, holder, failure. */
  fail: `UPDATE ${schema}.reindex_claims SET expires_at = clock_timestamp(), failure = $4
    WHERE user_id = $1 AND document_id = $2 AND holder = $3`,
  sweep: `WITH runs AS (DELETE FROM ${schema}.reindex_runs WHERE NOT ${ALIVE} RETURNING 1),
    claims AS (DELETE FROM ${schema}.reindex_claims WHERE failure IS NULL AND expires_at <= clock_timestamp()
      AND ${isWritable(schema, "user_id")} RETURNING 1)
    SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM claims) AS forgotten`,
  /** Counts ready documents by type, version and result. SQL parameter: the owner, or null for all people. */
  standing: `SELECT d.type, g.parser, g.version, g.embedder, c.failure IS NOT NULL AS failed,
      count(*)::integer AS documents, coalesce(sum(d.passages), 0)::float8 AS passages
    FROM ${schema}.documents d
    LEFT JOIN ${schema}.passage_generations g ON g.user_id = d.user_id AND g.document_id = d.id AND g.active
    LEFT JOIN ${schema}.reindex_claims c ON c.user_id = d.user_id AND c.document_id = d.id
    WHERE d.status = 'ready' AND (d.user_id = $1 OR $1::text IS NULL AND ${livesHere(schema, "d.user_id")}) GROUP BY 1, 2, 3, 4, 5`,
  /** Lists failures. SQL parameters: the owner, or null for all people; the most rows. */
  failures: `SELECT d.user_id AS "userId", d.id AS "documentId", d.filename, c.failure
    FROM ${schema}.reindex_claims c JOIN ${schema}.documents d ON d.user_id = c.user_id AND d.id = c.document_id
    WHERE c.failure IS NOT NULL AND d.status = 'ready' AND (c.user_id = $1 OR $1::text IS NULL AND ${livesHere(schema, "c.user_id")})
    ORDER BY c.user_id, c.document_id LIMIT $2`,
  forget: `DELETE FROM ${schema}.reindex_claims WHERE user_id = $1 AND failure IS NOT NULL`
})

/** A row of `standing`; parser, version and embedder are null if they are unknown. */
interface StandingRow extends Row {
  readonly type: DocumentType
  readonly parser: string | null
  readonly version: number | null
  readonly embedder: string | null
  readonly failed: boolean
  readonly documents: number
  readonly passages: number
}

interface FailureRow extends Row {
  readonly userId: UserId
  readonly documentId: string
  readonly filename: string
  readonly failure: DocumentFailure
}

const makeRecords = Effect.map(Database, ({ schema, statement }) => {
  const text = texts(schema)
  return ReindexRecords.of({
    standing: (userId) =>
      storing("ReindexRecords.standing")(
        Effect.map(statement<StandingRow>(text.standing, [userId ?? null]), (rows) =>
          rows.map(({ embedder, parser, version, ...row }) => ({
            ...row,
            parser: parser ?? undefined,
            version: version ?? undefined,
            embedder: embedder ?? undefined
          }))
        )
      ),
    failures: ({ limit, userId }) =>
      storing("ReindexRecords.failures")(statement<FailureRow>(text.failures, [userId ?? null, limit])),
    forget: (userId) => storing("ReindexRecords.forget")(Effect.asVoid(statement(text.forget, [userId])))
  })
})

const makeStore = Effect.map(Database, ({ schema, statement }) => {
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
              // The document was deleted at this very moment.
              Effect.catchIf(
                ({ sqlState }) => sqlState === FOREIGN_KEY_VIOLATION,
                () => Effect.succeed(false)
              )
            )
          : Effect.succeed(false)
      ),
    release: ({ documentId, failure, holder, userId }) =>
      storing("ReindexStore.release")(
        Effect.asVoid(
          failure === undefined
            ? statement(text.release, [userId, documentId, holder])
            : statement(text.fail, [userId, documentId, holder, failure])
        )
      ),
    sweep: storing("ReindexStore.sweep")(
      Effect.map(statement<{ forgotten: number }>(text.sweep), ([row]) => Number(row?.forgotten ?? 0))
    )
  })
})

const make = Effect.all([makeStore, makeRecords]).pipe(
  Effect.map(([store, records]) => Context.make(ReindexStore, store).pipe(Context.add(ReindexRecords, records)))
)

/** The runs, claims and failures of re-indexing in Postgres or PGlite; claims expire by the database's clock. */
export const PgReindexStoreLayer: Layer.Layer<ReindexStore | ReindexRecords, never, Database> =
  Layer.effectContext(make)
