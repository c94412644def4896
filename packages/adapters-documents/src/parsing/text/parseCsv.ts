import type { ParserLimits } from "../../ParserLimits.ts"
import { decodeText } from "./decodeText.ts"
import { joinLines } from "../pdf/joinLines.ts"
import { readCsv } from "./readCsv.ts"
import { tableLines } from "../tableLines.ts"

/** Reads a table of values apart by commas, semicolons, tabs or bars: a line for each row, with the names of its columns. */
export const parseCsv = (bytes: Uint8Array, limits: ParserLimits) => ({
  text: joinLines(tableLines(readCsv(decodeText(bytes)), "likely"), limits),
  pageStarts: null
})
