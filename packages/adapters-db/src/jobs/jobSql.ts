import type { JobProgress, JobState } from "@parley/core/adapter"

/** The queue of all jobs. One job per twin key waits or runs at a time: its policy is held by a unique index. */
export const JOBS_QUEUE = "jobs"
export const JOBS_QUEUE_POLICY = "exclusive"

/** A job as the queue library stores it, with the fields needed to enqueue it once more. */
export interface StoredJob {
  readonly id: string
  readonly kind: string
  /** As JSON. */
  readonly payload: unknown
  readonly owner: string
  readonly twin: string
  /** The number of earlier tries. */
  readonly retryCount: number
  readonly retryLimit: number
  readonly retried: boolean
  /** The span that enqueued it, as a `traceparent`; null if there was none. */
  readonly traceparent: string | null
}

/** A try that a worker runs. `retryCount` fences it: the queue counts claims by it. */
export type Claim = StoredJob

/** A claim whose worker wrote no sign of life for some seconds. */
export interface SilentClaim extends Claim {
  /** The last sign, as the database writes it. */
  readonly heartbeat: string
  /** Seconds since then, by the database's clock. */
  readonly seconds: number
}

/** A job as it is listed. Times in Unix milliseconds. */
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

/** The library's states of ours. */
const STATES: Readonly<Record<JobState, string>> = {
  waiting: "state < 'active'",
  running: "state = 'active'",
  done: "state = 'completed'",
  failed: "state = 'failed'"
}

/**
 * Statements on the queue library's table of jobs, for functions that the library does not offer. `schemaName` is ours,
 * unquoted.
 */
export const jobSql = (schemaName: string) => {
  const schema = `"${schemaName}_boss"`
  const job = `${schema}.job`
  // Waiting or running: worded as the index is, of which there is one entry per twin.
  const alive = `name = '${JOBS_QUEUE}' AND state <= 'active' AND policy = 'exclusive'`
  const held = `name = '${JOBS_QUEUE}' AND id = $1 AND retry_count = $2 AND state = 'active'`
  return {
    /** The job of twin key $1 that waits or runs, kept as it is until the transaction ends. */
    lockTwin: `SELECT id, state::text AS state FROM ${job}
      WHERE ${alive} AND COALESCE(singleton_key, '') = $1 FOR UPDATE`,
    /** Those of the twin keys $1 whose job waits or runs. */
    findTwins: `SELECT singleton_key AS twin FROM ${job} WHERE ${alive} AND COALESCE(singleton_key, '') = ANY($1::text[])`,
    /** Marks job $1, which runs, as asked for again. */
    askAgain: `UPDATE ${job} SET data = data || '{"again": true}' WHERE name = '${JOBS_QUEUE}' AND id = $1`,
    /**
     * Claims the job of the owner served longest ago; those of the kinds $4 only if no other is due. $1 are owners to be left out, $2 those served lately, in order, $3
     * the kinds the worker knows.
     */
    claim: `UPDATE ${job} SET state = 'active', started_on = ${schema}.job_now(), heartbeat_on = ${schema}.job_now(),
        retry_count = CASE WHEN started_on IS NULL THEN retry_count ELSE retry_count + 1 END, data = data - 'progress'
      WHERE name = '${JOBS_QUEUE}' AND id = (
        SELECT id FROM ${job}
        WHERE name = '${JOBS_QUEUE}' AND state < 'active' AND NOT blocked AND start_after <= ${schema}.job_now()
          AND group_id <> ALL($1::text[]) AND data->>'kind' = ANY($3::text[])
        ORDER BY data->>'kind' = ANY($4::text[]), array_position($2::text[], group_id) NULLS FIRST, created_on
        LIMIT 1 FOR UPDATE SKIP LOCKED
      ) RETURNING ${STORED}`,
    /**
     * Writes a sign of life for the claim ($1, $2) of owner $3, with its progress $4 if it has changed; no row if it is
     * gone.
     */
    beat: `UPDATE ${job} SET heartbeat_on = ${schema}.job_now(),
        data = CASE WHEN $4::jsonb IS NULL THEN data ELSE jsonb_set(data, '{progress}', $4::jsonb) END
      WHERE ${held} AND group_id = $3 RETURNING id`,
    /** Locks the claim ($1, $2) until the transaction ends; no row if it is gone. */
    lockClaim: `SELECT data ? 'again' AS again FROM ${job} WHERE ${held} FOR UPDATE`,
    /**
     * The same for a claim whose last sign of life is still $3. Also returns no row if another transaction has locked
     * the claim, because no sign of life could be written then.
     */
    lockSilent: `SELECT data ? 'again' AS again FROM ${job}
      WHERE ${held} AND heartbeat_on::text = $3 FOR UPDATE SKIP LOCKED`,
    /** The failed job $1 waits $2 milliseconds for its next try, which serves callers that asked for it meanwhile. */
    tryAgain: `UPDATE ${job}
      SET data = data - 'again', start_after = ${schema}.job_now() + $2::float8 * interval '1 millisecond'
      WHERE name = '${JOBS_QUEUE}' AND id = $1`,
    /**
     * Claims without a sign of life for $1 seconds, except locked ones, because their workers could not write any. The
     * lock is a shared one, so that two concurrent checks see the same rows.
     */
    silent: `SELECT ${STORED}, heartbeat_on::text AS heartbeat,
        extract(epoch FROM ${schema}.job_now() - heartbeat_on)::float8 AS seconds
      FROM ${job} WHERE ${alive} AND state = 'active'
        AND heartbeat_on <= ${schema}.job_now() - $1::float8 * interval '1 second'
      FOR SHARE SKIP LOCKED`,
    /** Owner $1's job $2, kept as it is until the transaction ends. */
    lockJob: `SELECT ${STORED}, state::text AS state FROM ${job}
      WHERE name = '${JOBS_QUEUE}' AND id = $2 AND group_id = $1 FOR UPDATE`,
    /** Owner $1's job $2 as it is listed. */
    find: `SELECT ${LISTED} FROM ${job} WHERE name = '${JOBS_QUEUE}' AND id = $2 AND group_id = $1`,
    /** Removes what owner $1 has. */
    removeAll: `DELETE FROM ${job} WHERE name = '${JOBS_QUEUE}' AND group_id = $1`,
    remove: `DELETE FROM ${job} WHERE name = '${JOBS_QUEUE}' AND id = $1`,
    /** Forgets jobs that ended long ago: done $1 seconds ago, failed $2. */
    forget: `DELETE FROM ${job} WHERE name = '${JOBS_QUEUE}' AND (
        state = 'completed' AND completed_on < ${schema}.job_now() - $1::float8 * interval '1 second'
        OR state = 'failed' AND completed_on < ${schema}.job_now() - $2::float8 * interval '1 second'
      )`,
    /**
     * A page of at most $1, newest first, after the job of $2 microseconds and id $3, of kind $4, each null for all; of
     * owner $5 if `owned`.
     */
    list: (state: JobState | undefined, owned: boolean) => `SELECT ${LISTED} FROM ${job}
      WHERE name = '${JOBS_QUEUE}' ${owned ? "AND group_id = $5" : ""} ${state === undefined ? "" : `AND ${STATES[state]}`}
        AND ($4::text IS NULL OR data->>'kind' = $4)
        AND ($2::bigint IS NULL
          OR (created_on, id) < (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::uuid))
      ORDER BY created_on DESC, id DESC LIMIT $1`
  }
}
