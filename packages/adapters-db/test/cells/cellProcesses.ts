import { Effect, type Scope } from "effect"
import { type OpenCells, openCells, type OpenCellsOptions } from "../../src/cells/openCells.ts"
import { migratedPostgres } from "../databases.ts"

const NAMES = ["a", "b", "c", "d"] as const

export type CellUrls = Readonly<Record<(typeof NAMES)[number], string>>

const ALL = Array.from({ length: 4096 }, (_, bucket) => bucket)

/** Four databases, of which the first one is also the global database. */
export const fourDatabases: Effect.Effect<CellUrls, never, Scope.Scope> = Effect.all({
  a: migratedPostgres,
  b: migratedPostgres,
  c: migratedPostgres,
  d: migratedPostgres
})

/** A process over four cells. */
export const cellProcess = (
  urls: CellUrls,
  maxConnections: number,
  clock: OpenCellsOptions["clock"]
): Effect.Effect<OpenCells, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      openCells({
        global: "a",
        cells: Object.fromEntries(NAMES.map((name) => [name, { url: urls[name], maxConnections }])),
        clock
      })
    ),
    (stores) => Effect.promise(() => stores.close())
  )

/** Gives each cell every fourth bucket, or one of them all. */
export const giveBuckets = (stores: OpenCells, only?: keyof CellUrls): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (const [at, name] of NAMES.entries()) {
      const own = only === undefined ? ALL.filter((bucket) => bucket % NAMES.length === at) : ALL
      if (only === undefined || only === name) await stores.assign(name, own)
    }
  })
