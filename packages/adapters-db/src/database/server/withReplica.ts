import { LaggingReads } from "@parley/core/adapter"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { Database, type DatabaseError, type Row } from "../Database.ts"
import type { DatabaseOwner } from "../DatabaseOwner.ts"
import { type PgDatabaseOptions, PgDatabaseLayer } from "./PgDatabase.ts"
import { ReplicaLag } from "./ReplicaLag.ts"

/** The greatest age of a replica's rows, in milliseconds, at which the replica is still asked. */
export const MAX_LAG_MS = 5_000

const LOOK_EVERY_MS = 1_000

/** The longest wait for a connection to the replica. It is short because the primary server can answer instead. */
const CONNECT_MS = 2_000

type Rows<R extends Row> = Effect.Effect<ReadonlyArray<R>, DatabaseError>
type Service = Database["Service"]

/** The bytes of the log that the replica has replayed (PostgreSQL 17, 9.28.4); null if the server is no replica. */
const REPLAYED = `SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN
  pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_last_wal_replay_lsn(), '0/0')::float8 END AS position`
const WRITTEN = "SELECT pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), '0/0')::float8 AS position"

const positionOf = ({ statement }: Service, text: string): Effect.Effect<number | null, DatabaseError> =>
  Effect.map(statement<{ position: number | null }>(text), ([row]) => row?.position ?? null)

/** Compares the positions of both servers every second while the scope is open. */
const watchLag = Effect.fnUntraced(function* (primary: Service, replica: Service) {
  const lag = new ReplicaLag()
  let isReported = false
  const look = Effect.gen(function* () {
    const atMs = yield* Clock.currentTimeMillis
    lag.primaryAt(atMs, (yield* positionOf(primary, WRITTEN)) ?? Number.NaN)
    const replayed = yield* positionOf(replica, REPLAYED)
    if (replayed !== null) return lag.replayedTo(replayed)
    if (!isReported)
      yield* Effect.logWarning("The configured replica is no replica of a Postgres server; it is not asked.")
    isReported = true
  })
  // If a server does not answer, the age of the rows grows, and after a while only the primary server is asked.
  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(look), Schedule.spaced(LOOK_EVERY_MS)))
  return lag
})

/**
 * Sends statements within `mayLag` to the replica while its rows are fresh, and all others to the primary server.
 * Statements that fail on the replica are sent to the primary server.
 */
const reading = (primary: Service, replica: Service, lag: ReplicaLag): Service => {
  const asked = <R extends Row>(ask: (database: Service) => Rows<R>): Rows<R> =>
    Effect.gen(function* () {
      if (!(yield* LaggingReads) || (yield* primary.inTransaction)) return yield* ask(primary)
      if (lag.lagMs(yield* Clock.currentTimeMillis) > MAX_LAG_MS) return yield* ask(primary)
      return yield* Effect.catch(ask(replica), () => ask(primary))
    })
  return {
    ...primary,
    statement: (text, params) => asked((database) => database.statement(text, params)),
    statementAsUser: (userId, text, params) => asked((database) => database.statementAsUser(userId, text, params))
  }
}

/**
 * A Postgres server with a replica that streams its log. Only statements within `mayLag` are sent to the replica, outside
 * transactions, and only while its rows are at most five seconds old.
 */
export const PgDatabaseWithReplicaLayer = (
  options: PgDatabaseOptions,
  replicaUrl: string
): Layer.Layer<Database | DatabaseOwner> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const context = yield* Layer.build(PgDatabaseLayer(options))
      const copy = yield* Layer.build(
        PgDatabaseLayer({ ...options, pool: undefined, url: replicaUrl, connectTimeoutMs: CONNECT_MS })
      )
      const [primary, replica] = [Context.get(context, Database), Context.get(copy, Database)]
      const lag = yield* watchLag(primary, replica)
      return Context.add(context, Database, reading(primary, replica, lag))
    })
  )
