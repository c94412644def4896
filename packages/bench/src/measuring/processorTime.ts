import { readFileSync } from "node:fs"
import type pg from "pg"

/** Linux counts the processor time of processes in hundredths of a second. */
const MILLISECONDS_PER_TICK = 10

/**
 * Returns the user and system time of a Postgres process so far, in milliseconds; undefined if the process does not run
 * on this machine.
 */
const processMilliseconds = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    if (!stat.includes("(postgres)")) return undefined
    // The fields after the process name, which may contain spaces. Of all fields, the 14th and the 15th are utime and
    // stime.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[11]) + Number(fields[12])) * MILLISECONDS_PER_TICK
  } catch {
    return undefined
  }
}

/**
 * Processor time in milliseconds: that of this process, and that of the database server's backends if they run on this
 * machine.
 */
export interface ProcessorTime {
  readonly client: number
  readonly server: number | undefined
}

/** Reads the processor time so far of this process and of each backend of `client`'s database. */
const readProcessors = async (client: pg.Client) => {
  const { rows } = await client.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"
  )
  const { user, system } = process.cpuUsage()
  return {
    client: (user + system) / 1000,
    backends: new Map(rows.map(({ pid }) => [pid, processMilliseconds(pid)]))
  }
}

/**
 * Begins to count processor time. The returned function stops and returns the times; backends that ended meanwhile are
 * not counted.
 */
export const countProcessorTime = async (client: pg.Client): Promise<() => Promise<ProcessorTime>> => {
  const before = await readProcessors(client)
  return async () => {
    const after = await readProcessors(client)
    let server: number | undefined
    for (const [pid, used] of after.backends) {
      if (used !== undefined) server = (server ?? 0) + used - (before.backends.get(pid) ?? 0)
    }
    return { client: after.client - before.client, server }
  }
}
