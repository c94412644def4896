import type { DatabaseOptions } from "@parley/adapters-db"
import { Redacted } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { databaseFolder } from "../dataFolder/databaseFolder.ts"

const valueOf = (secret: Redacted.Redacted | undefined): string | undefined =>
  secret === undefined ? undefined : Redacted.value(secret)

/** The database: a Postgres server, or the embedded one in the data folder, which is claimed before. */
export const databaseOptions = ({
  database,
  databasePoolMax,
  databaseSchema,
  dataFolder
}: ParleyConfig): DatabaseOptions =>
  database._tag === "Embedded"
    ? { schema: databaseSchema, dataDir: databaseFolder(dataFolder) }
    : {
        schema: databaseSchema,
        url: Redacted.value(database.url),
        directUrl: valueOf(database.directUrl),
        replicaUrl: valueOf(database.replicaUrl),
        maxConnections: databasePoolMax
      }

/** The global database and the cells by their names; undefined if all people are in one database. */
export const cellsOptions = (config: ParleyConfig) => {
  const { database, databasePoolMax, databaseSchema } = config
  if (database._tag === "Embedded" || database.cells === undefined) return undefined
  const cells = database.cells.map(({ directUrl, name, replicaUrl, url }): readonly [string, DatabaseOptions] => [
    name,
    {
      schema: databaseSchema,
      url: Redacted.value(url),
      directUrl: valueOf(directUrl),
      replicaUrl: valueOf(replicaUrl),
      maxConnections: databasePoolMax
    }
  ])
  return {
    global: database.cells.find(({ isGlobal }) => isGlobal)?.name ?? databaseOptions(config),
    cells: Object.fromEntries(cells)
  }
}
