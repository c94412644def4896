import pg from "pg"
import { cancelStatement } from "./cancelStatement.ts"
import type { CallersPool } from "./CallersPool.ts"
import type { ConnectionChecking } from "./ConnectionCheck.ts"
import { databaseClosed, noAnswer, type Row } from "../Database.ts"
import { columnTypes } from "./pgColumnTypes.ts"
import { CLOSE_MS, CONNECT_MS, KEEPALIVE_MS } from "../limits.ts"

export interface PgPoolOptions {
  readonly url?: string | undefined
  /** A pool of the embedding application, used in the place of `url`. */
  readonly pool?: CallersPool | undefined
  readonly maxConnections?: number | undefined
  readonly connectTimeoutMs?: number | undefined
  readonly onConnectionLost?: ((error: Error) => void) | undefined
  /** Checks each connection once, before a statement is sent over it. */
  readonly check?: ConnectionChecking | undefined
}

/**
 * The clients of one server. A client that did not answer in time is never used again; neither are clients that were
 * idle at that time, because their connections may be dead as well.
 */
export interface PgPool {
  /** The pool of the driver. */
  readonly clients: pg.Pool
  /** The parsers of column types, which are the same for all pools, including a pool of the application. */
  readonly types: pg.CustomTypesConfig
  /** True if a client accepts several statements at once, as clients of Parley's own pools do. */
  readonly isPipelined: boolean
  /** Returns a client that is not doubted, and opens a connection if necessary. */
  take(): Promise<pg.PoolClient>
  giveBack(client: pg.PoolClient): void
  /** Closes a client at once, without notice to the server. */
  drop(client: pg.PoolClient): void
  /**
   * Prevents clients that are idle now from being used again: the network has failed, or the server behind the address
   * was replaced.
   */
  doubtIdle(): void
  /** The result of `PROBE` for the client's session; undefined before the first probe. */
  isPlain(client: pg.PoolClient): boolean | undefined
  setPlain(client: pg.PoolClient, plain: boolean): void
  /** Asks the server to end the statement that the client runs; returns after the request was sent. */
  cancel(client: pg.PoolClient): Promise<void>
  close(): Promise<void>
}

/** A statement with a limit of its time, in milliseconds; the types of the driver leave it out. */
interface LimitedQuery extends pg.QueryConfig {
  readonly query_timeout: number
}

/** Asks on a connection that is being checked. The pool limits the time to connect, and nothing after it. */
const askOn = async (client: pg.ClientBase, text: string): Promise<ReadonlyArray<Row>> => {
  const query: LimitedQuery = { text, types: columnTypes, query_timeout: CONNECT_MS }
  return (await client.query<Row>(query)).rows
}

const openPool = (options: PgPoolOptions): pg.Pool =>
  new pg.Pool({
    ...(options.url === undefined ? {} : { connectionString: options.url }),
    // The name under which the server lists the sessions, unless the connection string sets another.
    application_name: "parley",
    max: Math.max(2, options.maxConnections ?? 10),
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
    // Statements that belong together are sent together, without waiting for an answer in between.
    pipeline: true
  })

/** With fewer connections, work would wait for itself: work inside a transaction may need a second connection. */
const LEAST_CONNECTIONS = 2

const checkPool = (pool: CallersPool): pg.Pool => {
  const { max } = pool.options ?? {}
  if (max !== undefined && max < LEAST_CONNECTIONS) {
    throw new TypeError(`The pool has ${max} connection. Parley needs ${LEAST_CONNECTIONS} at least: set its \`max\`.`)
  }
  return pool as unknown as pg.Pool
}

/** Waits for a client of the pool for at most `milliseconds`. A client that arrives later goes back to its pool. */
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

/** The source of clients: a pool of Parley's own, or one of the application. */
interface ClientSource extends Pick<PgPool, "clients" | "isPipelined"> {
  connect(): Promise<pg.PoolClient>
  /** Returns the client to its pool. */
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
      // If the server ends a connection at the same moment, its error must not make the closing fail.
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
    // A pool of the application may let a caller wait for ever, so the wait is limited here; Parley's own pool limits
    // it itself.
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

/**
 * Returns the clients of a server, from Parley's own pool or from that of the application. Throws if the application's
 * pool is too small.
 */
export const openPgPool = (options: PgPoolOptions): PgPool => {
  const lost = (error: Error) => options.onConnectionLost?.(error)
  const own = options.pool === undefined
  const source = own
    ? ownSource(options, lost)
    : callersSource(checkPool(options.pool), lost, options.connectTimeoutMs ?? CONNECT_MS)
  // Without listeners, the loss of an idle connection, or of one between two statements, would end the process.
  source.clients.on("error", lost)

  let closed = false
  let doubts = 0
  /** The value of `doubts` at the time of each client's last answer. */
  const trusted = new WeakMap<pg.PoolClient, number>()
  const plain = new WeakMap<pg.PoolClient, boolean>()
  const checked = new WeakSet<pg.PoolClient>()

  const drop = (client: pg.PoolClient): void => {
    client.connection.stream.destroy()
    client.release(true)
  }
  const check = async (client: pg.PoolClient): Promise<void> => {
    if (options.check === undefined || checked.has(client)) return
    try {
      // A connection that was opened before it could be checked is checked later.
      if (await options.check((text) => askOn(client, text))) checked.add(client)
    } catch (error) {
      drop(client)
      throw error
    }
  }
  const take = async (): Promise<pg.PoolClient> => {
    for (;;) {
      if (closed) throw databaseClosed()
      const client = await source.connect()
      if ((trusted.get(client) ?? doubts) === doubts) {
        trusted.set(client, doubts)
        await check(client)
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
      // The last statement of this client was answered, so earlier doubts do not concern it.
      trusted.set(client, doubts)
      source.returned(client)
      client.release()
    },
    doubtIdle: () => void (doubts += 1),
    // In an application's pool, other code may change the settings of a session between two loans.
    isPlain: (client) => (own ? plain.get(client) : false),
    cancel: cancelStatement,
    setPlain: (client, value) => void plain.set(client, value),
    close: () => {
      closed = true
      return source.close()
    }
  }
}
