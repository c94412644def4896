import type { SheetRow } from "./readSheet.ts"
import { tableLines } from "../tableLines.ts"

/** With more columns that are used, rows are lines without names, so that a sparse sheet stays small. */
const MAX_COLUMNS = 512

/** Rows that follow one another; an empty row between two tables parts them. */
const blocksOf = (rows: ReadonlyArray<SheetRow>): ReadonlyArray<ReadonlyArray<SheetRow>> => {
  const blocks: Array<Array<SheetRow>> = []
  let last: SheetRow | undefined
  for (const row of rows) {
    if (last !== undefined && row.number === last.number + 1) blocks.at(-1)!.push(row)
    else blocks.push([row])
    last = row
  }
  return blocks
}

const linesOf = (rows: ReadonlyArray<SheetRow>): Iterable<string> => {
  const used = [...new Set(rows.flatMap(({ cells }) => [...cells.keys()]))].toSorted((one, other) => one - other)
  const dense = used.length <= MAX_COLUMNS
  return tableLines(
    rows.map(({ cells }) => (dense ? used.map((column) => cells.get(column) ?? "") : [...cells.values()])),
    dense ? "likely" : "unknown"
  )
}

/** The lines of a sheet: tables with the names of their columns, and what stands above them. */
export function* sheetLines(rows: ReadonlyArray<SheetRow>): Generator<string> {
  let first = true
  for (const block of blocksOf(rows)) {
    if (!first) yield ""
    first = false
    const table = block.findIndex(({ cells }) => cells.size > 1)
    const above = table === -1 ? block : block.slice(0, table)
    for (const { cells } of above) yield [...cells.values()].join("\t").replace(/\s+/gu, " ")
    if (table !== -1) yield* linesOf(block.slice(table))
  }
}
