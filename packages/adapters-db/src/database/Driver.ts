import type { Effect } from "effect"
import type { DatabaseError, Row } from "./Database.ts"
import type { ConnectionCounts } from "./DatabaseOwner.ts"
import type { DatabaseRole } from "./DatabaseRole.ts"
import type { Purpose } from "./limits.ts"

/**
 * One connection to the database, which one transaction holds. The client gives up on a request after the time limit of
 * the request's purpose.
 */
export interface Connection {
  /**
   * Runs one statement with its parameters. If it is interrupted, it waits for the end of the statement, within a limit
   * that the driver sets.
   */
  query<R extends Row>(text: string, params: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<R>, DatabaseError>
  /** Runs any number of statements without parameters, in one round trip; returns the rows of all statements. */
  script(text: string): Effect.Effect<ReadonlyArray<Row>, DatabaseError>
  /**
   * The script that begins a transaction with the server's time limits. Other statements may follow in the same round
   * trip.
   */
  readonly begin: string
  /**
   * Runs one statement, or a script without parameters, outside of all transactions of the roles, with the server's
   * time limits.
   */
  execute(text: string, params: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Row>, DatabaseError>
  /** True after the connection is lost or its state is unknown. It is then closed, which rolls its transaction back. */
  readonly broken: () => boolean
  /** Marks the connection as broken. */
  readonly discard: () => void
}

/** The operations of a database engine that the roles use. */
export interface Driver {
  readonly name: "pg" | "pglite"
  /** Returns the number of connections of the driver's pool; absent if the driver has no pool. */
  readonly connections?: () => ConnectionCounts
  /**
   * Fails if the database has not answered for a while. Work that first waits for other work calls it, so as to fail at
   * once instead of after the wait.
   */
  readonly admit: Effect.Effect<void, DatabaseError>
  /** Holds a connection while `use` runs. The wait for a connection can be interrupted. */
  withConnection<A, E, R>(
    purpose: Purpose,
    use: (connection: Connection) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | DatabaseError, R>
  /** Runs one statement as `role`, as a transaction of its own in a single round trip. */
  statementAs<R extends Row>(
    purpose: Purpose,
    role: DatabaseRole,
    text: string,
    params: ReadonlyArray<unknown>
  ): Effect.Effect<ReadonlyArray<R>, DatabaseError>
  /** Runs one statement outside any transaction, in a single round trip. */
  statement<R extends Row>(
    purpose: Purpose,
    text: string,
    params: ReadonlyArray<unknown>
  ): Effect.Effect<ReadonlyArray<R>, DatabaseError>
}
