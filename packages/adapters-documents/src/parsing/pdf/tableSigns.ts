import { isProse } from "./columns.ts"
import type { Cells, Column, Piece } from "./page.ts"

/**
 * The greatest distance, in the order of the file, between two cells that the file writes one after another; a cell may
 * have several lines.
 */
const NEXT_CELL = 4

/**
 * The share of neighbouring cells that the file must write one after another. It is below 1, because the file does not
 * continue from the first of two tables side by side to the second.
 */
const MOST_PAIRS = 0.75

/** True if the file writes most rows from column to column, and not one column after another. */
export const isAcross = (cells: Cells): boolean => {
  let pairs = 0
  let across = 0
  for (const row of cells) {
    const filled = row.filter((cell) => cell.length > 0)
    for (let at = 1; at < filled.length; at++) {
      pairs += 1
      // The distance may be negative, because a right-to-left script may be written from the last column.
      if (Math.abs(filled[at]![0]!.order - filled[at - 1]!.at(-1)!.order) <= NEXT_CELL) across += 1
    }
  }
  return across >= MOST_PAIRS * pairs
}

/** Matches a number with its sign, currency or unit. */
const FIGURE = /^[-+(<>~±−–—]?\s?\p{Sc}?\s?\p{N}+(?:[.,' ]\p{N}+)*\s?(?:\p{L}{0,3}|\p{Sc}|%|‰)\)?$/u
const FIGURE_START = /^\W*\p{N}/u

export const isFigure = (text: string): boolean => text.length < 24 && FIGURE_START.test(text) && FIGURE.test(text)

/** The mark or number of an item of a list. */
const LIST_MARK = /^(?:[\p{N}\p{L}]{1,4}[.):]?|\(\p{L}{1,4}\)|\[[^\]]{1,6}\]|[^\p{L}\p{N}]{1,2})$/u
/** The most rows of a table that consists of words only and is written column by column; more rows are lists. */
const MOST_WORDS = 12
/** The number of a formula. */
const FORMULA_NUMBER = /^\([\p{L}\p{N}.-]{1,8}\)$/u
const isListMark = (text: string): boolean => LIST_MARK.test(text)
const isFormulaNumber = (text: string): boolean => FORMULA_NUMBER.test(text)

/** Cells longer than this, in letter heights, may be lines of a text. */
const LONG_CELL = 12
/** Matches the end of an index entry: a word and its page number. */
const INDEX_ENTRY = /\p{L}[^\p{L}]? \p{N}+$/u

const shareOf = (pieces: ReadonlyArray<Piece>, is: (text: string) => boolean): number =>
  pieces.length === 0 ? 0 : pieces.filter(({ text }) => is(text)).length / pieces.length

/**
 * True if the rows are a table, and not a list, an index, or texts side by side. `isByRows` is true if the file writes
 * them row by row.
 */
export const holdsTable = (cells: Cells, columns: ReadonlyArray<Column>, isByRows: boolean): boolean => {
  const [first, ...others] = columns
  if (first === undefined) return false
  const several = cells.filter((row) => row.filter((cell) => cell.length > 0).length > 1).length
  if (several < 2 || several * 3 < cells.length) return false
  // In this case the pieces are notes beside a text.
  if (several * 2 < cells.length && isProse([first])) return false
  const hasFigures = others.some(({ pieces }) => shareOf(pieces, isFigure) > 0.5)
  if (columns.length === 2) {
    const [marks, numbers] = [shareOf(first.pieces, isListMark), shareOf(others[0]!.pieces, isFormulaNumber)]
    if ((marks > 0.5 && !hasFigures) || numbers > 0.5) return false
  }
  if (isByRows) return true
  // The file writes one column after another, as it would write texts side by side, so the signs must be stronger.
  if (hasFigures) return several * 2 > cells.length
  return (
    columns.length > 2 &&
    cells.length <= MOST_WORDS &&
    several * 10 >= cells.length * 9 &&
    columns.every(({ pieces }) => {
      const long = pieces.filter(({ height, left, right }) => right - left > LONG_CELL * height).length
      return long * 4 < pieces.length && shareOf(pieces, (text) => INDEX_ENTRY.test(text)) < 0.3
    })
  )
}
