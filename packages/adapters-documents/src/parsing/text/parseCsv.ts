import type { ParserLimits } from "../../ParserLimits.ts"
import { decodeText } from "./decodeText.ts"
import { joinLines } from "../pdf/joinLines.ts"
import { tableLines } from "../tableLines.ts"

const DELIMITERS = [",", ";", "\t", "|"] as const
/** The UTF-16 units at the beginning of the text in which the delimiter is searched. */
const SAMPLE_LENGTH = 64 * 1024
/** The longest quoted cell. If a closing quote is farther away, the opening quote counts as never closed. */
const MAX_QUOTED = 64 * 1024

/** Counts the occurrences of a delimiter in a line, except those inside quotes. */
const countIn = (line: string, delimiter: string): number => line.replace(/"[^"]*"/gu, "").split(delimiter).length - 1

/**
 * Returns the delimiter that most lines have, and have equally often. A first line such as `sep=;` names it, as in
 * Excel.
 */
const delimiterOf = (text: string): string => {
  const lines = text
    .slice(0, SAMPLE_LENGTH)
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, 100)
  let best = { delimiter: ",", score: 0 }
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => countIn(line, delimiter))
    const usual = counts.toSorted((one, other) => one - other)[Math.floor(counts.length / 2)] ?? 0
    const alike = counts.filter((count) => count === usual && count > 0).length
    const score = alike / Math.max(1, lines.length) + Math.min(usual, 20) / 1000
    if (alike > 0 && score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

/** Returns the position of the closing quote of a quoted cell whose content begins at `start`. */
const closingQuote = (text: string, start: number): number | undefined => {
  let at = text.indexOf('"', start)
  while (at !== -1 && at - start <= MAX_QUOTED) {
    if (text[at + 1] !== '"') return at
    at = text.indexOf('"', at + 2)
  }
  return undefined
}

/** Returns the end of a cell without quotes: the next delimiter or line end. */
const cellEnd = (text: string, start: number, delimiter: string): number => {
  let at = start
  while (at < text.length && text[at] !== delimiter && text[at] !== "\n") at++
  return at
}

/**
 * Returns the rows of a table. It reads RFC 4180 and more: any of four delimiters, rows of different lengths, and
 * quotes that are never closed. Text after a closing quote belongs to the cell. Its time is linear in the length of the
 * text.
 */
export const readCsv = (whole: string): ReadonlyArray<ReadonlyArray<string>> => {
  const named = /^sep=(.)\n/u.exec(whole)
  const text = named === null ? whole : whole.slice(named[0].length)
  const delimiter = named?.[1] ?? delimiterOf(text)
  const rows: Array<Array<string>> = []
  let row: Array<string> = []
  let at = 0
  while (at < text.length) {
    const close = text[at] === '"' ? closingQuote(text, at + 1) : undefined
    const quoted = close === undefined ? "" : text.slice(at + 1, close).replaceAll('""', '"')
    const from = close === undefined ? at : close + 1
    const end = cellEnd(text, from, delimiter)
    row.push(quoted + text.slice(from, end))
    at = end + 1
    if (text[end] === delimiter && at < text.length) continue
    if (text[end] === delimiter) row.push("")
    rows.push(row)
    row = []
  }
  return rows
}

/**
 * Reads a table whose values are separated by commas, semicolons, tabs or bars. Each row becomes a line with the names
 * of its columns.
 */
export const parseCsv = (bytes: Uint8Array, limits: ParserLimits) => ({
  text: joinLines(tableLines(readCsv(decodeText(bytes)), "likely"), limits),
  pageStarts: null
})
