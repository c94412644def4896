import { Context, type Effect } from "effect"
import type { DatabaseError, Sql } from "./Database.ts"

/**
 * The door of the login itself, past the two roles: for what the login owns outside their reach, such as the job
 * queue's own schema. Joins the surrounding unit of work as the other doors do.
 */
export class DatabaseOwner extends Context.Service<
  DatabaseOwner,
  {
    asOwner<A, E, R>(work: (sql: OwnerSql) => Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R>
    /** Runs `action` once the surrounding transaction has committed, never where it does not; at once where there is none. */
    afterCommit(action: () => void): Effect.Effect<void>
  }
>()("@parley/adapters-db/database/DatabaseOwner") {}

/** Statements of the owner, with scripts of several statements (without parameters). */
export interface OwnerSql extends Sql {
  script(text: string): Effect.Effect<void, DatabaseError>
}
