import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import pg from "pg"

const SCRIPT = fileURLToPath(new URL("../../../../../.ci/postgres", import.meta.url))
const run = promisify(execFile)

/** A Postgres server with data of its own, which ends with this program. It needs root, like `.ci/postgres`. */
export class OwnPostgres implements AsyncDisposable {
  readonly #cluster = `parley_soak_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  #url = ""

  static async start(): Promise<OwnPostgres> {
    const server = new OwnPostgres()
    try {
      server.#url = (await server.#call("start")).trim()
      return server
    } catch (cause) {
      await server[Symbol.asyncDispose]()
      throw cause
    }
  }

  get url(): string {
    return this.#url
  }

  /** Terminates every connection of Parley's processes. Rejects if the server is not the one of this program. */
  async terminateConnections(): Promise<void> {
    const client = await this.#open()
    try {
      await client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'parley'"
      )
    } finally {
      await client.end()
    }
  }

  /** Stops the server, and starts it again at the same port after `awayMs` milliseconds. */
  async restart(awayMs: number): Promise<void> {
    await (await this.#open()).end()
    await this.#call("stop")
    await new Promise((resolve) => setTimeout(resolve, awayMs))
    const url = (await this.#call("start")).trim()
    if (url !== this.#url) throw new Error("Another program took the port of Postgres while it was away.")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#call("remove")
  }

  /** Opens a connection, and checks that it leads to the server with the data of this program. */
  async #open(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#url, application_name: "soak" })
    client.on("error", () => undefined)
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory")
    const directory = rows[0]?.data_directory
    if (directory === `/var/lib/postgresql/${this.#cluster}`) return client
    await client.end()
    throw new Error(`This is the server of another program: ${directory}`)
  }

  async #call(what: "start" | "stop" | "remove"): Promise<string> {
    const port = this.#url === "" ? {} : { PARLEY_CI_POSTGRES_PORT: new URL(this.#url).port }
    const { stdout } = await run("bash", [SCRIPT, what], {
      env: { ...process.env, PARLEY_CI_POSTGRES_CLUSTER: this.#cluster, ...port }
    })
    return stdout
  }
}
