import { format } from "numfmt"
import { readXml } from "./readXml.ts"
import type { Workbook } from "./workbook.ts"

/**
 * The number formats that a workbook need not define (ECMA-376 part 1, 18.8.30), in English. Dates whose form depends
 * on the locale are in ISO 8601.
 */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  14: "yyyy-mm-dd",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
  37: "#,##0 ;(#,##0)",
  38: "#,##0 ;(#,##0)",
  39: "#,##0.00;(#,##0.00)",
  40: "#,##0.00;(#,##0.00)",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mmss.0",
  48: "##0.0E+0",
  49: "@"
}

/** The days between day 1 of the two date systems of workbooks, which begin in 1900 and in 1904. */
const DAYS_TO_1904 = 1462
const MAX_SHOWN = 255

/** Formats a number; if the format code cannot be read, returns the number as it is. */
const shown = (code: string, value: number): string => {
  try {
    const text = format(code, value).trim()
    return text === "" || text.length > MAX_SHOWN || /^#+$/u.test(text) ? String(value) : text
  } catch {
    return String(value)
  }
}

const isDate = (code: string): boolean => /[ymdhs]/iu.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]|general/giu, ""))

/** Formats a number with a number format of the workbook; `codes` are the formats that the workbook defines. */
export const formatCell = (
  value: number,
  formatId: number,
  { codes, from1904 }: { readonly codes: ReadonlyMap<number, string>; readonly from1904: boolean }
): string => {
  const code = codes.get(formatId) ?? BUILT_IN[formatId] ?? "General"
  return shown(code, from1904 && isDate(code) ? value + DAYS_TO_1904 : value)
}

/** Cells that are displayed as one: their column, counted from 0, and the numbers of the first and the last row. */
interface Merged {
  readonly column: number
  readonly first: number
  readonly last: number
}

/** Returns merged cells of a reference such as `A2:B5` if they cover several rows; otherwise undefined. */
const mergedRows = (reference: string): Merged | undefined => {
  const [, from = "", first = "", last = ""] = /^([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})$/u.exec(reference) ?? []
  const column = columnOf(from)
  return column === undefined || first === last ? undefined : { column, first: Number(first), last: Number(last) }
}

/** Adds to each row the content of the cells that extend into it from a row above. */
const withMerged = (rows: ReadonlyArray<SheetRow>, merged: ReadonlyArray<Merged>): ReadonlyArray<SheetRow> => {
  if (merged.length === 0) return rows
  const filled = rows.map(({ cells, number }) => ({ number, cells: new Map(cells) }))
  const places = new Map(filled.map(({ number }, place) => [number, place]))
  for (const { column, first, last } of merged) {
    const start = places.get(first)
    const content = start === undefined ? undefined : filled[start]?.cells.get(column)
    for (let place = (start ?? rows.length) + 1; content !== undefined && place < rows.length; place++) {
      const row = filled[place]
      if (row === undefined || row.number > last) break
      if (!row.cells.has(column)) row.cells.set(column, content)
    }
  }
  return filled.map(({ cells, number }) => ({
    number,
    cells: new Map([...cells].toSorted(([one], [other]) => one - other))
  }))
}

/** A row of a sheet: the displayed texts of its cells by column, counted from 0. */
export interface SheetRow {
  readonly number: number
  readonly cells: ReadonlyMap<number, string>
}

/** Returns the column of a cell reference such as `BC12`, counted from 0; undefined if the text is no reference. */
const columnOf = (reference: string): number | undefined => {
  const letters = /^([A-Z]{1,3})\d*$/u.exec(reference)?.[1]
  if (letters === undefined) return undefined
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

const shownAs = (type: string, style: number, value: string, workbook: Workbook): string => {
  if (value === "") return ""
  switch (type) {
    case "s":
      return workbook.strings[Number(value)] ?? ""
    case "b":
      return value === "1" ? "TRUE" : "FALSE"
    case "n": {
      const number = Number(value)
      return Number.isFinite(number) ? formatCell(number, workbook.formats[style] ?? 0, workbook) : value
    }
    default:
      return value
  }
}

/**
 * Returns the rows of a worksheet (ECMA-376 part 1, 18.3) that display something, in their order. A cell over several
 * rows has its content in each of them.
 */
export const readSheet = (bytes: Uint8Array | undefined, workbook: Workbook): ReadonlyArray<SheetRow> => {
  const rows: Array<SheetRow> = []
  const merged: Array<Merged> = []
  let number = 0
  let cells = new Map<number, string>()
  let column = -1
  let type = "n"
  let style = 0
  let value = ""
  let inValue = false
  readXml(bytes, {
    open: (name, attributes) => {
      if (name === "row") {
        number = Number(attributes["r"] ?? number + 1)
        cells = new Map()
        column = -1
      } else if (name === "c") {
        column = columnOf(attributes["r"] ?? "") ?? column + 1
        type = attributes["t"] ?? "n"
        style = Number(attributes["s"] ?? 0)
        value = ""
      } else if (name === "v" || name === "t") inValue = true
      else if (name === "mergeCell") {
        const cells = mergedRows(attributes["ref"] ?? "")
        if (cells !== undefined) merged.push(cells)
      }
    },
    close: (name) => {
      if (name === "v" || name === "t") inValue = false
      else if (name === "c") {
        const shown = shownAs(type, style, value, workbook)
        if (shown.trim() !== "") cells.set(column, shown)
      } else if (name === "row" && cells.size > 0) rows.push({ number, cells })
    },
    text: (text) => {
      if (inValue) value += text
    }
  })
  return withMerged(rows, merged)
}
