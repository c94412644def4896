import { BACKGROUND_TASKS, type BackgroundTaskName } from "@parley/core"
import type { ParleyConfig } from "../readConfig.ts"

/**
 * The background tasks of a server with this configuration. It begins periods if no scheduler calls the route, reads
 * missed payment events if there is a payment provider, and deletes old data if a retention time is set.
 */
export const tasksOf = ({
  catchUp,
  cronSecret,
  payments,
  reset,
  settings
}: ParleyConfig): ReadonlyArray<BackgroundTaskName> =>
  BACKGROUND_TASKS.filter((name) => {
    if (name === "resets") return reset === "auto" && cronSecret === undefined
    if (name === "retention") return Object.values(settings.retention ?? {}).some((kept) => kept !== undefined)
    if (name === "payments") return catchUp === "auto" && payments !== undefined
    return true
  })

const refusedIfEmbedded =
  (reason: string) =>
  ({ database }: ParleyConfig): ReadonlyArray<string> =>
    database._tag === "Server" ? [] : [`DATABASE_URL: the embedded database takes one process at a time, ${reason}`]

/** The reasons to refuse a separate worker: with the embedded database no second process can open the data. */
export const workerRefusals = refusedIfEmbedded(
  'and "parley serve" does the background work itself. Set it to a Postgres server to have workers beside the server'
)

/** The reasons to refuse serving without background work: with the embedded database no other process could do it. */
export const idleServerRefusals = refusedIfEmbedded(
  'so that no other one could do the background work. Start "parley serve" without --no-work, or set DATABASE_URL to a Postgres server'
)
