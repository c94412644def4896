import { Effect } from "effect"
import { Database, DatabaseError } from "../database/Database.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { forPurpose } from "../database/limits.ts"
import { toDatabaseError } from "../database/toDatabaseError.ts"
import type { JobQueueOptions } from "./JobQueueOptions.ts"
import { JOBS_QUEUE, JOBS_QUEUE_POLICY, type jobSql } from "./jobSql.ts"

/**
 * The methods of the queue library that Parley calls. The library's own declarations do not compile with `skipLibCheck:
 * false`, so no published type may name them.
 */
export interface Boss {
  send(queue: string, data: object, options: object): Promise<string | null>
  complete(queue: string, tried: BossTry, result: null, options: object): Promise<unknown>
  fail(queue: string, tried: BossTry, failure: object, options: object): Promise<unknown>
  stop(options: { readonly graceful: boolean }): Promise<void>
}

interface BossTry {
  readonly id: string
  readonly retryCount: number
}

type Statement = (text: string, params: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<object>, DatabaseError>

/**
 * The access to the database for the queue library. It throws the driver's own errors, from which the library reads the
 * SQLSTATE.
 */
export const bossDatabase = (statement: Statement) => ({
  executeSql: async (text: string, params?: Array<unknown>) => {
    try {
      return { rows: [...(await Effect.runPromise(forPurpose("jobs")(statement(text, params ?? []))))] }
    } catch (error) {
      throw error instanceof DatabaseError ? error.cause : error
    }
  }
})

/**
 * Runs `begin` under a lock, because the library's installation can fail if another process installs at the same
 * moment.
 */
const oneAtATime = (owner: DatabaseOwner["Service"], begin: () => Promise<void>): Promise<void> =>
  Effect.runPromise(
    owner
      .asOwner((sql) =>
        Effect.andThen(
          sql.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 7222))", [`parley jobs ${owner.schemaName}`]),
          Effect.tryPromise({ try: begin, catch: toDatabaseError })
        )
      )
      .pipe(forPurpose("schema"))
  )

/**
 * Loads the queue library, brings its schema up to date, and starts it. Any number of processes may do so at the same
 * time. Afterwards the library has the queue in memory, so that enqueuing a job needs no other statement than the
 * insertion.
 */
export const startBoss = async (
  owner: DatabaseOwner["Service"],
  driver: "pg" | "pglite",
  options: JobQueueOptions
): Promise<Boss> => {
  const { PgBoss } = await import("pg-boss")
  const boss = new PgBoss({
    db: bossDatabase(owner.execute),
    backend: driver === "pg" ? "postgres" : "pglite",
    schema: `"${owner.schemaName}_boss"`,
    schedule: false,
    // Switches the library's supervision off, because it would end a try without running the job for callers that
    // requested it during the try; `lookForDeadTries` does all of this.
    supervise: false
  })
  boss.on("error", (error) => options.onError?.(error))
  const begin = async () => {
    await boss.start()
    await boss.createQueue(JOBS_QUEUE, { policy: JOBS_QUEUE_POLICY })
    await boss.findJobs(JOBS_QUEUE, { id: "00000000-0000-0000-0000-000000000000" })
  }
  try {
    await (driver === "pg" ? oneAtATime(owner, begin) : begin())
    return boss
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined)
    throw error
  }
}

/** The values that all parts of the job queue share. */
export interface JobParts {
  readonly owner: DatabaseOwner["Service"]
  /** The queue library, started with the first use. */
  readonly boss: Effect.Effect<Boss, DatabaseError>
  readonly text: ReturnType<typeof jobSql>
  /** Wakes the workers of this process to look for jobs. */
  readonly wake: () => void
  /** Reports a failed background statement to the operator. */
  readonly report: (error: DatabaseError) => Effect.Effect<void>
}

/** Calls the queue library, and turns its exceptions into database failures. */
export const callBoss = <A>(call: () => Promise<A>): Effect.Effect<A, DatabaseError> =>
  Effect.tryPromise({ try: call, catch: toDatabaseError })

/** The access to the database for the queue library whose statements join the surrounding transaction. */
export const joinedDatabase = (owner: DatabaseOwner["Service"]) =>
  Effect.map(Effect.context<never>(), (context) =>
    bossDatabase((text, params) =>
      Effect.provideContext(
        owner.asOwner((sql) => sql.query(text, params)),
        context
      )
    )
  )

/** Brings the job queue's own schema up to date, which its first use would otherwise do. */
export const installJobQueue = Effect.gen(function* () {
  const { driver } = yield* Database
  const owner = yield* DatabaseOwner
  yield* Effect.tryPromise({
    try: async () => (await startBoss(owner, driver, {})).stop({ graceful: false }),
    catch: toDatabaseError
  })
})
