import { randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"
import type { Database } from "../../src/database/Database.ts"
import type { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migrate } from "../../src/migrations/migrate.ts"
import { administer } from "../administer.ts"
import { removeCluster, startCluster } from "../faults/clusters.ts"

/** A Postgres server of a suite's own, which starts when its first database is asked for. */
class OwnServer {
  readonly #cluster = `parley_cell_${randomBytes(6).toString("hex")}`
  #migrated: Promise<string> | undefined
  #databases = 0

  /** Creates a database with every migration, which stays until the server is removed; returns its url. */
  async newDatabase(): Promise<string> {
    this.#migrated ??= this.#start()
    const server = await this.#migrated
    const url = new URL(server)
    const template = url.pathname.slice(1)
    const name = `cell_${++this.#databases}`
    await administer(`CREATE DATABASE ${name} TEMPLATE ${template}`, "postgres", server)
    url.pathname = `/${name}`
    return url.href
  }

  async remove(): Promise<void> {
    if (this.#migrated !== undefined) await removeCluster(this.#cluster)
  }

  async #start(): Promise<string> {
    const url = await startCluster(this.#cluster)
    await Effect.runPromise(Effect.scoped(Effect.provide(migrate(), PgDatabaseLayer({ url, maxConnections: 1 }))))
    return url
  }
}

/** Databases on as many servers, each a process with a log of its own; the servers end with the suite. */
export const ownServers = (count: number): ReadonlyArray<Layer.Layer<Database | DatabaseOwner>> => {
  const servers = Array.from({ length: count }, () => new OwnServer())
  afterAll(() => Promise.all(servers.map((server) => server.remove())))
  return servers.map((server) =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => server.newDatabase()),
        (url) => PgDatabaseLayer({ url, maxConnections: 20 })
      )
    )
  )
}
