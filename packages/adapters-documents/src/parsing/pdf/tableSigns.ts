import { isProse } from "./columns.ts"
import type { Cells, Column, Piece } from "./page.ts"

/** The longest way in the order of the file between cells that it writes one after the other, each of some lines. */
const NEXT_CELL = 4

/** Of two tables side by side, the file writes the cells of each one after the other, but not from one to the other. */
const MOST_PAIRS = 0.75

/** True if the file writes most rows from one column to the next, and not one column after the other. */
export const isAcross = (cells: Cells): boolean => {
  let pairs = 0
  let across = 0
  for (const row of cells) {
    const filled = row.filter((cell) => cell.length > 0)
    for (let at = 1; at < filled.length; at++) {
      pairs += 1
      // A script from right to left may be written from the last column.
      if (Math.abs(filled[at]![0]!.order - filled[at - 1]!.at(-1)!.order) <= NEXT_CELL) across += 1
    }
  }
  return across >= MOST_PAIRS * pairs
}

/** A number with its sign, currency or unit, or what stands in its place. */
const FIGURE = /^[-+(<>~±−–—]?\s?\p{Sc}?\s?\p{N}+(?:[.,' ]\p{N}+)*\s?(?:\p{L}{0,3}|\p{Sc}|%|‰)\)?$/u
const FIGURE_START = /^\W*\p{N}/u

export const isFigure = (text: string): boolean => text.length < 24 && FIGURE_START.test(text) && FIGURE.test(text)

/** The mark or number of an item of a list. */
const LIST_MARK = /^(?:[\p{N}\p{L}]{1,4}[.):]?|\(\p{L}{1,4}\)|\[[^\]]{1,6}\]|[^\p{L}\p{N}]{1,2})$/u
/** More rows of words alone, column by column, are lists. */
const MOST_WORDS = 12
/** The number of a formula. */
const FORMULA_NUMBER = /^\([\p{L}\p{N}.-]{1,8}\)$/u
const isListMark = (text: string): boolean => LIST_MARK.test(text)
const isFormulaNumber = (text: string): boolean => FORMULA_NUMBER.test(text)

/** Cells that are longer, in letter heights, may be lines of a text. */
const LONG_CELL = 12
/** The end of an entry of an index, with its page. */
const INDEX_ENTRY = /\p{L}[^\p{L}]? \p{N}+$/u

const shareOf = (pieces: ReadonlyArray<Piece>, is: (text: string) => boolean): number =>
  pieces.length === 0 ? 0 : pieces.filter(({ text }) => is(text)).length / pieces.length

/**
 * True if rows of cells are a table, and no list, index, or texts side by side. `isByRows`: the file writes them row by
 * row.
 */
export const holdsTable = (cells: Cells, columns: ReadonlyArray<Column>, isByRows: boolean): boolean => {
  const [first, ...others] = columns
  if (first === undefined) return false
  const several = cells.filter((row) => row.filter((cell) => cell.length > 0).length > 1).length
  if (several < 2 || several * 3 < cells.length) return false
  // Notes beside a text.
  if (several * 2 < cells.length && isProse([first])) return false
  const hasFigures = others.some(({ pieces }) => shareOf(pieces, isFigure) > 0.5)
  if (columns.length === 2) {
    const [marks, numbers] = [shareOf(first.pieces, isListMark), shareOf(others[0]!.pieces, isFormulaNumber)]
    if ((marks > 0.5 && !hasFigures) || numbers > 0.5) return false
  }
  if (isByRows) return true
  // The file writes one column after the other, as it would write texts.
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
