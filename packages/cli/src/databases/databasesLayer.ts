import {
  cellsLayer,
  type Database,
  type DatabaseOptions,
  type DatabaseOwner,
  type Databases,
  directOptions,
  oneDatabaseLayer,
  unlockedDatabaseLayer
} from "@parley/adapters-db"
import type { PgliteThread } from "@parley/adapters-db/embedded"
import type { StoragePort } from "@parley/core/effect"
import { Layer, Record } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { cellsOptions, databaseOptions } from "./databaseOptions.ts"

interface DatabasesOptions {
  /** Past the pooler. */
  readonly direct?: boolean
  /** An embedded engine that is open already. */
  readonly engine?: PgliteThread | undefined
  readonly onConnectionLost: (error: Error) => void
  readonly onError: (error: Error) => void
}

/** Every store: over the one database, or over the global database and the cells. Building it reads nothing. */
export const databasesLayer = (
  config: ParleyConfig,
  { direct = false, engine, onConnectionLost, onError }: DatabasesOptions
): Layer.Layer<Database | DatabaseOwner | Databases | StoragePort> => {
  const opened = (options: DatabaseOptions): DatabaseOptions => ({
    ...(direct ? directOptions(options) : options),
    onConnectionLost
  })
  const cells = cellsOptions(config)
  if (cells === undefined)
    return oneDatabaseLayer(unlockedDatabaseLayer({ ...opened(databaseOptions(config)), engine }), { onError })
  const { global } = cells
  // Only folders of embedded databases can be in use by others, and no cell is one.
  return Layer.orDie(
    cellsLayer({
      global: typeof global === "string" ? global : opened(global),
      cells: Record.map(cells.cells, opened),
      jobs: { onError }
    })
  )
}
