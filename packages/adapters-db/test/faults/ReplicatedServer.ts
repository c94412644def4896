import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const SCRIPT = fileURLToPath(new URL("../../../../.ci/postgres", import.meta.url))
const run = promisify(execFile)

const call = async (cluster: string, what: "start" | "stop" | "remove", primary = ""): Promise<string> => {
  const { stdout } = await run("bash", [SCRIPT, what], {
    env: { ...process.env, PARLEY_CI_POSTGRES_CLUSTER: cluster, PARLEY_CI_POSTGRES_PRIMARY: primary }
  })
  return stdout.trim()
}

/** A Postgres server of a test's own with a replica, which streams its log. Both end with the test. */
export class ReplicatedServer implements AsyncDisposable {
  readonly #name = randomBytes(6).toString("hex")
  readonly #primary = `parley_primary_${this.#name}`
  readonly #replica = `parley_replica_${this.#name}`
  url = ""
  replicaUrl = ""

  static async start(): Promise<ReplicatedServer> {
    const server = new ReplicatedServer()
    try {
      server.url = await call(server.#primary, "start")
      server.replicaUrl = await call(server.#replica, "start", server.#primary)
    } catch (cause) {
      await server[Symbol.asyncDispose]()
      throw cause
    }
    return server
  }

  /** Stops the replica, as its maintenance does. */
  async stopReplica(): Promise<void> {
    await call(this.#replica, "stop")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await call(this.#replica, "remove")
    await call(this.#primary, "remove")
  }
}
