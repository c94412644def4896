import { tableLines } from "../tableLines.ts"
import { columnsOf, isDense, isProse, placedIn } from "./columns.ts"
import { type Cells, type Column, LEADERS, type PageLine, type PageRow, type Piece } from "./page.ts"
import { logicalRows, writtenRows } from "./logicalRows.ts"
import { holdsTable, isAcross } from "./tableSigns.ts"

/** The lines that replace a group of pieces. */
export interface Layout {
  readonly lines: ReadonlyArray<PageLine>
}

/** An empty vertical strip of a page. */
interface Strip {
  readonly left: number
  readonly right: number
}

/** Consecutive rows that all leave the same vertical strips between their pieces empty. */
interface Region {
  readonly rows: Array<PageRow>
  strips: ReadonlyArray<Strip>
}

/** Pieces whose base lines differ by less than this many letter heights are in one row. */
const SAME_ROW = 0.5
/** In letter heights: the narrowest strip between columns, and the longest distance between two rows of a region. */
const LEAST_GUTTER = 0.6
const LONGEST_WAY = 3
/** The letter heights of two consecutive rows of a region differ by at most this factor. */
const SAME_SIZE = 1.4
const LEAST_ROWS = 3
/** The most columns of a table. */
const MOST_COLUMNS = 100

/** Returns the rows of a page from top to bottom. */
const rowsOf = (pieces: ReadonlyArray<Piece>): ReadonlyArray<PageRow> => {
  const rows: Array<{ base: number; height: number; pieces: Array<Piece> }> = []
  for (const piece of pieces.toSorted((one, other) => other.base - one.base)) {
    const row = rows.at(-1)
    if (row !== undefined && row.base - piece.base < SAME_ROW * Math.max(row.height, piece.height)) {
      row.pieces.push(piece)
      row.height = Math.max(row.height, piece.height)
    } else rows.push({ base: piece.base, height: piece.height, pieces: [piece] })
  }
  for (const row of rows) row.pieces.sort((one, other) => one.left - other.left || one.order - other.order)
  return rows
}

/** Returns the vertical strips of a row that no piece covers; the first and the last extend to infinity. */
const freeStrips = ({ pieces }: PageRow): ReadonlyArray<Strip> => {
  const strips: Array<Strip> = []
  let left = -Infinity
  for (const piece of pieces) {
    if (piece.left > left) strips.push({ left, right: piece.left })
    left = Math.max(left, piece.right)
  }
  strips.push({ left, right: Infinity })
  return strips
}

/** Returns the common parts of two lists of strips, from left to right, that are at least `least` wide. */
const common = (some: ReadonlyArray<Strip>, others: ReadonlyArray<Strip>, least: number): ReadonlyArray<Strip> => {
  const both: Array<Strip> = []
  let at = 0
  for (const strip of some) {
    while (at < others.length && others[at]!.right <= strip.left) at++
    for (let next = at; next < others.length && others[next]!.left < strip.right; next++) {
      const left = Math.max(strip.left, others[next]!.left)
      const right = Math.min(strip.right, others[next]!.right)
      if (right - left >= least) both.push({ left, right })
    }
  }
  return both
}

/** Returns groups of consecutive rows that leave common strips empty. */
const regionsOf = (rows: ReadonlyArray<PageRow>): ReadonlyArray<Region> => {
  const regions: Array<Region> = []
  let open: Region | undefined
  for (const row of rows) {
    const last = open?.rows.at(-1)
    const least = LEAST_GUTTER * row.height
    if (row.pieces.length > MOST_COLUMNS || row.pieces.some(({ text }) => LEADERS.test(text))) {
      open = undefined
      continue
    }
    const free = freeStrips(row)
    if (open !== undefined && last !== undefined && belongTogether(last, row)) {
      const strips = common(open.strips, free, least)
      // Rows of few pieces that are far apart would produce more and more strips; no table has so many columns.
      if (strips.length > 0 && strips.length <= 2 * MOST_COLUMNS) {
        open.rows.push(row)
        open.strips = strips
        continue
      }
    }
    const strips = free.slice(1, -1).filter(({ left, right }) => right - left >= least)
    open = strips.length === 0 ? undefined : { rows: [row], strips }
    if (open !== undefined) regions.push(open)
  }
  return regions
}

