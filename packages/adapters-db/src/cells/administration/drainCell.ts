import { Effect } from "effect"
import { Databases } from "../Databases.ts"
import { CellNotOpen } from "../directory/directorySql.ts"
import { onCell } from "./onCell.ts"

/**
 * Has a cell take no more buckets and owners. Its people stay. `onBegin` runs before the change. Returns what the directory
 * has in the cell.
 */
export const drainCell = Effect.fnUntraced(function* <E, R>(
  name: string,
  { dryRun, onBegin }: { readonly dryRun: boolean; readonly onBegin: Effect.Effect<void, E, R> }
) {
  const { cells, global } = yield* Databases
  const known = cells === undefined ? [] : yield* onCell(global, cells.sql.list)
  const cell = known.find((each) => each.name === name)
  if (cells === undefined || cell === undefined) return yield* new CellNotOpen({ cell: name })
  if (dryRun || cell.state === "draining") return cell
  yield* onBegin
  yield* onCell(global, cells.sql.setState(name, "draining"))
  return cell
})
