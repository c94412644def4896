import { DOCUMENTS_QUEUE } from "./startBoss.ts"

/** A try that a worker runs: a job's id, and how often it had been tried before. The queue counts claims by it. */
export interface Claim {
  readonly id: string
  readonly documentId: string
  readonly userId: string
  readonly retryCount: number
  readonly retryLimit: number
}

/** A claim whose worker gave no sign of life for some seconds. */
export interface SilentClaim extends Claim {
  /** The last sign, as the database writes it. */
  readonly heartbeat: string
  /** How long ago that was by the database's clock. */
  readonly seconds: number
}

const CLAIM = `id, data->>'documentId' AS "documentId", data->>'userId' AS "userId",
  retry_count AS "retryCount", retry_limit AS "retryLimit"`

/** Statements on the queue library's table of jobs, for what the library does not offer. `schemaName` is ours, unquoted. */
export const jobSql = (schemaName: string) => {
  const schema = `"${schemaName}_boss"`
  const job = `${schema}.job`
  // Waiting or running: worded as the index is, of which there is one entry per document.
  const alive = `name = '${DOCUMENTS_QUEUE}' AND state <= 'active' AND policy = 'exclusive'`
  const held = `name = '${DOCUMENTS_QUEUE}' AND id = $1 AND retry_count = $2 AND state = 'active'`
  return {
    /** The job of document $1 that waits or runs, kept as it is until the transaction ends. */
    lockTwin: `SELECT id, state::text AS state FROM ${job}
      WHERE ${alive} AND COALESCE(singleton_key, '') = $1 FOR UPDATE`,
    /** Marks job $1, which runs, as asked for again. */
    askAgain: `UPDATE ${job} SET data = data || '{"again": true}' WHERE name = '${DOCUMENTS_QUEUE}' AND id = $1`,
    /** Claims the job of the person served longest ago; $1 are people to be left out, $2 those served lately, in order. */
    claim: `UPDATE ${job} SET state = 'active', started_on = ${schema}.job_now(), heartbeat_on = ${schema}.job_now(),
        retry_count = CASE WHEN started_on IS NULL THEN retry_count ELSE retry_count + 1 END
      WHERE name = '${DOCUMENTS_QUEUE}' AND id = (
        SELECT id FROM ${job}
        WHERE name = '${DOCUMENTS_QUEUE}' AND state < 'active' AND NOT blocked AND start_after <= ${schema}.job_now()
          AND group_id <> ALL($1::text[])
        ORDER BY array_position($2::text[], group_id) NULLS FIRST, created_on LIMIT 1 FOR UPDATE SKIP LOCKED
      ) RETURNING ${CLAIM}`,
    /** A sign of life for the claim ($1, $2); no row where it is gone. */
    beat: `UPDATE ${job} SET heartbeat_on = ${schema}.job_now() WHERE ${held} RETURNING id`,
    /** Keeps the claim ($1, $2) until the transaction ends; no row where it is gone. */
    lockClaim: `SELECT data ? 'again' AS again FROM ${job} WHERE ${held} FOR UPDATE`,
    /**
     * The same for a claim whose last sign of life is $3 still. No row either where somebody holds it: no sign of life
     * would get through then.
     */
    lockSilent: `SELECT data ? 'again' AS again FROM ${job}
      WHERE ${held} AND heartbeat_on::text = $3 FOR UPDATE SKIP LOCKED`,
    /** The failed job $1 waits for its next try, which serves whoever asked for it meanwhile; at once where $2. */
    tryAgain: `UPDATE ${job}
      SET data = data - 'again', start_after = CASE WHEN $2::boolean THEN ${schema}.job_now() ELSE start_after END
      WHERE name = '${DOCUMENTS_QUEUE}' AND id = $1`,
    /** Claims without a sign of life for $1 seconds. */
    silent: `SELECT * FROM (
        SELECT ${CLAIM}, heartbeat_on::text AS heartbeat,
          extract(epoch FROM ${schema}.job_now() - heartbeat_on)::float8 AS seconds
        FROM ${job} WHERE ${alive} AND state = 'active'
      ) active WHERE seconds >= $1::float8`
  }
}
