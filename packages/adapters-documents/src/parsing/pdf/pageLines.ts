import type { PageLine, Piece } from "./page.ts"
import { type Layout, layoutOf } from "./pageLayout.ts"

/** A run of text on a page. `transform` is its position: `[a, b, c, d, x, y]` as in PDF 1.7, 8.3.3. */
export interface TextItem {
  readonly str: string
  readonly hasEOL: boolean
  readonly width: number
  readonly height: number
  readonly transform: ReadonlyArray<number>
}

/** A line in the order of the file, with the pieces of its upright text. */
interface WrittenLine extends PageLine {
  readonly pieces: ReadonlyArray<Piece>
}

/** If the gap between two lines is more than this many line heights, a new paragraph begins. */
const PARAGRAPH_GAP = 1.75

/**
 * A gap of more than this many letter heights ends a piece. It is wider than the gaps that pdf.js turns into spaces.
 */
const PIECE_GAP = 0.65
/** Runs whose base lines differ by less than this many letter heights are on one line, as raised letters are. */
const SAME_BASE = 0.5

/** Returns the number of counter-clockwise quarter turns of a run, from 0 to 3; undefined for any other angle. */
const turnOf = ([a = 0, b = 0]: ReadonlyArray<number>): 0 | 1 | 2 | 3 | undefined => {
  if (Math.abs(b) < Math.abs(a) * 0.01) return a > 0 ? 0 : 2
  if (Math.abs(a) < Math.abs(b) * 0.01) return b > 0 ? 1 : 3
  return undefined
}

/** Returns the position of a run on the page after the page is turned back by `turn` quarter turns. */
const placeOf = ({ transform }: TextItem, turn: 0 | 1 | 2 | 3): readonly [x: number, y: number] => {
  const [x = 0, y = 0] = transform.slice(4)
  return (
    [
      [x, y],
      [y, -x],
      [-x, -y],
      [-y, x]
    ] as const
  )[turn]
}

const isText = (item: TextItem | { readonly type: string }): item is TextItem => "str" in item

/** Returns the number of quarter turns that most letters have. */
const mostTurned = (items: ReadonlyArray<TextItem>): 0 | 1 | 2 | 3 => {
  const letters = [0, 0, 0, 0]
  for (const { str, transform } of items) {
    const turn = turnOf(transform)
    if (turn !== undefined) letters[turn]! += str.length
  }
  return letters.indexOf(Math.max(...letters)) as 0 | 1 | 2 | 3
}

/** Gathers the runs of a line into pieces. */
class Pieces {
  readonly #turn: 0 | 1 | 2 | 3
  #done: Array<Piece> = []
  #open: (Omit<Piece, "text" | "order"> & { right: number; texts: Array<string>; longest: number }) | undefined
  #order = 0

  constructor(turn: 0 | 1 | 2 | 3) {
    this.#turn = turn
  }

  add(item: TextItem): void {
    const length = item.str.trim().length
    if (length === 0) {
      this.#open?.texts.push(item.str)
      return
    }
    const [left, base] = placeOf(item, this.#turn)
    const { height } = item
    const right = left + item.width
    const isUpright = turnOf(item.transform) === this.#turn && Number.isFinite(right + base + height)
    const open = this.#open
    if (open !== undefined && this.#continues(open, { left, base, height, isUpright })) {
      open.texts.push(item.str)
      open.right = Math.max(open.right, right)
      if (length > open.longest) Object.assign(open, { longest: length, base, height })
      return
    }
    this.#end()
    this.#open = { texts: [item.str], longest: length, left, right, base, height, isUpright }
  }

  takeLine(): ReadonlyArray<Piece> {
    this.#end()
    const pieces = this.#done
    this.#done = []
    return pieces
  }

  #continues(
    open: Omit<Piece, "text" | "order">,
    next: Pick<Piece, "left" | "base" | "height" | "isUpright">
  ): boolean {
    const height = Math.max(open.height, next.height)
    if (!next.isUpright || !open.isUpright) return next.isUpright === open.isUpright
    return (
      Math.abs(next.left - open.right) <= PIECE_GAP * height && Math.abs(next.base - open.base) <= height * SAME_BASE
    )
  }

  #end(): void {
    if (this.#open === undefined) return
    const { longest: _, texts, ...place } = this.#open
    this.#done.push({ ...place, text: texts.join("").normalize("NFC").trim(), order: this.#order++ })
    this.#open = undefined
  }
}

const writtenLines = (items: ReadonlyArray<TextItem>): ReadonlyArray<WrittenLine> => {
  const turn = mostTurned(items)
  const pieces = new Pieces(turn)
  const lines: Array<WrittenLine> = []
  let text = ""
  let height = 0
  let longest = 0
  let previous: TextItem | undefined
  const endLine = () => {
    lines.push({ text: text.normalize("NFC"), height, pieces: pieces.takeLine() })
    text = ""
    height = longest = 0
  }
  for (const item of items) {
    const { length } = item.str.trim()
    if (length > 0) {
      if (previous !== undefined && text === "" && startsParagraph(previous, item, turn)) endLine()
      previous = item
    }
    if (length > longest) {
      longest = length
      height = item.height
    }
    pieces.add(item)
    text += item.str
    if (item.hasEOL) endLine()
  }
  endLine()
  return lines
}

const startsParagraph = (previous: TextItem, next: TextItem, turn: 0 | 1 | 2 | 3): boolean => {
  const gap = placeOf(previous, turn)[1] - placeOf(next, turn)[1]
  return gap > PARAGRAPH_GAP * Math.max(previous.height, next.height, 1)
}

/**
 * Returns the lines of a page in the order of the file, with an empty line if the distance between two lines shows the
 * end of a paragraph. If the layout of the page orders lines differently, as in tables, these lines are at the position
 * of their first piece.
 */
export const pageLines = (items: ReadonlyArray<TextItem | { readonly type: string }>): ReadonlyArray<PageLine> => {
  const written = writtenLines(items.filter(isText))
  const layouts = layoutOf(written.flatMap(({ pieces }) => pieces))
  return layouts.size === 0 ? written.map(({ height, text }) => ({ text, height })) : laidOut(written, layouts)
}

const laidOut = (written: ReadonlyArray<WrittenLine>, layouts: ReadonlyMap<Piece, Layout>): ReadonlyArray<PageLine> => {
  const lines: Array<PageLine> = []
  const placed = new Set<Layout>()
  const part = () => {
    if (lines.length > 0 && lines.at(-1)?.text !== "") lines.push({ text: "", height: 0 })
  }
  let afterLayout = false
  for (const { height, pieces, text } of written) {
    const left = pieces.filter((piece) => !layouts.has(piece))
    if (left.length === pieces.length) {
      if (text.trim() === "" && afterLayout) continue
      if (afterLayout) part()
      afterLayout = false
      lines.push({ text, height })
      continue
    }
    if (left.length > 0) lines.push({ text: left.map((piece) => piece.text).join(" "), height })
    for (const piece of pieces) {
      const layout = layouts.get(piece)
      if (layout === undefined || placed.has(layout)) continue
      placed.add(layout)
      part()
      for (const line of layout.lines) lines.push(line)
      afterLayout = true
    }
  }
  return lines
}
