import { type DatabaseOptions } from "../databaseLayer.ts"
import { Database } from "../database/Database.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"
import { DatabaseNotReady } from "../readiness.ts"
import { type OpenDatabase, type OpenDatabaseOptions, openWithDatabase, type Opened } from "../openDatabase.ts"
import { Effect } from "effect"
import { Directory, type DirectoryOptions } from "./directory/Directory.ts"
import { directorySql } from "./directory/directorySql.ts"
import { moveSql } from "./directory/moveSql.ts"
import { enableFence } from "./moving/fence.ts"
import { type Moves, openMoves } from "./moving/openMoves.ts"
import type { Cell } from "./moving/ownerTables.ts"
import { cellMarks } from "./routing/cellMarks.ts"
import { routeStores } from "./routing/routeStores.ts"
import { type Listed, listCells } from "./shared/listCell.ts"
import { sharedRows } from "./shared/sharedRows.ts"

export interface OpenCellsOptions extends Omit<OpenDatabaseOptions, keyof DatabaseOptions> {
  /** The database of the directory and of all that people share: a cell, by its name, or a database of its own. */
  readonly global: string | DatabaseOptions
  /** The databases of people by the names of the cells: lower-case letters, digits and hyphens. */
  readonly cells: Readonly<Record<string, DatabaseOptions>>
  readonly directory?: DirectoryOptions | undefined
}

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

const checkNames = (names: ReadonlyArray<string>, { global }: OpenCellsOptions): void => {
  const wrong = names.find((name) => name === "global" || !/^[a-z][a-z0-9-]{0,39}$/.test(name))
  if (names.length === 0) throw new TypeError("cells: expected one cell at least.")
  if (wrong !== undefined) throw new TypeError(`cells: "${wrong}" cannot be the name of a cell.`)
  if (typeof global === "string" && !names.includes(global))
    throw new TypeError(`global: no cell is named "${global}".`)
}

/** Ready while the directory and one cell answer. */
const absentOf = async (global: Opened, cells: ReadonlyMap<string, Opened>): Promise<ReadonlyArray<string>> => {
  const states = await Promise.allSettled([...cells.values()].map((cell) => cell.stores.checkReadiness()))
  const names = [...cells.keys()].filter((_, index) => states[index]?.status === "rejected")
  await global.stores.checkReadiness()
  const [first] = states
  if (names.length < cells.size || first?.status !== "rejected") return names
  const { problem } = first.reason as Partial<DatabaseNotReady>
  throw new DatabaseNotReady({
    problem: problem ?? "unreachable",
    explanation: `No cell is ready: ${names.join(", ")}.`,
    cause: first.reason
  })
}

/** Opens the global database first: a change of the schema reaches the cells after it. */
const openAll = async (options: OpenCellsOptions) => {
  const { cells, directory: _directory, global, ...shared } = options
  const opened = new Map<string, Opened>()
  const open = async (name: string, database: DatabaseOptions) => {
    const made = await openWithDatabase({ ...shared, ...database })
    opened.set(name, made)
    return made
  }
  try {
    const [name, first] = typeof global === "string" ? [global, cells[global] ?? {}] : ["global", global]
    const globalDatabase = await open(name, first)
    for (const [cell, database] of Object.entries(cells)) if (!opened.has(cell)) await open(cell, database)
    const names = Object.keys(cells)
    const ofCells = new Map(names.flatMap((cell) => (opened.has(cell) ? [[cell, opened.get(cell) as Opened]] : [])))
    return { global: globalDatabase, cells: ofCells, all: opened }
  } catch (error) {
    await Promise.all([...opened.values()].map(({ stores }) => stores.close()))
    throw error
  }
}

/** The cells as moves need them, each with its fence unless the schema is to stay as it is. */
const fencedCells = async (opened: ReadonlyMap<string, Opened>, migrate: boolean) => {
  const cells = new Map<string, Cell>()
  for (const [id, { run }] of opened) {
    const cell = { id, ...(await run(Effect.all({ database: Database, owner: DatabaseOwner }))) }
    cells.set(id, cell)
    if (migrate && opened.size > 1) await run(enableFence(cell))
  }
  return cells
}

/**
 * Opens several databases as one, for developers who use promises. Each person's rows are in one of them, the person's
 * cell. If the directory is empty, all people are in the cell that is named first. Rejects as `openDatabase` does; with
 * `migrate: false` also cells that do not answer at the moment are opened.
 */
export const openCells = async (options: OpenCellsOptions): Promise<OpenCells> => {
  const names = Object.keys(options.cells)
  checkNames(names, options)
  const { all, cells, global } = await openAll(options)
  const close = async () => {
    await Promise.all([...all.values()].map(({ stores }) => stores.close()))
  }
  try {
    const globalDatabase = await global.run(Database)
    const sql = directorySql(globalDatabase)
    const directory = new Directory(sql, options.directory)
    await Effect.runPromise(sql.register(names))
    const fenced = await fencedCells(cells, options.migrate !== false)
    const stores = new Map([...cells].map(([name, cell]) => [name, cell.stores]))
    const databases = new Map<string, Database["Service"]>()
    for (const [name, opened] of all) databases.set(name, await opened.run(Database))
    await Effect.runPromise(listCells(globalDatabase, databases))
    return {
      ...routeStores(stores, directory, global.stores, sharedRows(globalDatabase, databases), cellMarks(fenced)),
      ...openMoves(fenced, moveSql(globalDatabase), directory.refresh),
      mendDirectory: () => Effect.runPromise(listCells(globalDatabase, databases, names)),
      absentCells: () => absentOf(global, cells),
      checkReadiness: async () => void (await absentOf(global, cells)),
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}
