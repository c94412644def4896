import { Context, type Effect } from "effect"
import type { DatabaseError, Row, Sql } from "./Database.ts"

/**
 * The login itself, without the two roles: for objects that the login owns outside their reach, such as the job queue's
 * schema. Joins the surrounding unit of work as the calls of the other roles do.
 */
export class DatabaseOwner extends Context.Service<
  DatabaseOwner,
  {
    /** The schema all tables live in, unquoted. */
    readonly schemaName: string
    asOwner<A, E, R>(work: (sql: OwnerSql) => Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R>
    /**
     * Runs outside any transaction of the roles: one statement with parameters, or a script without parameters, which
     * may contain its own BEGIN and COMMIT. A transaction that a failed script left open is rolled back before the
     * connection is used again.
     */
    execute(text: string, params?: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Row>, DatabaseError>
    /**
     * Runs statements that read one state of the database, which concurrent transactions do not change. It joins no
     * surrounding transaction.
     */
    snapshot<A, E, R>(work: (sql: Sql) => Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R>
    /** Has every unit of work begin with `preparation`, outside its transaction. */
    beforeUnits(preparation: Effect.Effect<unknown, DatabaseError>): Effect.Effect<void>
    /** The connections to the server at this moment; undefined if the database is embedded. */
    connections(): ConnectionCounts | undefined
    /** Runs `action` once the surrounding transaction has committed, never if it does not; at once if there is none. */
    afterCommit(action: () => void): Effect.Effect<void>
  }
>()("@parley/adapters-db/database/DatabaseOwner") {}

/** The connections of a pool. */
export interface ConnectionCounts {
  readonly used: number
  readonly idle: number
  /** Statements that wait for a connection. */
  readonly waiting: number
  readonly max: number
}

/** Statements of the owner, with scripts of several statements (without parameters). */
export interface OwnerSql extends Sql {
  script(text: string): Effect.Effect<void, DatabaseError>
}
