import pg from "pg"
import { cancelStatement } from "./cancelStatement.ts"
import type { CallersPool } from "./CallersPool.ts"
import { databaseClosed, noAnswer } from "../Database.ts"
import { columnTypes } from "./pgColumnTypes.ts"
import { CLOSE_MS, CONNECT_MS, KEEPALIVE_MS } from "../limits.ts"

export interface PgPoolOptions {
  readonly url?: string | undefined
  /** In the place of `url`: a pool that is somebody else's. */
  readonly pool?: CallersPool | undefined
  readonly maxConnections?: number | undefined
  readonly connectTimeoutMs?: number | undefined
  readonly onConnectionLost?: ((error: Error) => void) | undefined
}

/** Clients of one server. A client that was given up on never comes back, nor those that may have met the same fate. */
export interface PgPool {
  /** The pool itself. */
  readonly clients: pg.Pool
  /** The parsers of column types: the same for all pools, also for a caller's pool. */
  readonly types: pg.CustomTypesConfig
  /** True if clients accept several statements at once, as those of our own pools do. */
  readonly isPipelined: boolean
  /** A client that is not doubted, opened if need be. */
  take(): Promise<pg.PoolClient>
  giveBack(client: pg.PoolClient): void
  /** Closes a client at once, without a word to the server. */
  drop(client: pg.PoolClient): void
  /** Clients that are idle now are not used again: the network, or the server behind it, may be another one. */
  doubtIdle(): void
  /** The result of `PROBE` for the client's session; undefined before the first probe. */
  isPlain(client: pg.PoolClient): boolean | undefined
  setPlain(client: pg.PoolClient, plain: boolean): void
  /** Asks the server to end what the client runs; ends when it was asked. */
  cancel(client: pg.PoolClient): Promise<void>
  close(): Promise<void>
}

const openPool = (options: PgPoolOptions): pg.Pool =>
  new pg.Pool({
    ...(options.url === undefined ? {} : { connectionString: options.url }),
    // The name under which a server lists the sessions, unless the connection string gives another one.
    application_name: "parley",
    max: Math.max(2, options.maxConnections ?? 10),
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
    // Statements that belong together are sent together, without waiting for an answer in between.
    pipeline: true
  })

/** Fewer would wait for each other: what runs inside a transaction may ask for another connection. */
const LEAST_CONNECTIONS = 2

const checkPool = (pool: CallersPool): pg.Pool => {
  const { max } = pool.options ?? {}
  if (max !== undefined && max < LEAST_CONNECTIONS) {
    throw new TypeError(`The pool has ${max} connection. Parley needs ${LEAST_CONNECTIONS} at least: set its \`max\`.`)
  }
  return pool as unknown as pg.Pool
}

/** Waits for a client no longer than so many milliseconds; one that comes later goes back to its pool. */
const connectWithin = (pool: pg.Pool, milliseconds: number): Promise<pg.PoolClient> =>
  new Promise((resolve, reject) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      reject(noAnswer(`The pool gave no connection within ${milliseconds} ms.`))
    }, milliseconds)
    pool.connect().then(
      (client) => {
        clearTimeout(timer)
        if (isLate) client.release()
        else resolve(client)
      },
      (error: Error) => {
        clearTimeout(timer)
        reject(error)
      }
    )
  })

/** A pool of our own, or of the application. */
interface ClientSource extends Pick<PgPool, "clients" | "isPipelined"> {
  connect(): Promise<pg.PoolClient>
  /** The client goes back to its pool. */
  returned(client: pg.PoolClient): void
  close(): Promise<void>
}

type Lost = (error: Error) => void

const ownSource = (options: PgPoolOptions, lost: Lost): ClientSource => {
  const pool = openPool(options)
  const open = new Set<pg.PoolClient>()
  pool.on("connect", (client) => {
    open.add(client)
    client.on("error", lost)
    client.once("end", () => open.delete(client))
  })
  return {
    clients: pool,
    isPipelined: true,
    connect: () => pool.connect(),
    returned: () => undefined,
    close: async () => {
      const ended = pool.end()
      const timer = setTimeout(() => {
        for (const client of open) client.connection.stream.destroy()
      }, CLOSE_MS)
      await ended
      // The server may end a connection at the same moment: its error is not one of closing.
      await Promise.all([...open].map((client) => new Promise((resolve) => client.once("end", resolve))))
      clearTimeout(timer)
    }
  }
}

const callersSource = (pool: pg.Pool, lost: Lost, connectMs: number): ClientSource => {
  const lent = new WeakSet<pg.PoolClient>()
  return {
    clients: pool,
    isPipelined: false,
    // Our own pool bounds the wait itself; another one may wait for ever.
    connect: async () => {
      const client = await connectWithin(pool, connectMs)
      lent.add(client)
      client.on("error", lost)
      return client
    },
    returned: (client) => {
      if (lent.delete(client)) client.off("error", lost)
    },
    close: async () => void pool.off("error", lost)
  }
}

/** Returns the clients of a server, in a pool of our own or of the application. Throws if the latter is too small. */
export const openPgPool = (options: PgPoolOptions): PgPool => {
  const lost = (error: Error) => options.onConnectionLost?.(error)
  const own = options.pool === undefined
  const source = own
    ? ownSource(options, lost)
    : callersSource(checkPool(options.pool), lost, options.connectTimeoutMs ?? CONNECT_MS)
  // Without listeners a connection lost while idle, or between two statements, would end the process.
  source.clients.on("error", lost)

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
      const client = await source.connect()
      if ((trusted.get(client) ?? doubts) === doubts) {
        trusted.set(client, doubts)
        return client
      }
      drop(client)
    }
  }
  return {
    clients: source.clients,
    types: columnTypes,
    isPipelined: source.isPipelined,
    take,
    drop,
    giveBack: (client) => {
      // Its last statement was answered, so that no doubt from before concerns it.
      trusted.set(client, doubts)
      source.returned(client)
      client.release()
    },
    doubtIdle: () => void (doubts += 1),
    // A caller's pool may change a session between two loans.
    isPlain: (client) => (own ? plain.get(client) : false),
    cancel: cancelStatement,
    setPlain: (client, value) => void plain.set(client, value),
    close: () => {
      closed = true
      return source.close()
    }
  }
}
