import { Effect } from "effect"
import { pendingMigrations } from "../../migrations/migrate.ts"
import { Databases, type NamedDatabase, type OpenedCells } from "../Databases.ts"
import { CellRefused } from "./cellErrors.ts"
import { checkCell, nameCell, refusalOf } from "./identifyCell.ts"
import { onCell } from "./onCell.ts"

/** The cell of a name; fails if the configuration has none. */
export const configuredCell = (
  { configured }: OpenedCells,
  name: string
): Effect.Effect<NamedDatabase, CellRefused> => {
  const cell = configured.get(name)
  return cell === undefined
    ? Effect.fail(new CellRefused({ problem: "not-configured", cell: name, names: [...configured.keys()] }))
    : Effect.succeed(cell)
}

/**
 * Registers a configured cell, which then takes buckets and owners; a draining cell takes them again. With `dryRun` it
 * only checks. Returns the state before: undefined if the cell is new.
 */
export const addCell = Effect.fnUntraced(function* (name: string, { dryRun }: { readonly dryRun: boolean }) {
  const { cells, global } = yield* Databases
  if (cells === undefined) return undefined
  const cell = yield* configuredCell(cells, name)
  const pending = yield* onCell(cell, Effect.mapError(pendingMigrations(), refusalOf))
  if (pending.length > 0) return yield* new CellRefused({ problem: "not-migrated", cell: name, names: [...pending] })
  yield* onCell(cell, checkCell(cell))
  const known = (yield* onCell(global, cells.sql.list)).find((each) => each.name === name)
  if (dryRun) return known?.state
  yield* onCell(global, cells.sql.setState(name, "open"))
  yield* onCell(cell, nameCell(cell))
  return known?.state
})
