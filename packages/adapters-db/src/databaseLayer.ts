import { Effect, Layer } from "effect"
import type { Database } from "./database/Database.ts"
import type { DatabaseOwner } from "./database/DatabaseOwner.ts"
import { type FolderInUse, lockFolder } from "./database/folderLock.ts"
import { PgDatabaseLayer } from "./database/PgDatabase.ts"
import { PgliteDatabaseLayer } from "./database/PgliteDatabase.ts"

/** Where the data is. With neither `url` nor `dataDir`, in the memory of this process. */
export interface DatabaseOptions {
  /** A Postgres server's connection string, also one of a transaction-pooling pgbouncer. Wins over `dataDir`. */
  readonly url?: string | undefined
  /** The same server past the pooler, for migrations; `url` unless given. */
  readonly directUrl?: string | undefined
  /** The folder of the embedded database. One process at a time: it is locked while open. */
  readonly dataDir?: string | undefined
  /** The schema all tables live in; `parley` unless given. */
  readonly schema?: string | undefined
  /** Connections to a server at most; 10 unless given. */
  readonly maxConnections?: number | undefined
  /** Called when a connection to a server is lost. For logs; it is replaced by itself. */
  readonly onConnectionLost?: ((error: Error) => void) | undefined
}

/** The database itself, as a layer: a Postgres server, or the embedded database. */
export const databaseLayer = (options: DatabaseOptions): Layer.Layer<Database | DatabaseOwner, FolderInUse> => {
  const { url, dataDir, schema } = options
  if (url !== undefined) return PgDatabaseLayer({ ...options, url })
  const embedded = PgliteDatabaseLayer({ dataDir, schema })
  return dataDir === undefined ? embedded : Layer.provide(embedded, Layer.effectDiscard(lockFolder(dataDir)))
}

/** The same for what changes the schema: past the pooler where there is a way. */
export const directDatabaseLayer = (options: DatabaseOptions) =>
  databaseLayer({ ...options, url: options.directUrl ?? options.url, maxConnections: 2 })

/** Runs work on the database of `options`, opened for it alone. */
export const withDatabase = <A, E>(
  options: DatabaseOptions,
  work: Effect.Effect<A, E, Database | DatabaseOwner>
): Effect.Effect<A, E | FolderInUse> => Effect.provide(work, directDatabaseLayer(options))