const belongTogether = (above: PageRow, below: PageRow): boolean =>
  above.base - below.base <= LONGEST_WAY * Math.max(above.height, below.height) &&
  Math.max(above.height, below.height) <= SAME_SIZE * Math.min(above.height, below.height)

/**
 * Returns the rows of a region without the last rows that have nothing right of the first strip, such as the text below
 * a table.
 */
const trimmed = ({ rows, strips }: Region): ReadonlyArray<PageRow> => {
  const begins = strips[0]?.left ?? 0
  const last = rows.findLastIndex(({ pieces }) => pieces.at(-1)!.left > begins)
  return rows.slice(0, last + 1)
}

/**
 * Finds the pieces whose order on the page differs from their order in the file: tables, each row of which becomes a
 * line, and columns of prose that the file writes across. Its time grows with the number of pieces like that of
 * sorting.
 */
export const layoutOf = (pieces: ReadonlyArray<Piece>): ReadonlyMap<Piece, Layout> => {
  const found = new Map<Piece, Layout>()
  const upright = pieces.filter(({ isUpright }) => isUpright)
  for (const region of regionsOf(rowsOf(upright))) {
    const rows = trimmed(region)
    const layout = rows.length < LEAST_ROWS ? undefined : regionLayout(rows)
    if (layout !== undefined) for (const piece of rows.flatMap((row) => row.pieces)) found.set(piece, layout)
  }
  return found
}

const regionLayout = (rows: ReadonlyArray<PageRow>): Layout | undefined => {
  const columns = columnsOf(rows)
  if (columns.length < 2) return undefined
  const cells = rows.map((row) => placedIn(columns, row))
  if (isProse(columns)) return isAcross(cells) && isDense(columns) ? { lines: columnLines(columns) } : undefined
  const written = writtenRows(cells)
  if (!holdsTable(cells, columns, written !== undefined)) return undefined
  return { lines: tableOf(logicalRows(written ?? cells), rows[0]!.height) }
}

const columnLines = (columns: ReadonlyArray<Column>): ReadonlyArray<PageLine> =>
  columns.flatMap(({ pieces }, place) => [
    ...(place === 0 ? [] : [{ text: "", height: 0 }]),
    ...pieces.map(({ height, text }) => ({ text, height }))
  ])

const RIGHT_TO_LEFT = /[\p{sc=Arabic}\p{sc=Hebrew}]/u

const isRightToLeft = (cells: Cells): boolean => {
  const texts = cells.flat(2).filter(({ text }) => /\p{L}/u.test(text))
  return texts.filter(({ text }) => RIGHT_TO_LEFT.test(text)).length * 2 > texts.length
}

/** Scripts that are written without spaces. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}、。]$/u
const UNSPACED_START = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}、。]/u

const cellText = (pieces: ReadonlyArray<Piece>): string =>
  pieces
    .map(({ text }, place) => {
      const isJoined = UNSPACED_START.test(text) && UNSPACED.test(pieces[place - 1]?.text ?? "")
      return place === 0 || isJoined ? text : ` ${text}`
    })
    .join("")

/** Returns the pieces of a cell line by line; the pieces of each line run from right to left. */
const fromRight = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> =>
  rowsOf(pieces).flatMap((row) => row.pieces.toReversed())

const tableOf = (cells: Cells, height: number): ReadonlyArray<PageLine> => {
  const backwards = isRightToLeft(cells)
  const texts = cells.map((row) => row.map((cell) => cellText(backwards ? fromRight(cell) : cell)))
  const lines = tableLines(backwards ? texts.map((row) => row.toReversed()) : texts, "unknown")
  return Array.from(lines, (text) => ({ text, height, isRow: true }))
}
