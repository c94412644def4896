import type { JobProgress, JobState } from "@parley/core/adapter"
import { isWritable, livesHere } from "../storage/leftRows.ts"

/**
 * The one queue for all jobs. Its policy allows one waiting or running job for each twin key; a unique index enforces
 * it.
 */
export const JOBS_QUEUE = "jobs"
export const JOBS_QUEUE_POLICY = "exclusive"

/** A job as the queue library stores it, with all fields that are needed to enqueue it again. */
export interface StoredJob {
  readonly id: string
  readonly kind: string
  /** The payload of the job as JSON. */
  readonly payload: unknown
  readonly owner: string
  readonly twin: string
  /** The number of earlier tries. */
  readonly retryCount: number
  readonly retryLimit: number
  readonly retried: boolean
  /** The trace span in which the job was enqueued, as a `traceparent`; null if there was none. */
  readonly traceparent: string | null
}

/**
 * A job that a worker has claimed for a try. The queue counts claims in `retryCount`, so that it identifies the try.
 */
export type Claim = StoredJob

/** A claim whose worker has written no heartbeat for some seconds. */
export interface SilentClaim extends Claim {
  /** The time of the last heartbeat, in the database's text form. */
  readonly heartbeat: string
  /** Seconds since the last heartbeat, by the database's clock. */
  readonly seconds: number
}

/** A job in a list. Times are Unix milliseconds. */
export interface ListedJob {
  readonly id: string
  readonly kind: string
  readonly owner: string
  readonly payload: unknown
  readonly state: JobState
  readonly tries: number
  readonly triesMax: number
  readonly progress: JobProgress | null
  readonly createdMicros: number
  readonly dueAt: number | null
  readonly startedAt: number | null
  readonly endedAt: number | null
}

const STORED = `id, data->>'kind' AS kind, data->'payload' AS payload, group_id AS owner, singleton_key AS twin,
  retry_count AS "retryCount", retry_limit AS "retryLimit", data ? 'retried' AS retried,
  data->>'traceparent' AS traceparent`

