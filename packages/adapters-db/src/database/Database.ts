import type { CallersTransaction } from "@parley/core"
import type { TransactionNotJoined } from "@parley/core/adapter"
import { Context, type Effect, Schema } from "effect"
import { type TlsRefusal, tlsRefusal } from "./tlsRefusal.ts"

/** SQLSTATEs, or how they begin, of what passes (PostgreSQL 17, appendix A). No SQLSTATE at all: the connection was lost. */
const PASSING = new Set([
  "08", // the connection failed
  "53", // connections, memory or disk space are used up
  "57P", // the server is shut down, starts or recovers
  "40001", // another transaction was faster
  "40P01", // a deadlock
  "55P03", // a lock was not free in time
  "57014", // the statement took too long, or was cancelled
  "25P03", // the transaction was silent for too long
  "25P04", // the transaction took too long
  "25006", // the server takes no writes at the moment: a failover, a full disk
  "55000" // an object is not ready for this yet
])

/**
 * The statement was not run: the server has no free connection, has no such database, or refuses this login (PostgreSQL
 * 17, appendix A).
 */
const REFUSED_CONNECTIONS = /^(08|28|3D000$|53300$|57P0[1-5]$)/

/** With this SQLSTATE a cell refuses a write of an owner who has moved to another cell. */
export const MOVED = "PL001"

const TLS_MESSAGES: Readonly<Record<TlsRefusal, string>> = {
  "not-offered": "The database server offers no TLS, and its address requires it. Turn TLS on at the server.",
  untrusted:
    "The certificate of the database server is not signed by a trusted authority. Name its authority's certificate in `sslrootcert`.",
  "other-host":
    "The certificate of the database server is for another host. Connect to a name in it, or have one issued for this host.",
  "out-of-date":
    "The certificate of the database server has expired or is not valid yet. Renew it, and check the clocks of both machines."
}

/**
 * A statement or a connection that the database refused, or a connection that it lost. `sqlState` is the five-character
 * SQLSTATE if there is one.
 */
export class DatabaseError extends Schema.TaggedError<DatabaseError>()("DatabaseError", {
  sqlState: Schema.optionalKey(Schema.String),
  constraint: Schema.optionalKey(Schema.String),
  /** This program closed its database: nothing is asked of it any more. */
  closed: Schema.optionalKey(Schema.Boolean),
  /** It has been silent for a while and is not asked: milliseconds after which trying again may be worthwhile. */
  retryAfterMs: Schema.optionalKey(Schema.Int),
  cause: Schema.Defect()
}) {
  /** The same work may succeed when tried again: what stood in its way passes by itself. */
  get retryable(): boolean {
    if (this.closed === true) return false
    const state = this.sqlState
    return state === undefined || PASSING.has(state) || PASSING.has(state.slice(0, 2)) || PASSING.has(state.slice(0, 3))
  }
  /** The reason if this side refused the server's TLS: nothing was sent to it, not even the name of a login. */
  get tls(): TlsRefusal | undefined {
    return tlsRefusal(this.cause)
  }
  /** The wait, for the failures that this one becomes. */
  get wait(): { readonly retryAfterMs?: number } {
    return this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }
  }
  readonly code = "database_failed"
  override get message() {
    if (this.closed === true) return "The database was closed."
    if (this.retryAfterMs !== undefined)
      return "The database has not answered for a while, and is not asked until it does."
    if (this.tls !== undefined) return TLS_MESSAGES[this.tls]
    if (this.sqlState === undefined) return "The database cannot be reached, or the connection to it was lost."
    const what = REFUSED_CONNECTIONS.test(this.sqlState) ? "the connection" : "a statement"
    return `The database refused ${what} (SQLSTATE ${this.sqlState}).`
  }
}

/** The error of a call after this process has closed the database. */
export const databaseClosed = (): DatabaseError =>
  new DatabaseError({ closed: true, cause: new Error("The database was closed.") })

/** The database did not answer, with the system's code. */
export const noAnswer = (message: string): Error => Object.assign(new Error(message), { code: "ETIMEDOUT" })

/** The error of a call while the database counts as down. */
export const databaseSilent = (retryAfterMs: number): DatabaseError =>
  new DatabaseError({ retryAfterMs, cause: noAnswer("The database does not answer.") })

export type Row = Record<string, unknown>

/** Statements inside one transaction. bigint columns arrive as numbers, timestamptz as Date, jsonb parsed, bytea as Uint8Array. */
export interface Sql {
  query<R extends Row = Row>(
    text: string,
    params?: ReadonlyArray<unknown>
  ): Effect.Effect<ReadonlyArray<R>, DatabaseError>
}

/**
 * One Postgres schema behind two drivers, with two roles. Each call is one transaction, committed when `work`
 * succeeds and rolled back when it fails or is interrupted; inside a unit of work, calls join its transaction.
 */
export class Database extends Context.Service<
  Database,
  {
    readonly driver: "pg" | "pglite"
    /** Fails if the database has been silent for a while, and passes otherwise: for calls that wait for others' first. */
    readonly admit: Effect.Effect<void, DatabaseError>
    /** The schema all tables live in, quoted for use in SQL text. */
    readonly schema: string
    /** Runs as `parley_user` under row-level security: sees and changes what belongs to `userId` alone. */
    asUser<A, E, R>(userId: string, work: (sql: Sql) => Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R>
    /** Runs as `parley_service`, which sees every row: for jobs, webhooks, the widget and the ledger. */
    asService<A, E, R>(work: (sql: Sql) => Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R>
    /**
     * One statement as `parley_user`, as a transaction of its own in a single round trip. Interrupted, it may have been
     * done. Its text is to name the user as well, in a parameter.
     */
    statementAsUser<R extends Row = Row>(
      userId: string,
      text: string,
      params?: ReadonlyArray<unknown>
    ): Effect.Effect<ReadonlyArray<R>, DatabaseError>
    /** One statement as the service, as a transaction of its own in a single round trip. */
    statement<R extends Row = Row>(
      text: string,
      params?: ReadonlyArray<unknown>
    ): Effect.Effect<ReadonlyArray<R>, DatabaseError>
    /** Makes all calls inside `work` one transaction; a unit inside a unit joins it. */
    unitOfWork<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R>
    /**
     * Makes all calls inside `work` part of a transaction of the caller's, undone if `work` fails. Only the credit
     * ledger's statements support it.
     */
    join<A, E, R>(
      transaction: CallersTransaction,
      work: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | DatabaseError | TransactionNotJoined, R>
    /** True inside a call or a unit of work: statements of the current fiber join its transaction. */
    readonly inTransaction: Effect.Effect<boolean>
  }
>()("@parley/adapters-db/database/Database") {}
