import type { BlockWriter } from "../BlockWriter.ts"
import { dropMarks } from "../headingMarks.ts"
import { tableLines } from "../tableLines.ts"

interface Cell {
  readonly text: string
  readonly heads: boolean
  /** The number of columns that the cell covers. */
  readonly columns: number
  /** The number of rows below its own that the cell still covers. */
  rowsLeft: number
}

interface Row {
  readonly cells: Array<Cell>
  /** The width of the row in columns. */
  width: number
}

interface OpenTable {
  readonly rows: Array<Row>
  /** The cells that extend into rows below, by the column in which they begin. */
  readonly covered: Map<number, Cell>
  /** True if the table contains tables or headings: it then lays out a page, and has no rows of values. */
  layout: boolean
  /** The number of places that cells may still cover in addition to their own place. */
  room: number
}

/**
 * The most columns or rows that one cell may cover, and the most places that all cells of a table may cover in addition
 * to their own.
 */
const MAX_SPAN = 50
const MAX_COVERED = 100_000

const spanOf = (value: string | undefined): number =>
  Math.min(MAX_SPAN, Math.max(1, Number.parseInt(value ?? "1", 10) || 1))

/** The tables that are open while a page is read, the innermost last. */
export class HtmlTables {
  readonly #open: Array<OpenTable> = []

  get inTable(): boolean {
    return this.#open.length > 0
  }

  begin(): void {
    this.isLayout()
    this.#open.push({ rows: [], covered: new Map(), layout: false, room: MAX_COVERED })
  }

  /** Marks the innermost table as a layout of the page, not a table of values. */
  isLayout(): void {
    const table = this.#open.at(-1)
    if (table !== undefined) table.layout = true
  }

  beginRow(): void {
    const table = this.#open.at(-1)
    if (table === undefined) return
    cover(table)
    table.rows.push({ cells: [], width: 0 })
  }

  addCell(text: string, name: string, attributes: Readonly<Record<string, string>>): void {
    const table = this.#open.at(-1)
    if (table === undefined) return
    if (table.rows.length === 0) this.beginRow()
    cover(table)
    const row = table.rows.at(-1)!
    const [columns, rows] = this.#spans(table, attributes)
    const cell = { text, heads: name === "th", columns, rowsLeft: rows - 1 }
    if (cell.rowsLeft > 0) table.covered.set(row.width, cell)
    add(row, cell)
  }

  #spans(table: OpenTable, attributes: Readonly<Record<string, string>>): readonly [columns: number, rows: number] {
    const columns = spanOf(attributes["colspan"])
    const rows = spanOf(attributes["rowspan"])
    table.room -= columns * rows - 1
    return table.room < 0 ? [1, 1] : [columns, rows]
  }

  /**
   * Closes the innermost table and writes it: as rows of values or, if it lays out a page, as the content of its cells.
   */
  end(writer: BlockWriter): void {
    const table = this.#open.pop()
    if (table === undefined) return
    cover(table)
    writer.apart(2)
    if (table.layout || table.rows.every(({ cells }) => cells.length < 2)) {
      for (const { text } of new Set(table.rows.flatMap(({ cells }) => cells))) {
        if (text.trim() === "") continue
        writer.copy(text)
        writer.apart(2)
      }
      return
    }
    const first = table.rows[0]?.cells ?? []
    const named = first.length > 1 && first.every(({ heads, text }, column) => heads || (column === 0 && text === ""))
    for (const line of tableLines(table.rows.map(valuesOf), named ? "yes" : "unknown")) {
      writer.copy(line)
      writer.apart(1)
    }
    writer.apart(2)
  }
}

const add = (row: Row, cell: Cell): void => {
  row.cells.push(cell)
  row.width += cell.columns
}

/** Adds to the last row, from its current column on, the cells of earlier rows that extend into it. */
const cover = ({ covered, rows }: OpenTable): void => {
  const row = rows.at(-1)
  if (row === undefined) return
  for (let above = covered.get(row.width); above !== undefined; above = covered.get(row.width)) {
    above.rowsLeft -= 1
    if (above.rowsLeft <= 0) covered.delete(row.width)
    add(row, above)
  }
}

/**
 * Returns the text for each column of a row. A header cell that covers several columns is the name of each; the text of
 * any other cell is only in its first column.
 */
const valuesOf = ({ cells }: Row): ReadonlyArray<string> =>
  cells.flatMap(({ columns, heads, text }) => {
    const value = dropMarks(text)
    return [value, ...Array.from({ length: columns - 1 }, () => (heads ? value : ""))]
  })
