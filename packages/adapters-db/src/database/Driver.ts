import type { Effect } from "effect"
import type { DatabaseError, Row } from "./Database.ts"

/** One connection to the database, held by one transaction. */
export interface Connection {
  /** One statement with its parameters. Interrupted, it waits for the statement's end, within the driver's bound. */
  query<R extends Row>(text: string, params: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<R>, DatabaseError>
  /** Any number of statements without parameters, in one round trip; gives the rows of all. */
  script(text: string): Effect.Effect<ReadonlyArray<Row>, DatabaseError>
  /** True once the connection is lost or its state unknown. It is then thrown away, which rolls back. */
  readonly broken: () => boolean
  /** Declares the connection broken. */
  readonly discard: () => void
}

/** What the doors need of a database engine. */
export interface Driver {
  readonly name: "pg" | "pglite"
  /** Holds a connection for as long as `use` runs. Waiting for one can be interrupted. */
  withConnection<A, E, R>(
    use: (connection: Connection) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | DatabaseError, R>
  /** One statement outside any transaction, in a single round trip. */
  statement<R extends Row>(text: string, params: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<R>, DatabaseError>
}
