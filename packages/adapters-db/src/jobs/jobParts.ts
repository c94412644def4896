import { Effect } from "effect"
import type { PgBoss } from "pg-boss"
import type { DatabaseError } from "../database/Database.ts"
import type { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { toDatabaseError } from "../database/toDatabaseError.ts"
import type { jobSql } from "./jobSql.ts"
import { bossDatabase } from "./startBoss.ts"

/** What the parts of the queue share. */
export interface JobParts {
  readonly owner: DatabaseOwner["Service"]
  /** The queue library, started with the first use. */
  readonly boss: Effect.Effect<PgBoss, DatabaseError>
  readonly text: ReturnType<typeof jobSql>
  /** Has the workers of this process look for jobs now. */
  readonly wake: () => void
  /** Tells the operator of a background statement that failed. */
  readonly report: (error: DatabaseError) => Effect.Effect<void>
}

/** A call of the queue library; what it throws is the database's failure. */
export const callBoss = <A>(call: () => Promise<A>): Effect.Effect<A, DatabaseError> =>
  Effect.tryPromise({ try: call, catch: toDatabaseError })

/** A view of the database for the queue library whose statements join the surrounding transaction. */
export const joinedDatabase = (owner: DatabaseOwner["Service"]) =>
  Effect.map(Effect.context<never>(), (context) =>
    bossDatabase((text, params) =>
      Effect.provideContext(
        owner.asOwner((sql) => sql.query(text, params)),
        context
      )
    )
  )
