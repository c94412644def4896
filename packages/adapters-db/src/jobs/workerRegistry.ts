import { WorkerRegistry, type WorkState } from "@parley/core/adapter"
import { Effect } from "effect"
import { storing } from "../storage/storageFailed.ts"
import { JOBS_QUEUE } from "./jobSql.ts"
import type { JobParts } from "./startBoss.ts"
import { livesHere } from "../storage/leftRows.ts"

const age = (column: string) => `(extract(epoch FROM now() - ${column}) * 1000)::float8`

const workerSql = (schemaName: string) => {
  const workers = `"${schemaName}".workers`
  const queue = `"${schemaName}_boss"`
  return {
    /** Writes a heartbeat of the worker $1, and deletes workers whose last heartbeat is more than a day old. */
    beat: `WITH forgotten AS (
        DELETE FROM ${workers} WHERE seen_at < now() - interval '1 day' AND id <> $1::uuid
      ) INSERT INTO ${workers} (id, started_at, seen_at) VALUES ($1::uuid, now(), now())
      ON CONFLICT (id) DO UPDATE SET seen_at = now(), left_at = NULL`,
    leave: `UPDATE ${workers} SET seen_at = now(), left_at = now() WHERE id = $1::uuid`,
    /** Counts the workers and the due jobs. A worker is alive if its last heartbeat is at most $1 milliseconds old. */
    state: `SELECT alive, due, ${age("seen_at")} AS "lastSeenMs", ${age("due_at")} AS "oldestDueMs"
      FROM (
        SELECT count(*) FILTER (WHERE left_at IS NULL AND seen_at > now() - $1::float8 * interval '1 millisecond')::int
          AS alive, max(seen_at) AS seen_at FROM ${workers}
      ) AS seen, (
        SELECT count(*)::int AS due, min(start_after) AS due_at FROM ${queue}.job
        WHERE name = '${JOBS_QUEUE}' AND state < 'active' AND NOT blocked AND start_after <= ${queue}.job_now()
          AND ${livesHere(`"${schemaName}"`, "coalesce(group_id, '')")}
      ) AS waiting`
  }
}

type WorkStateRow = { readonly [Name in keyof WorkState]: WorkState[Name] | null }

const stateOf = ({ alive, due, lastSeenMs, oldestDueMs }: WorkStateRow): WorkState => ({
  alive: alive ?? 0,
  due: due ?? 0,
  lastSeenMs: lastSeenMs ?? undefined,
  oldestDueMs: oldestDueMs ?? undefined
})

/** Stores the heartbeats of the workers of all processes, and counts the live workers and the due jobs. */
export const makeWorkerRegistry = ({ boss, owner: { execute, schemaName } }: JobParts): WorkerRegistry["Service"] => {
  const text = workerSql(schemaName)
  return WorkerRegistry.of({
    beat: (worker) => storing("WorkerRegistry.beat", "maintenance")(execute(text.beat, [worker])),
    leave: (worker) => storing("WorkerRegistry.leave", "maintenance")(execute(text.leave, [worker])),
    state: ({ aliveMs }) =>
      Effect.andThen(boss, execute(text.state, [aliveMs])).pipe(
        Effect.map(([row]) => stateOf(row as unknown as WorkStateRow)),
        storing("WorkerRegistry.state", "jobs")
      )
  })
}
