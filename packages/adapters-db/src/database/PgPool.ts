import { once } from "node:events"
import pg from "pg"
import { cancelStatement } from "./cancelStatement.ts"
import { databaseClosed } from "./Database.ts"
import { CLOSE_MS, CONNECT_MS, KEEPALIVE_MS } from "./limits.ts"
import { columnTypes } from "./pgColumnTypes.ts"

export interface PgPoolOptions {
  readonly url: string
  readonly maxConnections?: number | undefined
  readonly connectTimeoutMs?: number | undefined
  readonly onConnectionLost?: ((error: Error) => void) | undefined
}

/** Clients of one server. A client that was given up on never comes back, nor those that may have met the same fate. */
export interface PgPool {
  /** A client that is not doubted, opened if need be. */
  take(): Promise<pg.PoolClient>
  giveBack(client: pg.PoolClient): void
  /** Closes a client at once, without a word to the server. */
  drop(client: pg.PoolClient): void
  /** Clients that are idle now are not used again: the network, or the server behind it, may be another one. */
  doubtIdle(): void
  /** What `PROBE` said of the client's session; undefined before it was asked. */
  isPlain(client: pg.PoolClient): boolean | undefined
  setPlain(client: pg.PoolClient, plain: boolean): void
  /** Asks the server to end what the client runs; ends when it was asked. */
  cancel(client: pg.PoolClient): Promise<void>
  close(): Promise<void>
}

export const openPgPool = (options: PgPoolOptions): PgPool => {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: Math.max(2, options.maxConnections ?? 10),
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
    // What belongs together is sent together, without waiting for an answer in between.
    pipeline: true,
    types: columnTypes
  })
  const lost = (error: Error) => options.onConnectionLost?.(error)
  // Without listeners a connection lost while idle, or between two statements, would end the process.
  pool.on("error", lost)
  const open = new Set<pg.PoolClient>()
  pool.on("connect", (client) => {
    open.add(client)
    client.on("error", lost)
    client.once("end", () => open.delete(client))
  })

  let closed = false
  let doubts = 0
  /** By client: how often there had been doubts when it last answered. */
  const trusted = new WeakMap<pg.PoolClient, number>()
  const plain = new WeakMap<pg.PoolClient, boolean>()

  const drop = (client: pg.PoolClient): void => {
    client.connection.stream.destroy()
    client.release(true)
  }
  const take = async (): Promise<pg.PoolClient> => {
    for (;;) {
      if (closed) throw databaseClosed()
      const client = await pool.connect()
      if ((trusted.get(client) ?? doubts) === doubts) {
        trusted.set(client, doubts)
        return client
      }
      drop(client)
    }
  }
  return {
    take,
    drop,
    giveBack: (client) => {
      // Its last statement was answered, so that no doubt from before concerns it.
      trusted.set(client, doubts)
      client.release()
    },
    doubtIdle: () => void (doubts += 1),
    isPlain: (client) => plain.get(client),
    cancel: cancelStatement,
    setPlain: (client, value) => void plain.set(client, value),
    close: async () => {
      closed = true
      const ended = pool.end()
      const timer = setTimeout(() => {
        for (const client of open) client.connection.stream.destroy()
      }, CLOSE_MS)
      await ended
      await Promise.all([...open].map((client) => once(client, "end")))
      clearTimeout(timer)
    }
  }
}
