import { Effect, Option } from "effect"
import { Database } from "../../database/Database.ts"
import { pendingMigrations } from "../../migrations/migrate.ts"
import { Databases, type NamedDatabase, type OpenedCells } from "../Databases.ts"
import { CellRefused } from "./cellErrors.ts"
import { onCell } from "./onCell.ts"

/** The cell of a name; fails if the configuration has none. */
export const configuredCell = ({ byName }: OpenedCells, name: string): Effect.Effect<NamedDatabase, CellRefused> => {
  const cell = byName.get(name)
  return cell === undefined
    ? Effect.fail(new CellRefused({ problem: "not-configured", cell: name, names: [...byName.keys()] }))
    : Effect.succeed(cell)
}

/** True if both are one schema of one database: a lock that one of them holds is taken for the other. */
const isSame = (one: NamedDatabase, other: NamedDatabase) => {
  const key = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)
  const taken = Effect.flatMap(Database, ({ asService, schema }) =>
    asService((sql) =>
      Effect.map(sql.query<{ free: boolean }>("SELECT pg_try_advisory_xact_lock($1::bigint) AS free", [key]), ([row]) =>
        row?.free === false ? schema : undefined
      )
    )
  )
  const held = Effect.flatMap(Database, ({ asService, schema }) =>
    asService((sql) =>
      Effect.gen(function* () {
        yield* sql.query("SELECT pg_advisory_xact_lock($1::bigint)", [key])
        return (yield* onCell(other, taken)) === schema
      })
    )
  )
  return onCell(one, held)
}

/** Checks that a cell is migrated, and a database of its own. Other cells that do not answer are not compared. */
const checkCell = Effect.fnUntraced(function* (cell: NamedDatabase, all: ReadonlyArray<NamedDatabase>) {
  const pending = yield* onCell(cell, pendingMigrations())
  if (pending.length > 0)
    return yield* new CellRefused({ problem: "not-migrated", cell: cell.name, names: [...pending] })
  for (const other of all) {
    if (other === cell) continue
    const same = Option.getOrElse(yield* Effect.option(isSame(cell, other)), () => false)
    if (same) return yield* new CellRefused({ problem: "same-database", cell: cell.name, names: [other.name] })
  }
})

/**
 * Registers a configured cell, which then takes buckets and owners; a draining cell takes them again. With `dryRun` it
 * only checks. Returns the state before: undefined if the cell is new.
 */
export const addCell = Effect.fnUntraced(function* (name: string, { dryRun }: { readonly dryRun: boolean }) {
  const { all, cells, global } = yield* Databases
  if (cells === undefined) return undefined
  yield* checkCell(yield* configuredCell(cells, name), all)
  const known = (yield* onCell(global, cells.sql.list)).find((cell) => cell.name === name)
  if (!dryRun) yield* onCell(global, cells.sql.setState(name, "open"))
  return known?.state
})
