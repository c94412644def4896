import { readSheet, type SheetRow } from "./readSheet.ts"
import { tableLines } from "../tableLines.ts"
import type { ParsedDocument } from "@parley/core/adapter"
import type { ParserLimits } from "../../ParserLimits.ts"
import { cleanText } from "../cleanText.ts"
import { headingMark, takeHeadings } from "../headingMarks.ts"
import { joinLines } from "../pdf/joinLines.ts"
import { archiveProblems, readArchive } from "./readArchive.ts"
import { readWorkbook } from "./workbook.ts"

/**
 * The most columns with names. In a table with more used columns, rows are written without names, so that the text of a
 * sparse sheet stays small.
 */
const MAX_COLUMNS = 512

/** Splits rows at empty rows, which separate tables. */
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

/** Returns the lines of a sheet: tables with the names of their columns, and the lines above them. */
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

const NOUN = "Excel workbook"

/**
 * Reads the visible sheets of a workbook: a heading with the name of each sheet, then its rows as they are displayed,
 * with the names of their columns. Formulas have the values that were stored when the workbook was saved.
 */
export const parseXlsx = (bytes: Uint8Array, limits: ParserLimits): ParsedDocument => {
  const archive = readArchive(bytes, limits, NOUN)
  const workbook = readWorkbook(archive)
  if (workbook === undefined) throw archiveProblems(NOUN).damaged()
  function* lines(): Generator<string> {
    for (const { name, part } of workbook!.sheets) {
      const rows = readSheet(archive.read(part), workbook!)
      if (rows.length === 0) continue
      yield `${headingMark(1)}${name.replace(/\s+/gu, " ")}`
      yield ""
      yield* sheetLines(rows)
      yield ""
    }
  }
  return { ...takeHeadings(cleanText(joinLines(lines(), limits)).trim()), pageStarts: null }
}
