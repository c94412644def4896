import { Context, type Effect } from "effect"
import type { DatabaseError, Row, Sql } from "./Database.ts"

/**
 * Access to the database with the login itself, without one of the two roles: for objects that the roles cannot reach,
 * such as the job queue's schema. Calls join the surrounding unit of work, like calls with the roles.
 */
export class DatabaseOwner extends Context.Service<
  DatabaseOwner,
  {
    /** The name of the schema that contains all tables, unquoted. */
    readonly schemaName: string
    asOwner<A, E, R>(work: (sql: OwnerSql) => Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R>
    /**
     * Runs one statement with parameters, or a script without parameters, outside of all transactions of the roles. A
     * script may contain its own BEGIN and COMMIT. If a failed script leaves a transaction open, it is rolled back
     * before the connection is used again.
     */
    execute(text: string, params?: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Row>, DatabaseError>
    /**
     * Runs statements that all read the same state of the database, even if other transactions change it meanwhile. It
     * joins no surrounding transaction.
     */
    snapshot<A, E, R>(work: (sql: Sql) => Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R>
    /** Makes every unit of work run `preparation` first, outside its transaction. */
    beforeUnits(preparation: Effect.Effect<unknown, DatabaseError>): Effect.Effect<void>
    /** Returns the number of connections to the server at this moment; undefined if the database is embedded. */
    connections(): ConnectionCounts | undefined
    /**
     * Runs `action` after the surrounding transaction has committed, and never if it rolls back. Without a surrounding
     * transaction, `action` runs at once.
     */
    afterCommit(action: () => void): Effect.Effect<void>
  }
>()("@parley/adapters-db/database/DatabaseOwner") {}

/** The numbers of a pool's connections. */
export interface ConnectionCounts {
  readonly used: number
  readonly idle: number
  /** The number of statements that wait for a connection. */
  readonly waiting: number
  readonly max: number
}

/** Runs statements as the owner, including scripts of several statements, which have no parameters. */
export interface OwnerSql extends Sql {
  script(text: string): Effect.Effect<void, DatabaseError>
}
