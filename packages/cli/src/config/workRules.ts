import { BACKGROUND_TASKS, type BackgroundTaskName } from "@parley/core"
import type { ParleyConfig } from "./ParleyConfig.ts"

/**
 * The background work of this configuration: periods begin by themselves where no schedule calls for it, and missed
 * events are caught up with where a payment provider can be asked.
 */
export const tasksOf = ({ catchUp, cronSecret, payments, reset }: ParleyConfig): ReadonlyArray<BackgroundTaskName> =>
  BACKGROUND_TASKS.filter((name) => {
    if (name === "resets") return reset === "auto" && cronSecret === undefined
    if (name === "payments") return catchUp === "auto" && payments !== undefined
    return true
  })

/** Why this configuration has no room for a worker beside its server. */
export const workerRefusals = ({ database }: ParleyConfig): ReadonlyArray<string> =>
  database._tag === "Server"
    ? []
    : [
        'DATABASE_URL: the embedded database takes one process at a time, and "parley serve" does the background work itself. Set it to a Postgres server to have workers beside the server'
      ]

/** Why this configuration must not be served without background work: nobody else could do it. */
export const idleServerRefusals = ({ database }: ParleyConfig): ReadonlyArray<string> =>
  database._tag === "Server"
    ? []
    : [
        'DATABASE_URL: the embedded database takes one process at a time, so that no other one could do the background work. Start "parley serve" without --no-work, or set DATABASE_URL to a Postgres server'
      ]