const micros = (column: string) => `(extract(epoch FROM ${column}) * 1000000)::bigint`
const millis = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`

const LISTED = `id, data->>'kind' AS kind, group_id AS owner, data->'payload' AS payload,
  CASE state WHEN 'active' THEN 'running' WHEN 'completed' THEN 'done' WHEN 'failed' THEN 'failed' ELSE 'waiting' END
    AS state,
  CASE WHEN started_on IS NULL THEN 0 ELSE retry_count + 1 END AS tries, retry_limit + 1 AS "triesMax",
  CASE WHEN state = 'active' THEN data->'progress' END AS progress, ${micros("created_on")} AS "createdMicros",
  CASE WHEN state < 'active' THEN ${millis("start_after")} END AS "dueAt", ${millis("started_on")} AS "startedAt",
  ${millis("completed_on")} AS "endedAt"`

/** Conditions on the queue library's states, for each state of Parley. */
const STATES: Readonly<Record<JobState, string>> = {
  waiting: "state < 'active'",
  running: "state = 'active'",
  done: "state = 'completed'",
  failed: "state = 'failed'"
}

/**
 * SQL statements on the queue library's table of jobs, for operations that the library does not have. `schemaName` is
 * the unquoted name of Parley's schema.
 */
export const jobSql = (schemaName: string) => {
  const schema = `"${schemaName}_boss"`
  const job = `${schema}.job`
  // Selects waiting and running jobs. The condition has the wording of the unique index, which has one entry for each
  // twin key.
  const alive = `name = '${JOBS_QUEUE}' AND state <= 'active' AND policy = 'exclusive'`
  const writable = isWritable(`"${schemaName}"`, "coalesce(group_id, '')")
  const held = `name = '${JOBS_QUEUE}' AND id = $1 AND retry_count = $2 AND state = 'active'`
  return {
    /** Returns the waiting or running job with the twin key $1, and locks it until the transaction ends. */
    lockTwin: `SELECT id, state::text AS state FROM ${job}
      WHERE ${alive} AND COALESCE(singleton_key, '') = $1 FOR UPDATE`,
    /** Returns those of the twin keys $1 that have a waiting or running job. */
    findTwins: `SELECT singleton_key AS twin FROM ${job} WHERE ${alive} AND COALESCE(singleton_key, '') = ANY($1::text[])`,
    /** Marks the running job $1, so that its end enqueues another run. */
    askAgain: `UPDATE ${job} SET data = data || '{"again": true}' WHERE name = '${JOBS_QUEUE}' AND id = $1`,
    /**
     * Claims a waiting job. The owner whose last job is the oldest comes first; jobs of the kinds $4 come after all
     * others. $1 are owners whose jobs are skipped, $2 recently served owners in that order, $3 the kinds that the
     * worker can run.
     */
    claim: `UPDATE ${job} SET state = 'active', started_on = ${schema}.job_now(), heartbeat_on = ${schema}.job_now(),
        retry_count = CASE WHEN started_on IS NULL THEN retry_count ELSE retry_count + 1 END, data = data - 'progress'
      WHERE name = '${JOBS_QUEUE}' AND id = (
        SELECT id FROM ${job}
        WHERE name = '${JOBS_QUEUE}' AND state < 'active' AND NOT blocked AND start_after <= ${schema}.job_now()
          AND group_id <> ALL($1::text[]) AND data->>'kind' = ANY($3::text[]) AND ${writable}
        ORDER BY data->>'kind' = ANY($4::text[]), array_position($2::text[], group_id) NULLS FIRST, created_on
        LIMIT 1 FOR UPDATE SKIP LOCKED
      ) RETURNING ${STORED}`,
    /**
     * Writes a heartbeat for the claim (job $1, `retryCount` $2) of the owner $3, with the new progress $4 or null if
     * it has not changed. Returns no row if the claim is lost.
     */
    beat: `UPDATE ${job} SET heartbeat_on = ${schema}.job_now(),
        data = CASE WHEN $4::jsonb IS NULL THEN data ELSE jsonb_set(data, '{progress}', $4::jsonb) END
      WHERE ${held} AND group_id = $3 RETURNING id`,
    /** Locks the claim (job $1, `retryCount` $2) until the transaction ends; returns no row if the claim is lost. */
    lockClaim: `SELECT data ? 'again' AS again FROM ${job} WHERE ${held} FOR UPDATE`,
    /**
     * Locks a claim like `lockClaim` if its last heartbeat is still $3. Also returns no row if another transaction has
     * locked the claim, because its worker could then not write a heartbeat.
     */
    lockSilent: `SELECT data ? 'again' AS again FROM ${job}
      WHERE ${held} AND heartbeat_on::text = $3 FOR UPDATE SKIP LOCKED`,
    /**
     * Makes the failed job $1 wait $2 milliseconds for its next try. That try also serves callers that requested the
     * job during the failed one.
     */
    tryAgain: `UPDATE ${job}
      SET data = data - 'again', start_after = ${schema}.job_now() + $2::float8 * interval '1 millisecond'
      WHERE name = '${JOBS_QUEUE}' AND id = $1`,
    /**
     * Returns claims without a heartbeat for $1 seconds, except locked ones, whose workers could not write a heartbeat.
     * It takes shared locks, so that two concurrent checks see the same rows.
     */
    silent: `SELECT ${STORED}, heartbeat_on::text AS heartbeat,
        extract(epoch FROM ${schema}.job_now() - heartbeat_on)::float8 AS seconds
      FROM ${job} WHERE ${alive} AND state = 'active'
        AND heartbeat_on <= ${schema}.job_now() - $1::float8 * interval '1 second' AND ${writable}
      FOR SHARE SKIP LOCKED`,
    /** Returns the job $2 of the owner $1, and locks it until the transaction ends. */
    lockJob: `SELECT ${STORED}, state::text AS state FROM ${job}
      WHERE name = '${JOBS_QUEUE}' AND id = $2 AND group_id = $1 FOR UPDATE`,
    /** Returns the job $2 of the owner $1 in the form of a list. */
    find: `SELECT ${LISTED} FROM ${job} WHERE name = '${JOBS_QUEUE}' AND id = $2 AND group_id = $1`,
    /** Deletes all jobs of the owner $1. */
    removeAll: `DELETE FROM ${job} WHERE name = '${JOBS_QUEUE}' AND group_id = $1`,
    remove: `DELETE FROM ${job} WHERE name = '${JOBS_QUEUE}' AND id = $1`,
    /** Deletes jobs that were done at least $1 seconds ago, or failed at least $2 seconds ago. */
    forget: `DELETE FROM ${job} WHERE name = '${JOBS_QUEUE}' AND ${writable} AND (
        state = 'completed' AND completed_on < ${schema}.job_now() - $1::float8 * interval '1 second'
        OR state = 'failed' AND completed_on < ${schema}.job_now() - $2::float8 * interval '1 second'
      )`,
    /**
     * Returns a page of jobs, newest first. $1 is the limit; $2 and $3 are the creation time in microseconds and the id
     * of the last job on the previous page, or null; $4 is the kind, or null for all; $5 is the owner if `owned` is
     * true.
     */
    list: (state: JobState | undefined, owned: boolean) => `SELECT ${LISTED} FROM ${job}
      WHERE name = '${JOBS_QUEUE}' AND ${owned ? "group_id = $5" : livesHere(`"${schemaName}"`, "coalesce(group_id, '')")} ${state === undefined ? "" : `AND ${STATES[state]}`}
        AND ($4::text IS NULL OR data->>'kind' = $4)
        AND ($2::bigint IS NULL
          OR (created_on, id) < (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::uuid))
      ORDER BY created_on DESC, id DESC LIMIT $1`
  }
}
