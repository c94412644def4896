import type { Cells, Column, PageRow, Piece } from "./page.ts"

/** The share of the rows that may cross the strip between two columns, as a cell over several columns does. */
const MAY_CROSS = 0.25
const LEAST_GUTTER = 0.6

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

/**
 * Returns the horizontal ranges of a page that more than `allowed` pieces cover. Ranges with a narrow space between
 * them are joined.
 */
const coveredStretches = (pieces: ReadonlyArray<Piece>, allowed: number, narrow: number) => {
  const edges = pieces
    .flatMap(({ left, right }) => [
      { at: left, change: 1 },
      { at: Math.max(left, right), change: -1 }
    ])
    .toSorted((one, other) => one.at - other.at || other.change - one.change)
  const stretches: Array<{ left: number; right: number }> = []
  let covering = 0
  for (const { at, change } of edges) {
    covering += change
    if (change === 1 && covering === allowed + 1) {
      const last = stretches.at(-1)
      if (last === undefined || at - last.right >= narrow) stretches.push({ left: at, right: at })
    } else if (change === -1 && covering === allowed) stretches.at(-1)!.right = at
  }
  return stretches
}

/** Finds the columns of rows by the vertical strips that most rows leave empty. */
export const columnsOf = (rows: ReadonlyArray<PageRow>): ReadonlyArray<Column> => {
  const several = rows.filter(({ pieces }) => pieces.length > 1)
  const narrow = LEAST_GUTTER * median(rows.map(({ height }) => height))
  const stretches = coveredStretches(
    several.flatMap(({ pieces }) => pieces),
    Math.floor(several.length * MAY_CROSS),
    narrow
  )
  const pieces: Array<Array<Piece>> = stretches.map(() => [])
  for (const piece of rows.flatMap((row) => row.pieces)) pieces[columnAt(stretches, piece)]?.push(piece)
  return stretches.map((stretch, column) => ({ ...stretch, pieces: pieces[column]! }))
}

/**
 * Returns the column of a piece: the first column that overlaps it by at least half of the column or of the piece,
 * otherwise the nearest one.
 */
const columnAt = (columns: ReadonlyArray<{ left: number; right: number }>, { left, right }: Piece): number => {
  let low = 0
  let high = columns.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (columns[middle]!.right < left) low = middle + 1
    else high = middle
  }
  const before = columns[low - 1]
  const covers = (column: { left: number; right: number } | undefined) => {
    if (column === undefined) return 0
    const both = Math.min(right, column.right) - Math.max(left, column.left)
    return both / Math.max(0.001, Math.min(right - left, column.right - column.left))
  }
  if (covers(columns[low]) >= 0.5) return low
  if (covers(columns[low + 1]) > Math.max(0, covers(columns[low]))) return low + 1
  if (covers(columns[low]) > 0 || before === undefined) return low
  const middle = (left + right) / 2
  return middle - before.right < columns[low]!.left - middle ? low - 1 : low
}

/** Returns the pieces of a row by column. */
export const placedIn = (columns: ReadonlyArray<Column>, { pieces }: PageRow): Cells[number] => {
  const cells: Array<Array<Piece>> = columns.map(() => [])
  for (const piece of pieces) cells[columnAt(columns, piece)]!.push(piece)
  return cells
}

/**
 * Lines of prose are at least this many letter heights long, and fill at least this share of the width of their column.
 */
const PROSE = { length: 12, fill: 0.7 } as const
/**
 * Columns with at least this many lines, which fill at least this share of their width, are prose even if the file
 * writes them line by line across all columns.
 */
const DENSE = { lines: 8, fill: 0.9 } as const

const fillOf = ({ left, pieces, right }: Column): number =>
  median(pieces.map((piece) => piece.right - piece.left)) / Math.max(0.001, right - left)

/** True if each column consists of long lines that fill its width. */
export const isProse = (columns: ReadonlyArray<Column>): boolean =>
  columns.every((column) => {
    const { pieces } = column
    const length = median(pieces.map(({ height, left, right }) => (right - left) / Math.max(0.001, height)))
    return pieces.length > 1 && length >= PROSE.length && fillOf(column) >= PROSE.fill
  })

/** True if each column has too many lines of too even length to be the cells of a table. */
export const isDense = (columns: ReadonlyArray<Column>): boolean =>
  columns.every((column) => column.pieces.length >= DENSE.lines && fillOf(column) >= DENSE.fill)
