import { openStorageLayer, type StoragePort, storagePortsFromContext } from "@parley/core/effect"
import { Context, Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { ConnectionCheck } from "../database/server/ConnectionCheck.ts"
import { DatabaseOwner } from "../database/DatabaseOwner.ts"
import type { FolderInUse } from "../database/embedded/folderLock.ts"
import { type DatabaseOptions, databaseLayer } from "../databaseLayer.ts"
import type { JobQueueOptions } from "../jobs/JobQueueOptions.ts"
import { storesLayer } from "../storesLayer.ts"
import { ExpectedCell } from "./administration/ExpectedCell.ts"
import { seenBy } from "./administration/identifyCell.ts"
import { cellOf, Databases, type NamedDatabase, type OpenedCells } from "./Databases.ts"
import { Directory, type DirectoryOptions } from "./directory/Directory.ts"
import { type DirectorySql, directorySql } from "./directory/directorySql.ts"
import { moveSql } from "./directory/moveSql.ts"
import { splitSql } from "./directory/splitSql.ts"
import { byPresent } from "./moving/byPresent.ts"
import { openMoves } from "./moving/openMoves.ts"
import { listCells } from "./global/listCell.ts"
import { sharedRows } from "./global/sharedRows.ts"
import { cellMarks } from "./routing/cellMarks.ts"
import { routeStores } from "./routing/routeStores.ts"

export interface CellsOptions {
  /** The database of the directory and of all that people share: a cell, by its name, or a database of its own. */
  readonly global: string | DatabaseOptions
  /** The databases of people by the names of the cells: lower-case letters, digits and hyphens. */
  readonly cells: Readonly<Record<string, DatabaseOptions>>
  readonly directory?: DirectoryOptions | undefined
  readonly jobs?: JobQueueOptions | undefined
}

const isCellName = (name: string): boolean => name !== "global" && /^[a-z][a-z0-9-]{0,39}$/.test(name)

/** Throws a `TypeError` if the names cannot be used. */
export const checkCellNames = ({ cells, global }: CellsOptions): void => {
  const names = Object.keys(cells)
  const wrong = names.find((name) => !isCellName(name))
  if (names.length === 0) throw new TypeError("cells: expected one cell at least.")
  if (wrong !== undefined) throw new TypeError(`cells: "${wrong}" cannot be the name of a cell.`)
  if (typeof global === "string" && !names.includes(global))
    throw new TypeError(`global: no cell is named "${global}".`)
}

const portsOf = ({ services }: NamedDatabase) => Effect.provideContext(storagePortsFromContext, services)

type Cells = ReadonlyMap<string, NamedDatabase>

const cellsOf = (named: Cells) => new Map([...named].map(([name, cell]) => [name, cellOf(cell)]))

/** Opens a database with its own stores. */
const open = (name: string, database: DatabaseOptions, { global, jobs }: CellsOptions) => {
  const isGlobal = name === "global" || name === global
  const expected = new ExpectedCell(database.schema ?? "parley", name, { isGlobal })
  const stores = Layer.provideMerge(storesLayer(jobs), databaseLayer({ ...database, cell: name }))
  return Effect.map(
    Layer.build(Layer.fresh(Layer.provide(stores, Layer.succeed(ConnectionCheck, expected.check)))),
    (services): NamedDatabase => ({ name, services, expected })
  )
}

/** The directory of these cells, and those of them that it has at the moment. */
const openDirectory = (sql: DirectorySql, configured: Cells, own: NamedDatabase, caching?: DirectoryOptions) => {
  const directory: Directory = new Directory(sql, caching, {
    seen: Effect.suspend(() => seenBy(joined().values())),
    globalCell: configured.has(own.name) ? own.name : undefined,
    expect: (identity) => configured.get(identity.name)?.expected?.expect(identity)
  })
  const joined = (): Cells =>
    configured.size === 1 ? configured : new Map([...configured].filter(([name]) => directory.hasJoined(name)))
  return { directory, joined }
}

const makeCells = Effect.fnUntraced(function* (options: CellsOptions) {
  const { cells, global } = options
  const configured = new Map(
    yield* Effect.forEach(Object.entries(cells), ([name, database]) =>
      Effect.map(open(name, database, options), (opened) => [name, opened] as const)
    )
  )
  const own = typeof global === "string" ? configured.get(global) : yield* open("global", global, options)
  if (own === undefined) return yield* Effect.die(new Error("The global database is no cell."))
  const shared = Context.get(own.services, Database)
  const sql = directorySql(shared)
  const { directory, joined } = openDirectory(sql, configured, own, options.directory)
  const ports = new Map(
    yield* Effect.forEach([...configured.values()], (cell) =>
      Effect.map(portsOf(cell), (stores) => [cell.name, stores] as const)
    )
  )
  const globalPorts = ports.get(own.name) ?? (yield* portsOf(own))
  const allOf = (named: Cells) => [own, ...[...named.values()].filter((cell) => cell !== own)]
  const databases = new Map(allOf(configured).map(({ name, services }) => [name, Context.get(services, Database)]))
  const marks = cellMarks(cellsOf(configured))
  const routed = routeStores(ports, directory, globalPorts, sharedRows(shared, databases), marks)
  const openedMoves = openMoves(cellsOf(configured), moveSql(shared), splitSql(shared), directory.refresh, () =>
    cellsOf(joined())
  )
  const opened: OpenedCells = {
    configured,
    get byName() {
      return joined()
    },
    directory,
    sql,
    moves: byPresent(openedMoves, directory),
    mend: (names) => listCells(shared, databases, names)
  }
  const stores = yield* Layer.build(openStorageLayer(routed))
  return stores.pipe(
    Context.add(Database, shared),
    Context.add(DatabaseOwner, Context.get(own.services, DatabaseOwner)),
    Context.add(Databases, {
      global: own,
      get all() {
        return allOf(joined())
      },
      cells: opened
    })
  )
})

/**
 * Every storage port over several databases. `Database` and `DatabaseOwner` are those of the global database. Building
 * the layer reads and changes nothing.
 */
export const cellsLayer = (
  options: CellsOptions
): Layer.Layer<Database | DatabaseOwner | Databases | StoragePort, FolderInUse> => {
  checkCellNames(options)
  return Layer.effectContext(makeCells(options))
}

/** The stores of a single database, in the form of `cellsLayer`. */
export const oneDatabaseLayer = <E>(
  database: Layer.Layer<Database | DatabaseOwner, E>,
  jobs?: JobQueueOptions
): Layer.Layer<Database | DatabaseOwner | Databases | StoragePort, E> =>
  Layer.effect(
    Databases,
    Effect.map(Effect.context<Database | DatabaseOwner | StoragePort>(), (services) => {
      const only = { name: "global", services }
      return Databases.of({ global: only, all: [only], cells: undefined })
    })
  ).pipe(Layer.provideMerge(storesLayer(jobs)), Layer.provideMerge(database))
