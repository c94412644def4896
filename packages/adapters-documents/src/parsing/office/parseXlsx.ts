import type { ParsedDocument } from "@parley/core/adapter"
import type { ParserLimits } from "../../ParserLimits.ts"
import { cleanText } from "../cleanText.ts"
import { headingMark, takeHeadings } from "../headingMarks.ts"
import { joinLines } from "../pdf/joinLines.ts"
import { archiveProblems, readArchive } from "./readArchive.ts"
import { readSheet, type SheetRow } from "./readSheet.ts"
import { sheetLines } from "./sheetText.ts"
import { readWorkbook } from "./workbook.ts"

const NOUN = "Excel workbook"

/**
 * Reads the sheets of a workbook that people see: a heading with the name of each, then its rows as they are shown, with
 * the names of their columns. Formulas count as the values they had when the workbook was saved.
 */
export const parseXlsx = (bytes: Uint8Array, limits: ParserLimits): ParsedDocument => {
  const archive = readArchive(bytes, limits, NOUN)
  const workbook = readWorkbook(archive)
  if (workbook === undefined) throw archiveProblems(NOUN).damaged()
  function* lines(): Generator<string> {
    for (const { name, part } of workbook!.sheets) {
      const rows: Array<SheetRow> = []
      readSheet(archive.read(part), workbook!, (row) => void rows.push(row))
      if (rows.length === 0) continue
      yield `${headingMark(1)}${name.replace(/\s+/gu, " ")}`
      yield ""
      yield* sheetLines(rows)
      yield ""
    }
  }
  return { ...takeHeadings(cleanText(joinLines(lines(), limits)).trim()), pageStarts: null }
}
