import { type Embedder, loggerLayer, type Objects, ObjectStore, PassageEmbedder } from "@parley/core/adapter"
import type { ParleyLogger, StoragePorts } from "@parley/core"
import { storagePortsFromContext } from "@parley/core/effect"
import { Effect, Layer, ManagedRuntime } from "effect"
import { checkAlone } from "./cells/administration/identifyCell.ts"
import { LedgerClock } from "./credits/LedgerClock.ts"
import { type DatabaseOptions, databaseLayer, withDatabase } from "./databaseLayer.ts"
import { ExactSearchPassages, MAX_EXACT_SEARCH } from "./documents/searching/ExactSearchPassages.ts"
import { installJobQueue } from "./jobs/startBoss.ts"
import type { JobQueueOptions } from "./jobs/JobQueueOptions.ts"
import { migrate } from "./migrations/migrate.ts"
import { checkReadiness } from "./readiness.ts"
import { storesLayer } from "./storesLayer.ts"

export interface OpenDatabaseOptions extends DatabaseOptions {
  /** False leaves the schema as it is: run `migrateDatabase` before. */
  readonly migrate?: boolean | undefined
  readonly jobs?: JobQueueOptions | undefined
  /** The object store for the bytes of documents; without it they are stored in the database. */
  readonly objects?: Objects | undefined
  /** Embeds passages and questions, so that a search also compares meaning; none unless given. */
  readonly embedder?: Embedder["Service"] | undefined
  /**
   * The most passages of the named documents for which a search by meaning compares all of them; 20,000 unless given.
   * If they have more, an approximate index chooses, if an operator made one (`parley vectors index`).
   */
  readonly exactSearchPassages?: number | undefined
  /**
   * The clock of holds and periods: the database's unless given, or the caller's, for tests and demonstrations that
   * move the time (`clock` of `createParley`).
   */
  readonly clock?: "database" | "caller" | undefined
  /**
   * Receives the log of opening the database, as that of `createParley` receives the rest; the console unless given.
   */
  readonly logger?: ParleyLogger | false | undefined
}

const exactSearch = (passages: number | undefined): Layer.Layer<never> => {
  if (passages === undefined) return Layer.empty
  if (!Number.isInteger(passages) || passages < 0 || passages > MAX_EXACT_SEARCH) {
    throw new TypeError(`exactSearchPassages: expected a whole number from 0 to ${MAX_EXACT_SEARCH}.`)
  }
  return Layer.succeed(ExactSearchPassages, passages)
}

/** A database behind the core's ports, ready to be handed to `createParley`. */
export interface OpenDatabase extends StoragePorts {
  /**
   * Rejects with `DatabaseNotReady` if the database does not answer soon, its disk is full, or its schema is older than
   * the program.
   */
  checkReadiness(): Promise<void>
  /** Closes connections and releases the data folder. Before that, close everything that uses the ports. */
  close(): Promise<void>
}

/**
 * Brings the schema of `options` and the job queue's schema up to date; returns the ids of the applied migrations. Any
 * number of processes may do so at once. Rejects with `MigrationRefused`, `DatabaseError` or `FolderInUse`.
 */
export const migrateDatabase = (options: DatabaseOptions): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    withDatabase(
      options,
      Effect.tap(migrate(), () => installJobQueue)
    )
  )

/** The log, and the parts that stores take besides the database. */
export const openingLayer = (options: Omit<OpenDatabaseOptions, keyof DatabaseOptions>): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.succeed(LedgerClock, options.clock ?? "database"),
    Layer.succeed(ObjectStore, options.objects),
    Layer.succeed(PassageEmbedder, options.embedder),
    exactSearch(options.exactSearchPassages),
    options.logger === undefined ? Layer.empty : loggerLayer(options.logger)
  )

/** True if changes of the schema go to another address than the rest. */
export const migratesDirectly = ({ directUrl, pool, url }: DatabaseOptions): boolean =>
  directUrl !== undefined && (url ?? pool) !== undefined

/**
 * Opens a database for developers who use promises: migrates it by default, and returns the ports. Rejects with
 * `FolderInUse`, `PgliteMissing`, `DatabaseError` or `MigrationRefused`, and leaves nothing open then; with `CellRefused`
 * if it migrates and the database is one of several cells, which `openCells` opens.
 */
export const openDatabase = async (options: OpenDatabaseOptions = {}): Promise<OpenDatabase> => {
  const direct = migratesDirectly(options)
  if (options.migrate !== false && direct) await migrateDatabase(options)
  const runtime = ManagedRuntime.make(
    Layer.provideMerge(storesLayer(options.jobs), databaseLayer(options)).pipe(
      Layer.provideMerge(openingLayer(options))
    )
  )
  try {
    if (options.migrate !== false) await runtime.runPromise(direct ? checkAlone : Effect.andThen(migrate(), checkAlone))
    return {
      ...(await runtime.runPromise(storagePortsFromContext)),
      checkReadiness: () => runtime.runPromise(checkReadiness()),
      close: () => runtime.dispose()
    }
  } catch (error) {
    await runtime.dispose()
    throw error
  }
}
