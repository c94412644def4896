import { Effect, Layer } from "effect"
import type { CallersPool } from "./database/server/CallersPool.ts"
import type { Database } from "./database/Database.ts"
import type { DatabaseOwner } from "./database/DatabaseOwner.ts"
import { type FolderInUse, lockFolder } from "./database/embedded/folderLock.ts"
import { PgDatabaseLayer } from "./database/server/PgDatabase.ts"
import { PgDatabaseWithReplicaLayer } from "./database/server/withReplica.ts"
import { PgliteDatabaseLayer } from "./database/embedded/PgliteDatabase.ts"
import type { PgliteThread } from "./database/embedded/PgliteThread.ts"

/** The place of the data. Without `url`, `pool` and `dataDir` it is the memory of this process. */
export interface DatabaseOptions {
  /** A Postgres server's connection string, also one of a transaction-pooling pgbouncer. Wins over `dataDir`. */
  readonly url?: string | undefined
  /**
   * A pool of the caller's, in place of `url`; it stays open. Changes of the schema also use it, unless `directUrl` is
   * given.
   */
  readonly pool?: CallersPool | undefined
  /** The same server past the pooler, for migrations; `url` unless given. */
  readonly directUrl?: string | undefined
  /**
   * A replica of the server of `url` or `pool`, which streams its log. Reports and histories may then be up to five
   * seconds old; everything else is asked of the server itself, and so are these if the replica lags or does not answer.
   */
  readonly replicaUrl?: string | undefined
  /** The folder of the embedded database. One process at a time: it is locked while open. */
  readonly dataDir?: string | undefined
  /** The embedded database, if `openEngine` is opening it already; then the caller closes it. */
  readonly engine?: PgliteThread | undefined
  /** The schema all tables live in; `parley` unless given. */
  readonly schema?: string | undefined
  /** Connections to a server at most; 10 unless given. */
  readonly maxConnections?: number | undefined
  /** The name of the cell in metrics, if the server is one of several cells. */
  readonly cell?: string | undefined
  /** Called when a connection to a server is lost. For logs; it is replaced automatically. */
  readonly onConnectionLost?: ((error: Error) => void) | undefined
}

/**
 * The database itself, as a layer: a Postgres server, or the embedded database. Its folder is the caller's to lock with
 * `lockFolder`, before and for as long.
 */
export const unlockedDatabaseLayer = (options: DatabaseOptions): Layer.Layer<Database | DatabaseOwner> => {
  const { url, pool, dataDir, engine, replicaUrl, schema } = options
  if (url !== undefined && pool !== undefined) throw new TypeError("Give `url` or `pool`, not both.")
  const isServer = url !== undefined || pool !== undefined
  if (!isServer) return PgliteDatabaseLayer({ dataDir, engine, schema })
  return replicaUrl === undefined ? PgDatabaseLayer(options) : PgDatabaseWithReplicaLayer(options, replicaUrl)
}

/** The same, with the folder of an embedded database locked while it is open. */
export const databaseLayer = (options: DatabaseOptions): Layer.Layer<Database | DatabaseOwner, FolderInUse> => {
  const { url, pool, dataDir } = options
  const database = unlockedDatabaseLayer(options)
  if (url !== undefined || pool !== undefined || dataDir === undefined) return database
  return Layer.provide(database, Layer.effectDiscard(lockFolder(dataDir)))
}

/** The options for a change of the schema: past the pooler if an address is configured. */
export const directOptions = (options: DatabaseOptions): DatabaseOptions => ({
  ...options,
  url: options.directUrl ?? options.url,
  pool: options.directUrl === undefined ? options.pool : undefined,
  replicaUrl: undefined,
  maxConnections: 2
})

/** Runs work on the database of `options`, opened for it alone. */
export const withDatabase = <A, E>(
  options: DatabaseOptions,
  work: Effect.Effect<A, E, Database | DatabaseOwner>
): Effect.Effect<A, E | FolderInUse> => Effect.provide(work, databaseLayer(directOptions(options)))
