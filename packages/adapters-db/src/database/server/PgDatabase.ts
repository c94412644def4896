import type { SilenceWatch } from "@parley/core/adapter"
import { Context, Effect, Layer } from "effect"
import type pg from "pg"
import { watchServer } from "../../outages/watchServer.ts"
import type { CallersPool } from "./CallersPool.ts"
import { ConnectionCheck } from "./ConnectionCheck.ts"
import { Database, DatabaseError, databaseSilent, type Row } from "../Database.ts"
import { DatabaseOwner } from "../DatabaseOwner.ts"
import { type DatabaseRole, enterRole } from "../DatabaseRole.ts"
import { openRoles } from "../openRoles.ts"
import type { Connection, Driver } from "../Driver.ts"
import { ANSWER_GRACE_MS, type Limits, LIMITS, type LimitsPolicy, type Purpose } from "../limits.ts"
import { borrow, giveBack, type Loan, send } from "./PgLoan.ts"
import type { PgPool } from "./PgPool.ts"
import { isConnectionLost } from "../toDatabaseError.ts"
import { beginWithin, isPlainSession, PROBE, scriptWithin, standsAlone } from "../sessionSettings.ts"

export interface PgDatabaseOptions {
  /** A Postgres connection string. A transaction-pooling pgbouncer behind it is fine. */
  readonly url?: string | undefined
  /** In place of `url`: a pool of the caller's, which stays open. */
  readonly pool?: CallersPool | undefined
  /** The schema all tables live in; `parley` unless given. */
  readonly schema?: string | undefined
  /** Connections at most, at least 2; 10 unless given. */
  readonly maxConnections?: number | undefined
  /** Longest wait for a connection in milliseconds; 10,000 unless given. */
  readonly connectTimeoutMs?: number | undefined
  /** Time limits by purpose; `LIMITS` unless given. */
  readonly limits?: LimitsPolicy | undefined
  /** The name of the cell in metrics, if there are several. */
  readonly cell?: string | undefined
  /** Called when a connection is lost, even an idle one. For logs; the pool replaces it by itself. */
  readonly onConnectionLost?: ((error: Error) => void) | undefined
}

/**
 * Sends one statement with its values, if it has any. Columns are parsed by this program's types, also if the pool was
 * set up with others.
 */
const ask = <R extends Row>(pool: PgPool, client: pg.PoolClient, text: string, params?: ReadonlyArray<unknown>) =>
  client.query<R>({ text, types: pool.types, ...(params === undefined ? {} : { values: [...params] }) })

const rowsOf = (results: unknown): ReadonlyArray<Row> =>
  (Array.isArray(results) ? results : [results]).flatMap((result: pg.QueryResult<Row>) => result.rows)

/** The error of a rejected step among several that were sent together; the first error is the cause of the others. */
const firstFailure = (steps: ReadonlyArray<PromiseSettledResult<unknown>>): PromiseRejectedResult | undefined =>
  steps.find((step) => step.status === "rejected")

const notCommitted = new DatabaseError({
  sqlState: "25P02",
  cause: new Error("A statement's transaction was rolled back.")
})

