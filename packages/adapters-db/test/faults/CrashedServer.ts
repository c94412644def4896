import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { setTimeout as rest } from "node:timers/promises"
import pg from "pg"
import { removeCluster, startCluster } from "./clusters.ts"

/**
 * Only commits write to the disk: there is no cleaning, checkpoint or writing of pages in between. A crash is the end,
 * and the next start of the server is an event that a test decides about.
 */
const OPTIONS = [
  "autovacuum=off",
  "bgwriter_lru_maxpages=0",
  "checkpoint_timeout=1h",
  // If they are full, the process that fills them writes them.
  "wal_buffers=64MB",
  "max_wal_size=4GB",
  "restart_after_crash=off"
]

const ask = async <R extends pg.QueryResultRow>(url: string, text: string): Promise<ReadonlyArray<R>> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on("error", () => undefined)
  await client.connect()
  try {
    return (await client.query<R>(text)).rows
  } finally {
    await client.end()
  }
}

const field = (pid: number, name: string): string =>
  new RegExp(`^${name}:\\s*(.+)$`, "mu").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? ""

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !field(pid, "State").startsWith("Z")
  } catch {
    return false
  }
}

/** A Postgres server of a test's own, with data of its own, which loses in a crash all that a real one may lose. */
export class CrashedServer implements AsyncDisposable {
  readonly #cluster = `parley_crash_${randomBytes(6).toString("hex")}`
  #url = ""

  static async start(): Promise<CrashedServer> {
    const server = new CrashedServer()
    try {
      await server.restart()
    } catch (cause) {
      await server[Symbol.asyncDispose]()
      throw cause
    }
    return server
  }

  /** Of its database; the same after each start, unless another program has taken the port. */
  get url(): string {
    return this.#url
  }

  /** Starts it if it is not running. */
  async restart(): Promise<void> {
    this.#url = await startCluster(this.#cluster, {
      options: OPTIONS,
      ...(this.#url === "" ? {} : { port: new URL(this.#url).port })
    })
  }

  /** From now on only commits write to the server's log. Returns an effect that ends it as a crash does. */
  async withoutLogWriter(): Promise<{ readonly crash: () => Promise<void> }> {
    const [data] = await ask<{ data_directory: string }>(this.#url, "SHOW data_directory")
    const directory = `/var/lib/postgresql/${this.#cluster}`
    // Only processes that were started here are ended.
    if (data?.data_directory !== directory) throw new Error(`Not the server of this test: ${data?.data_directory}`)
    const [writer] = await ask<{ pid: number }>(
      this.#url,
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'"
    )
    const pid = writer?.pid ?? 0
    const server = Number(field(pid, "PPid"))
    const command = readFileSync(`/proc/${server}/cmdline`, "utf8").split("\0")
    if (!command.includes(directory)) throw new Error(`Not the server of this test: process ${server}`)
    process.kill(pid, "SIGSTOP")
    return {
      crash: async () => {
        // An immediate stop: every process of it ends at once and writes nothing; the stopped one takes no other signal.
        process.kill(server, "SIGQUIT")
        process.kill(pid, "SIGKILL")
        while (isAlive(server)) await rest(10)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeCluster(this.#cluster)
  }
}
