import { storagePortsFromContext } from "@parley/core/effect"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { DatabaseOptions } from "../databaseLayer.ts"
import type { DatabaseError } from "../database/Database.ts"
import { migrate } from "../migrations/migrate.ts"
import {
  migrateDatabase,
  migratesDirectly,
  type OpenDatabase,
  type OpenDatabaseOptions,
  openingLayer
} from "../openDatabase.ts"
import { absentCells } from "./administration/absentCells.ts"
import { beginDirectory } from "./administration/beginDirectory.ts"
import { fenceCell } from "./administration/fenceCell.ts"
import { checkCell, checkConfigured, nameCell } from "./administration/identifyCell.ts"
import { leftAlone } from "./administration/leftAlone.ts"
import { type CellsOptions, cellsLayer, checkCellNames } from "./cellsLayer.ts"
import { configuredDatabases, Databases, inDatabase, type NamedDatabase } from "./Databases.ts"
import type { Moves } from "./moving/openMoves.ts"
import type { Listed } from "./global/listCell.ts"

/** The databases, and the options of `openDatabase` that all of them share. */
export interface OpenCellsOptions extends Omit<OpenDatabaseOptions, keyof DatabaseOptions>, CellsOptions {}

/** Several databases behind the core's ports, ready to be handed to `createParley`. */
export interface OpenCells extends OpenDatabase, Moves {
  /** The names of the cells that do not answer, or are not ready otherwise. Rejects as `checkReadiness` does. */
  absentCells(): Promise<ReadonlyArray<string>>
  /**
   * Adds references of payments and public keys of bots that the directory does not have, for example because a process
   * opened a cell by itself. Returns the additions by cell; the first opening of a cell does the same.
   */
  mendDirectory(): Promise<ReadonlyMap<string, Listed>>
}

/** Registers the cells that the directory does not have yet. Returns the databases to use: without those that are left alone. */
const registerCells = Effect.gen(function* () {
  const databases = yield* Databases
  const { cells } = databases
  const used: Array<NamedDatabase> = []
  for (const database of configuredDatabases(databases)) {
    const alone = yield* leftAlone(database)
    if (alone === undefined) used.push(database)
    else yield* Effect.annotateLogs(Effect.logWarning(alone.message), { cell: database.name })
  }
  yield* cells?.sql.register(used.flatMap(({ name }) => (cells.configured.has(name) ? [name] : []))) ?? Effect.void
  return used
})

/**
 * Brings the schemas and the directory up to date, the global database first, and checks that each database is the cell of
 * its name. Without migrations, cells that do not answer are not checked: their connections are, when they answer.
 */
const prepare = ({ cells: configured, global: options, migrate: migrates = true }: OpenCellsOptions) =>
  Effect.gen(function* () {
    const { global } = yield* Databases
    const bringUpToDate = (database: NamedDatabase) => {
      const own = configured[database.name] ?? (typeof options === "string" ? {} : options)
      if (!migrates) return Effect.void
      return migratesDirectly(own)
        ? Effect.tryPromise({ try: () => migrateDatabase(own), catch: (error) => error as DatabaseError })
        : inDatabase(database, migrate())
    }
    yield* bringUpToDate(global)
    yield* beginDirectory
    yield* checkConfigured
    const used = yield* registerCells
    yield* checkConfigured
    for (const database of used) {
      if (!migrates) {
        yield* Effect.catchTag(nameCell(database), "DatabaseError", () => Effect.void)
        continue
      }
      yield* checkCell(database)
      if (database !== global) yield* bringUpToDate(database)
      yield* nameCell(database)
      yield* fenceCell(database)
    }
  })

/**
 * Opens several databases as one, for developers who use promises. Each person's rows are in one of them, the person's
 * cell. If the directory is empty, all people are in the cell that is also the global database, or else in the first one.
 * Rejects as `openDatabase` does, and with `CellRefused`; with `migrate: false` also cells that do not answer at the moment
 * are opened.
 */
export const openCells = async (options: OpenCellsOptions): Promise<OpenCells> => {
  checkCellNames(options)
  const runtime = ManagedRuntime.make(Layer.provideMerge(cellsLayer(options), openingLayer(options)))
  const run = <A, E>(effect: Effect.Effect<A, E>) => runtime.runPromise(effect)
  try {
    const { cells } = await runtime.runPromise(Databases)
    if (cells === undefined) throw new Error("There are no cells.")
    await runtime.runPromise(prepare(options))
    await run(cells.mend())
    return {
      ...(await runtime.runPromise(storagePortsFromContext)),
      ...cells.moves,
      mendDirectory: () => run(cells.mend([...cells.byName.keys()])),
      absentCells: () => runtime.runPromise(absentCells()),
      checkReadiness: async () => void (await runtime.runPromise(absentCells())),
      close: () => runtime.dispose()
    }
  } catch (error) {
    await runtime.dispose()
    throw error
  }
}
