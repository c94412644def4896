import { availableParallelism, cpus, loadavg, totalmem } from "node:os"
import type pg from "pg"

const SETTINGS = ["fsync", "synchronous_commit", "full_page_writes", "wal_sync_method", "shared_buffers"]

/** Returns the facts about the machine on which the figures depend, one in each line. */
export const machineFacts = async (client: pg.Client): Promise<string> => {
  const { rows } = await client.query<{ version: string; settings: string }>(
    `SELECT current_setting('server_version') AS version,
      (SELECT string_agg(name || '=' || current_setting(name), ', ') FROM unnest($1::text[]) AS name) AS settings`,
    [SETTINGS]
  )
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(" ")
  return [
    `machine   ${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), ${gibibytes} GiB, load ${load}`,
    `client    Node ${process.versions.node}, one process, on the server's machine where the address is local`,
    `server    Postgres ${rows[0]?.version}, ${rows[0]?.settings}`
  ].join("\n")
}
