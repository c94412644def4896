import { KEPT_TASKS, type TaskRun, TaskRuns } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { storing } from "../storage/storageFailed.ts"

/**
 * The time at which a run begins. It is always later than the end of the previous run, even if both fall into the same
 * tick of the clock: the clock of the embedded database counts whole milliseconds.
 */
const later = "greatest(clock_timestamp(), r.ended_at + interval '1 microsecond')"

/**
 * Stores the runs of tasks in a table, with times of the database's clock. Servers of later releases may store runs of
 * further tasks in the same table.
 */
export const PgTaskRunsLayer: Layer.Layer<TaskRuns, never, Database> = Layer.effect(
  TaskRuns,
  Effect.map(Database, ({ schema, statement }) => {
    const table = `${schema}.task_runs`
    return TaskRuns.of({
      begin: ({ everyMs, retryMs, task }) =>
        statement(
          `INSERT INTO ${table} AS r (task, begun_at) VALUES ($1, clock_timestamp())
          ON CONFLICT (task) DO UPDATE SET begun_at = ${later}
          WHERE r.begun_at IS NULL OR r.begun_at <= clock_timestamp() - interval '1 millisecond' *
            CASE WHEN r.ended_at >= r.begun_at THEN $2::float8 ELSE least($2::float8, $3::float8) END
          RETURNING task`,
          [task, everyMs, retryMs]
        ).pipe(
          Effect.map((rows) => rows.length > 0),
          storing("TaskRuns.begin", "maintenance")
        ),
      renew: (task) =>
        statement(`UPDATE ${table} SET begun_at = clock_timestamp() WHERE task = $1`, [task]).pipe(
          Effect.asVoid,
          storing("TaskRuns.renew", "maintenance")
        ),
      end: (task, findings) =>
        statement(
          `INSERT INTO ${table} AS r (task, ended_at, findings) VALUES ($1, clock_timestamp(), $2)
          ON CONFLICT (task) DO UPDATE SET ended_at = greatest(EXCLUDED.ended_at, r.begun_at), findings = EXCLUDED.findings`,
          [task, findings]
        ).pipe(Effect.asVoid, storing("TaskRuns.end", "maintenance")),
      ended: statement<{ task: TaskRun["task"]; endedAt: number; findings: number }>(
        `SELECT task, (extract(epoch FROM ended_at) * 1000)::bigint AS "endedAt", findings
        FROM ${table} WHERE ended_at IS NOT NULL AND task = ANY ($1::text[])`,
        [KEPT_TASKS]
      ).pipe(storing("TaskRuns.ended", "maintenance"))
    })
  })
)
