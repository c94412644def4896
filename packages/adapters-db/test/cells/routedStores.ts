import type { StoragePorts } from "@parley/core"
import { openStorageLayer, storagePortsFromContext } from "@parley/core/effect"
import { Context, Effect, Layer } from "effect"
import { Directory, type DirectoryOptions } from "../../src/cells/directory/Directory.ts"
import { directorySql } from "../../src/cells/directory/directorySql.ts"
import { moveSql } from "../../src/cells/directory/moveSql.ts"
import type { CellMarks } from "../../src/cells/routing/cellMarks.ts"
import { routeStores } from "../../src/cells/routing/routeStores.ts"
import { sharedRows } from "../../src/cells/global/sharedRows.ts"
import { Database } from "../../src/database/Database.ts"
import type { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { storesLayer } from "../../src/storesLayer.ts"

/** The databases under routed stores, for a look past them. */
export class CellDatabases extends Context.Service<
  CellDatabases,
  { readonly databases: ReadonlyArray<Database["Service"]>; readonly directory: Directory }
>()("CellDatabases") {}

const stores = storesLayer({ pollingIntervalSeconds: 0.5 })

/** Opens all stores on a database of their own. */
const openCell = (database: Layer.Layer<Database | DatabaseOwner>) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.fresh(Layer.provideMerge(stores, database)))
    return {
      database: Context.get(context, Database),
      ports: yield* Effect.provideContext(storagePortsFromContext, context)
    }
  })

/** Gives buckets to a cell in the directory alone: its owners, if there are any, stay where they are. */
export const give = (database: Database["Service"], cell: string, buckets: ReadonlyArray<number>) => {
  const sql = moveSql(database)
  return Effect.flatMap(sql.buckets(buckets), (places) => sql.replaceBuckets(places, () => cell))
}

/** Gives each cell every n-th bucket. */
const spread = (database: Database["Service"], names: ReadonlyArray<string>) =>
  Effect.forEach(names, (name, index) => {
    const buckets = Array.from({ length: 4096 }, (_, bucket) => bucket).filter((at) => at % names.length === index)
    return give(database, name, buckets)
  })

/** All stores over `count` cells, of which the first one is also the global database. */
export const routedStores = (count: number, database: Layer.Layer<Database | DatabaseOwner>) =>
  routedOver(Array.from({ length: count }, () => database))

/** All stores over a cell on each of the databases, of which the first one is also the global database. */
export const routedOver = (
  layers: ReadonlyArray<Layer.Layer<Database | DatabaseOwner>>,
  { marks, ...options }: DirectoryOptions & { readonly marks?: CellMarks } = {}
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const names = layers.map((_, index) => `cell-${index + 1}`)
      const cells = yield* Effect.forEach(layers, openCell)
      const [first] = cells
      if (first === undefined) throw new Error("no cells")
      const sql = directorySql(first.database)
      yield* sql.register(names)
      yield* spread(first.database, names)
      const directory = new Directory(sql, options)
      yield* directory.refresh
      const ports = new Map<string, StoragePorts>(
        names.flatMap((name, at) => {
          const cell = cells[at]
          return cell === undefined ? [] : [[name, cell.ports] as const]
        })
      )
      const databases = cells.map((cell) => cell.database)
      const byName = new Map(databases.map((database, at) => [names[at] ?? "", database]))
      return Layer.merge(
        openStorageLayer(routeStores(ports, directory, first.ports, sharedRows(first.database, byName), marks)),
        Layer.succeed(CellDatabases, { databases, directory })
      )
    })
  )

/** Runs a statement in every cell. `{{schema}}` is the schema's name. */
export const inEachCell = (text: string, values: ReadonlyArray<unknown>) =>
  CellDatabases.use(({ databases }) =>
    Effect.forEach(databases, ({ schema, statement }) => statement(text.replaceAll("{{schema}}", schema), values), {
      discard: true
    })
  )
