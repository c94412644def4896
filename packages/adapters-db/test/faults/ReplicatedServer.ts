import { randomBytes } from "node:crypto"
import { removeCluster, startCluster, stopCluster } from "./clusters.ts"

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
      server.url = await startCluster(server.#primary)
      server.replicaUrl = await startCluster(server.#replica, { primary: server.#primary })
    } catch (cause) {
      await server[Symbol.asyncDispose]()
      throw cause
    }
    return server
  }

  /** Stops the replica, as its maintenance does. */
  async stopReplica(): Promise<void> {
    await stopCluster(this.#replica)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeCluster(this.#replica)
    await removeCluster(this.#primary)
  }
}
