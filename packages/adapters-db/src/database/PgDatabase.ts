import { Context, Effect, Layer } from "effect"
import pg from "pg"
import { Database, type DatabaseError, type Row } from "./Database.ts"
import { DatabaseOwner } from "./DatabaseOwner.ts"
import { openDoors } from "./doors.ts"
import type { Connection, Driver } from "./Driver.ts"
import { columnTypes } from "./pgColumnTypes.ts"
import { isConnectionLost, toDatabaseError } from "./toDatabaseError.ts"

export interface PgDatabaseOptions {
  /** A Postgres connection string. A transaction-pooling pgbouncer behind it is fine. */
  readonly url: string
  /** The schema all tables live in; `parley` unless given. */
  readonly schema?: string | undefined
  /** Connections at most, at least 2; 10 unless given. */
  readonly maxConnections?: number | undefined
  /** How long to wait for a connection, in milliseconds, before failing; 10,000 unless given. */
  readonly connectTimeoutMs?: number | undefined
  /** Called when a connection is lost, also an idle one. For logs; the pool replaces it by itself. */
  readonly onConnectionLost?: ((error: Error) => void) | undefined
}

/** A client on loan from the pool. */
interface Loan {
  client: pg.PoolClient | undefined
  /** The borrower left while waiting: give the client back as soon as it comes. */
  abandoned: boolean
  broken: boolean
}

/** How long an interrupted statement may still run before its connection is thrown away. */
const INTERRUPT_GRACE_MS = 1000

const giveBack = (loan: Loan): void => {
  loan.client?.release(loan.broken)
  loan.client = undefined
}

const borrow = (pool: pg.Pool, loan: Loan): Effect.Effect<pg.PoolClient, DatabaseError> =>
  Effect.callback((resume) => {
    pool.connect().then(
      (client) => {
        loan.client = client
        if (loan.abandoned) giveBack(loan)
        else resume(Effect.succeed(client))
      },
      (cause) => resume(Effect.fail(toDatabaseError(cause)))
    )
    return Effect.sync(() => {
      loan.abandoned = true
    })
  })

const settledWithin = (running: Promise<unknown>, milliseconds: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), milliseconds)
    const settled = () => {
      clearTimeout(timer)
      resolve(true)
    }
    running.then(settled, settled)
  })

const send = <A>(loan: Loan, start: () => Promise<A>): Effect.Effect<A, DatabaseError> =>
  Effect.callback((resume) => {
    const running = start()
    running.then(
      (value) => resume(Effect.succeed(value)),
      (cause) => {
        loan.broken ||= isConnectionLost(cause)
        resume(Effect.fail(toDatabaseError(cause)))
      }
    )
    return Effect.promise(async () => {
      if (!(await settledWithin(running, INTERRUPT_GRACE_MS))) loan.broken = true
    })
  })

const connectionOf = (client: pg.PoolClient, loan: Loan): Connection => ({
  query: <R extends Row>(text: string, params: ReadonlyArray<unknown>) =>
    send(loan, async () => (await client.query<R>(text, [...params])).rows),
  script: (text) =>
    send(loan, async () => {
      const results: unknown = await client.query<Row>(text)
      return (Array.isArray(results) ? results : [results]).flatMap((result: pg.QueryResult<Row>) => result.rows)
    }),
  broken: () => loan.broken,
  discard: () => {
    loan.broken = true
  }
})

/** A driver over a pool. Statements with parameters are parsed unnamed, so that any pooler may stand between. */
export const pgDriver = (pool: pg.Pool): Driver => {
  const withConnection: Driver["withConnection"] = (use) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const loan: Loan = { client: undefined, abandoned: false, broken: false }
        const work = Effect.flatMap(borrow(pool, loan), (client) => use(connectionOf(client, loan)))
        return Effect.onExit(restore(work), () => Effect.sync(() => giveBack(loan)))
      })
    )
  return {
    name: "pg",
    withConnection,
    statement: (text, params) => withConnection((connection) => connection.query(text, params))
  }
}

const openPool = (options: PgDatabaseOptions): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: Math.max(2, options.maxConnections ?? 10),
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    keepAlive: true,
    types: columnTypes
  })
  const lost = (error: Error) => options.onConnectionLost?.(error)
  // Without listeners a connection lost while idle, or between two statements, would end the process.
  pool.on("error", lost)
  pool.on("connect", (client) => client.on("error", lost))
  return pool
}

/** A Postgres server behind the doors, and the owner's door. Connects when first used; closes its connections with the scope. */
export const PgDatabaseLayer = (options: PgDatabaseOptions): Layer.Layer<Database | DatabaseOwner> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => openPool(options)),
        (pool) => Effect.promise(() => pool.end())
      )
      const doors = openDoors(pgDriver(pool), options.schema ?? "parley")
      return Context.make(Database, doors.database).pipe(Context.add(DatabaseOwner, doors.owner))
    })
  )
