import { Effect } from "effect"
import type { PgBoss } from "pg-boss"
import { DatabaseError } from "../database/Database.ts"
import type { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { forPurpose } from "../database/limits.ts"
import { toDatabaseError } from "../database/toDatabaseError.ts"

/** The queue of document jobs. One job per document waits or runs at a time: its policy is held by a unique index. */
export const DOCUMENTS_QUEUE = "documents"

export interface JobQueueOptions {
  /** How often a job is tried at most; 3 unless given. */
  readonly tries?: number | undefined
  /** Seconds until the second try, doubled for each further one; 5 unless given. 0 tries again at once. */
  readonly retryDelaySeconds?: number | undefined
  /** How many jobs one process works on at a time; 2 unless given. */
  readonly concurrency?: number | undefined
  /** Seconds between looks for jobs enqueued by other processes, 0.5 or more; 1 unless given. */
  readonly pollingIntervalSeconds?: number | undefined
  /** A try may take this many seconds; 900 unless given. */
  readonly expireInSeconds?: number | undefined
  /** Seconds between the queue library's own looks at its tables; 20 unless given. */
  readonly superviseIntervalSeconds?: number | undefined
  /** Milliseconds a running try may still take once its worker stops; 10,000 unless given. */
  readonly stopTimeoutMs?: number | undefined
  /** Called when a background statement of the queue fails, for example while the database is away. For logs. */
  readonly onError?: ((error: Error) => void) | undefined
}

/** What a try may take, in seconds, unless given. */
export const DEFAULT_EXPIRE_SECONDS = 900

/** The library's own bounds of a try stand behind ours, which honour what was asked for meanwhile. */
const HEARTBEAT_SECONDS = 60
const EXPIRE_MARGIN_SECONDS = 60

const queueOptions = (options: JobQueueOptions) => {
  const { tries = 3, retryDelaySeconds = 5, expireInSeconds = DEFAULT_EXPIRE_SECONDS } = options
  return {
    retryLimit: tries - 1,
    retryDelay: retryDelaySeconds,
    retryBackoff: retryDelaySeconds > 0,
    expireInSeconds: expireInSeconds + EXPIRE_MARGIN_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    deleteAfterSeconds: 24 * 60 * 60
  }
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
 * Once given, the queue is known to it, so that sending needs no look at the database beyond the insertion.
 */
export const startBoss = async (
  owner: DatabaseOwner["Service"],
  driver: "pg" | "pglite",
  options: JobQueueOptions
): Promise<PgBoss> => {
  const { PgBoss } = await import("pg-boss")
  const boss = new PgBoss({
    db: bossDatabase(owner.execute),
    backend: driver === "pg" ? "postgres" : "pglite",
    schema: `"${owner.schemaName}_boss"`,
    schedule: false,
    monitorVacuum: driver === "pg",
    superviseIntervalSeconds: options.superviseIntervalSeconds ?? 20,
    monitorIntervalSeconds: options.superviseIntervalSeconds ?? 20
  })
  boss.on("error", (error) => options.onError?.(error))
  const begin = async () => {
    await boss.start()
    await boss.createQueue(DOCUMENTS_QUEUE, { policy: "exclusive", ...queueOptions(options) })
    await boss.updateQueue(DOCUMENTS_QUEUE, queueOptions(options))
    await boss.findJobs(DOCUMENTS_QUEUE, { id: "00000000-0000-0000-0000-000000000000" })
  }
  try {
    await (driver === "pg" ? oneAtATime(owner, begin) : begin())
    return boss
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined)
    throw error
  }
}
