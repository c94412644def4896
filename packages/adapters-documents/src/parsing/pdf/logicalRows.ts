import type { Cells, Piece } from "./page.ts"
import { isAcross, isFigure } from "./tableSigns.ts"

/** The longest distance between two lines of one cell, in letter heights. */
const NEXT_LINE = 1.5
/**
 * Lines at a distance of less than this many letter heights would overlap in one cell, so they are cells of one row.
 */
const OVERLAP = 0.8
/** Base lines that differ by less than this many letter heights count as one. */
const SAME_BASE = 0.5

type Row = ReadonlyArray<ReadonlyArray<Piece>>

interface PlacedPiece {
  readonly piece: Piece
  readonly column: number
}

const hasFigure = (cell: ReadonlyArray<Piece>): boolean => cell.some(({ text }) => isFigure(text))

const withPieces = (pieces: ReadonlyArray<PlacedPiece>, columns: number): Row => {
  const row: Array<Array<Piece>> = Array.from({ length: columns }, () => [])
  for (const { column, piece } of pieces) row[column]!.push(piece)
  return row
}

const highest = (row: Row): number => row.flat().reduce((top, { base }) => Math.max(top, base), -Infinity)
const lowest = (row: Row): number => row.flat().reduce((bottom, { base }) => Math.min(bottom, base), Infinity)

/** Returns the pieces in the order of the file, each with its column. */
const inFileOrder = (cells: Cells): ReadonlyArray<PlacedPiece> => {
  const pieces = cells.flatMap((row) => row.flatMap((cell, column) => cell.map((piece) => ({ piece, column }))))
  return pieces.toSorted((one, other) => one.piece.order - other.piece.order)
}

/** True if the file writes rows from the last column to the first one. */
const isBackwards = (cells: Cells): boolean => {
  let steps = 0
  for (const row of cells) {
    const filled = row.filter((cell) => cell.length > 0)
    for (let at = 1; at < filled.length; at++) steps += Math.sign(filled[at]![0]!.order - filled[at - 1]![0]!.order)
  }
  return steps < 0
}

/**
 * Splits the pieces into groups. A new group begins if the file goes back to an earlier column, or up within a column.
 */
const groupsOf = (
  pieces: ReadonlyArray<PlacedPiece>,
  backwards: boolean
): ReadonlyArray<ReadonlyArray<PlacedPiece>> => {
  const groups: Array<Array<PlacedPiece>> = []
  let previous: PlacedPiece | undefined
  for (const next of pieces) {
    const step = previous === undefined ? -1 : (next.column - previous.column) * (backwards ? -1 : 1)
    const isUp = previous !== undefined && next.piece.base > previous.piece.base + SAME_BASE * next.piece.height
    if (step < 0 || (step === 0 && isUp)) groups.push([next])
    else groups.at(-1)!.push(next)
    previous = next
  }
  return groups
}

/**
 * Splits off those pieces of the first cell that stand above all other cells: each becomes a row of its own before the
 * rest.
 */
const withLabels = (row: Row): ReadonlyArray<Row> => {
  const [first = [], ...others] = row
  const top = highest(others)
  const isLabel = ({ base, height }: Piece) => base > top + SAME_BASE * height
  const labels = first.filter(isLabel)
  if (labels.length === 0) return [row]
  const empty = others.map(() => [])
  const rest = first.filter((piece) => !isLabel(piece))
  const isRest = rest.length > 0 || top > -Infinity
  return [...labels.map((label) => [[label], ...empty]), ...(isRest ? [[rest, ...others]] : [])]
}

/**
 * Returns the rows of a table as the file writes them: each from its first cell to its last one, and the lines of a
 * cell one after another. Undefined if the file writes the table differently.
 */
export const writtenRows = (cells: Cells): Cells | undefined => {
  if (!isAcross(cells)) return undefined
  const columns = cells[0]?.length ?? 0
  const rows = groupsOf(inFileOrder(cells), isBackwards(cells)).map((group) => withPieces(group, columns))
  // By this method, a small table that is written column by column has fewer than two rows, or several figures in one
  // cell.
  const isByColumns =
    rows.length < 2 || rows.some((row) => row.some((cell) => cell.filter(({ text }) => isFigure(text)).length > 1))
  return isByColumns ? undefined : rows.flatMap(withLabels).toSorted((one, other) => highest(other) - highest(one))
}

/** A line of at least this share of the widest line of its column may continue in the next line. */
const FULL_LINE = 0.7

const widthOf = (cell: ReadonlyArray<Piece>): number => {
  const last = cell.at(-1)
  return last === undefined ? 0 : last.right - last.left
}

const widest = (rows: Cells): ReadonlyArray<number> => {
  const widths: Array<number> = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))
  return widths
}

/**
 * True if the cells of a row can only continue the cells above: they contain words, none is in the first column, and
 * each is below other words.
 */
const isRest = (row: Row, above: Row): boolean =>
  row[0]!.length === 0 &&
  row.every((cell, column) => cell.length === 0 || (above[column]!.length > 0 && !hasFigure(cell)))

/**
 * True if a line above has no room for more words. If the lines above are short, the cells are a row without a first
 * cell.
 */
const isFull = (row: Row, above: Row, widths: ReadonlyArray<number>): boolean =>
  row.some((cell, column) => cell.length > 0 && widthOf(above[column]!) >= FULL_LINE * (widths[column] ?? 0))

/** Joins rows of a table if the lower one contains further lines of the cells above. */
export const logicalRows = (rows: Cells): Cells => {
  const table: Array<Array<Array<Piece>>> = []
  const widths = widest(rows)
  let bottom = Infinity
  for (const row of rows) {
    const above = table.at(-1)
    const way = bottom - highest(row)
    const height = row.flat()[0]?.height ?? 0
    bottom = lowest(row)
    const continues = (upper: Row) => {
      if (way <= OVERLAP * height) return true
      if (way > NEXT_LINE * height || !isRest(row, upper)) return false
      const isAlone = row.filter((cell) => cell.length > 0).length === 1
      return isAlone || table.length === 1 || isFull(row, upper, widths)
    }
    if (above !== undefined && continues(above)) {
      for (const [column, cell] of row.entries()) above[column]!.push(...cell)
    } else table.push(row.map((cell) => [...cell]))
  }
  return table
}
