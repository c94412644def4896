import { formatCell } from "./cellFormat.ts"
import { readXml } from "./readXml.ts"
import type { Workbook } from "./workbook.ts"

/** A row of a sheet: what its cells show, by column, from 0. */
export interface SheetRow {
  readonly number: number
  readonly cells: ReadonlyMap<number, string>
}

/** The column of a reference such as `BC12`, from 0; undefined where there is none. */
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

/** The rows of a worksheet (ECMA-376 part 1, 18.3) that show something, in order; `onRow` gets one after the other. */
export const readSheet = (bytes: Uint8Array | undefined, workbook: Workbook, onRow: (row: SheetRow) => void): void => {
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
    },
    close: (name) => {
      if (name === "v" || name === "t") inValue = false
      else if (name === "c") {
        const shown = shownAs(type, style, value, workbook)
        if (shown.trim() !== "") cells.set(column, shown)
      } else if (name === "row" && cells.size > 0) onRow({ number, cells })
    },
    text: (text) => {
      if (inValue) value += text
    }
  })
}
