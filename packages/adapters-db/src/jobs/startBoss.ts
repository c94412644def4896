import { Effect } from "effect"
import { Database, DatabaseError } from "../database/Database.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { forPurpose } from "../database/limits.ts"
import { toDatabaseError } from "../database/toDatabaseError.ts"
import type { JobQueueOptions } from "./JobQueueOptions.ts"
import { JOBS_QUEUE, JOBS_QUEUE_POLICY, type jobSql } from "./jobSql.ts"

/**
 * The calls of the queue library that the job queue makes. The library's own declarations do not compile with
 * `skipLibCheck: false`, so no published type names them.
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

/** The queue library's view of the database. It reads SQLSTATEs off the driver's own errors. */
export const bossDatabase = (statement: Statement) => ({
  executeSql: async (text: string, params?: Array<unknown>) => {
    try {
      return { rows: [...(await Effect.runPromise(forPurpose("jobs")(statement(text, params ?? []))))] }
    } catch (error) {
      throw error instanceof DatabaseError ? error.cause : error
    }
  }
})

/** The library's own installation can trip over another one that starts at the same moment: this one holds a lock meanwhile. */
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
 * Loads the queue library, brings its schema up to date and starts it. Any number of processes may do so at once.
 * Afterwards the library knows the queue, so that sending a job needs no statement except the insertion.
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
    // Its own bounds of a try would end one without honouring who asked for the job meanwhile: ours do all of it.
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

/** The values that the parts of the queue share. */
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

/** A call of the queue library; its exceptions become failures of the database. */
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

/** Brings the job queue's own schema up to date, as its first use would do otherwise. */
export const installJobQueue = Effect.gen(function* () {
  const { driver } = yield* Database
  const owner = yield* DatabaseOwner
  yield* Effect.tryPromise({
    try: async () => (await startBoss(owner, driver, {})).stop({ graceful: false }),
    catch: toDatabaseError
  })
})
