import type { Effect } from "effect"
import type { DatabaseError, Row } from "./Database.ts"
import type { ConnectionCounts } from "./DatabaseOwner.ts"
import type { DatabaseRole } from "./DatabaseRole.ts"
import type { Purpose } from "./limits.ts"

/**
 * One connection to the database, held by one transaction. The client gives up on each request after its purpose's
 * limit.
 */
export interface Connection {
  /** One statement with its parameters. Interrupted, it waits for the statement's end, within the driver's bound. */
  query<R extends Row>(text: string, params: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<R>, DatabaseError>
  /** Runs any number of statements without parameters, in one round trip; returns the rows of all. */
  script(text: string): Effect.Effect<ReadonlyArray<Row>, DatabaseError>
  /** Begins a transaction that the server bounds, as a script that others can follow in the same round trip. */
  readonly begin: string
  /** One statement, or a script without parameters, outside any transaction of the roles and bounded in the server. */
  execute(text: string, params: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Row>, DatabaseError>
  /** True once the connection is lost or its state unknown. It is then thrown away, which rolls back. */
  readonly broken: () => boolean
  /** Declares the connection broken. */
  readonly discard: () => void
}

/** The operations of a database engine that the roles use. */
export interface Driver {
  readonly name: "pg" | "pglite"
  /** The connections of its pool; absent if it has none. */
  readonly connections?: () => ConnectionCounts
  /** Fails if the database has been silent for a while, and passes otherwise: for calls that wait for others' first. */
  readonly admit: Effect.Effect<void, DatabaseError>
  /** Holds a connection for as long as `use` runs. Waiting for one can be interrupted. */
  withConnection<A, E, R>(
    purpose: Purpose,
    use: (connection: Connection) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | DatabaseError, R>
  /** One statement as `role`, as a transaction of its own in a single round trip. */
  statementAs<R extends Row>(
    purpose: Purpose,
    role: DatabaseRole,
    text: string,
    params: ReadonlyArray<unknown>
  ): Effect.Effect<ReadonlyArray<R>, DatabaseError>
  /** One statement outside any transaction, in a single round trip. */
  statement<R extends Row>(
    purpose: Purpose,
    text: string,
    params: ReadonlyArray<unknown>
  ): Effect.Effect<ReadonlyArray<R>, DatabaseError>
}