/** Has the socket write what `send` sends at once: each write of its own costs a call of the system. */
const inOneWrite = <A>(client: pg.PoolClient, send: () => A): A => {
  const { stream } = client.connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

/** The same with a client that takes one text at a time. */
const sendInTurn = async <R extends Row>(
  loan: Loan,
  client: pg.PoolClient,
  begin: string,
  text: string,
  params: ReadonlyArray<unknown>
): Promise<ReadonlyArray<R>> => {
  try {
    // If even this fails, the session has begun a transaction, which the next borrower must not find.
    await ask(loan.pool, client, begin)
    const { rows } = await ask<R>(loan.pool, client, text, params)
    if ((await ask(loan.pool, client, "COMMIT")).command !== "COMMIT") throw notCommitted
    return rows
  } catch (error) {
    if (!isConnectionLost(error)) await ask(loan.pool, client, "ROLLBACK").catch(() => (loan.broken = true))
    throw error
  }
}

/**
 * A statement as a transaction that `begin` begins and the server bounds: begun, run and committed in one round trip.
 * The first one on a connection also reads the settings of its session.
 */
const sendBounded = async <R extends Row>(
  loan: Loan,
  client: pg.PoolClient,
  begin: string,
  text: string,
  params: ReadonlyArray<unknown>
): Promise<ReadonlyArray<R>> => {
  if (!loan.pool.isPipelined) return sendInTurn<R>(loan, client, begin, text, params)
  const asks = loan.pool.isPlain(client) === undefined
  const steps = await Promise.allSettled(
    inOneWrite(
      client,
      () =>
        [
          ask(loan.pool, client, asks ? `${PROBE}; ${begin}` : begin),
          ask<R>(loan.pool, client, text, params),
          ask(loan.pool, client, "COMMIT")
        ] as const
    )
  )
  const [begun, ran, committed] = steps
  // Cancelled before it began, it left its transaction open, which the next borrower must not find.
  loan.broken ||= committed.status === "rejected"
  const failure = firstFailure(steps)
  if (failure !== undefined) throw failure.reason
  if (begun.status === "rejected" || ran.status === "rejected" || committed.status === "rejected") throw notCommitted
  if (asks) loan.pool.setPlain(client, isPlainSession(rowsOf(begun.value)))
  if (committed.value.command !== "COMMIT") throw notCommitted
  return ran.value.rows
}

const connectionOf = (client: pg.PoolClient, loan: Loan, limits: Limits): Connection => {
  const within = limits.statementMs + ANSWER_GRACE_MS
  const script = (text: string) => send(loan, within, async () => rowsOf(await ask(loan.pool, client, text)))
  return {
    query: <R extends Row>(text: string, params: ReadonlyArray<unknown>) =>
      send(loan, within, async () => (await ask<R>(loan.pool, client, text, params)).rows),
    script,
    begin: beginWithin(limits),
    execute: (text, params) =>
      params.length === 0
        ? script(scriptWithin(limits, text))
        : send(loan, within, () => sendBounded<Row>(loan, client, beginWithin(limits), text, params)),
    broken: () => loan.broken,
    discard: () => {
      loan.broken = true
    }
  }
}

const sendStatement = <R extends Row>(
  loan: Loan,
  client: pg.PoolClient,
  limits: Limits,
  text: string,
  params: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<R>, DatabaseError> =>
  send(loan, limits.statementMs + ANSWER_GRACE_MS, async () =>
    standsAlone(text) || (limits.alone && loan.pool.isPlain(client) === true)
      ? (await ask<R>(loan.pool, client, text, params)).rows
      : sendBounded<R>(loan, client, beginWithin(limits), text, params)
  )

/** A driver over a pool. Statements with parameters are parsed unnamed, so that any pooler may stand between. */
const pgDriver = (pool: PgPool, policy: LimitsPolicy, isCallers: boolean, silence: SilenceWatch): Driver => {
  const withClient = <A, E, R>(use: (client: pg.PoolClient, loan: Loan) => Effect.Effect<A, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const loan: Loan = { pool, silence, client: undefined, abandoned: false, broken: false }
        const work = Effect.andThen(
          silence.admit(databaseSilent),
          Effect.flatMap(borrow(loan), (client) => use(client, loan))
        )
        return Effect.onExit(restore(work), () => Effect.sync(() => giveBack(loan)))
      })
    )
  const statementAs = <R extends Row>(
    purpose: Purpose,
    role: DatabaseRole,
    text: string,
    params: ReadonlyArray<unknown>
  ) => {
    const limits = policy[purpose]
    const begin = enterRole(beginWithin(limits), undefined, role)
    return withClient((client, loan) =>
      send(loan, limits.statementMs + ANSWER_GRACE_MS, () => sendBounded<R>(loan, client, begin, text, params))
    )
  }
  return {
    name: "pg",
    connections: () => {
      const { idleCount, options, totalCount, waitingCount } = pool.clients
      return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, max: options.max }
    },
    admit: silence.admit(databaseSilent),
    withConnection: (purpose, use) => withClient((client, loan) => use(connectionOf(client, loan, policy[purpose]))),
    statementAs,
    // The role of sessions in the caller's own pool is unknown, so the login itself is requested.
    statement: (purpose, text, params) =>
      isCallers && !standsAlone(text)
        ? statementAs(purpose, { name: "owner" }, text, params)
        : withClient((client, loan) => sendStatement(loan, client, policy[purpose], text, params))
  }
}

/** A Postgres server behind its roles, the owner among them. Connects when first used; closes its connections with the scope. */
export const PgDatabaseLayer = (options: PgDatabaseOptions): Layer.Layer<Database | DatabaseOwner> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const check = yield* ConnectionCheck
      const pool = yield* Effect.acquireRelease(
        // The driver is loaded only if there is a server.
        Effect.map(
          Effect.promise(() => import("./PgPool.ts")),
          ({ openPgPool }) => openPgPool({ ...options, check })
        ),
        (pool) => Effect.promise(() => pool.close())
      )
      const silence = yield* watchServer(pool)
      const driver = pgDriver(pool, options.limits ?? LIMITS, options.pool !== undefined, silence)
      const roles = openRoles(driver, options.schema ?? "parley", options.cell)
      return Context.make(Database, roles.database).pipe(Context.add(DatabaseOwner, roles.owner))
    })
  )
