/** A line of a page; an empty one parts paragraphs. */
export interface PageLine {
  readonly text: string
  /** The height of its longest run of letters, in points. */
  readonly height: number
  /** A row of a table. */
  readonly isRow?: boolean
}

/** A stretch of text on one base line without a wide gap, on the page turned so that most of its text is upright. */
export interface Piece {
  readonly text: string
  readonly left: number
  readonly right: number
  /** The height of its base line on the page. */
  readonly base: number
  readonly height: number
  /** Among the pieces of its page, in the order of the file. */
  readonly order: number
  /** Runs as most text of the page does. */
  readonly isUpright: boolean
}

/** The pieces at one height of a page, from left to right. */
export interface PageRow {
  readonly base: number
  readonly height: number
  readonly pieces: ReadonlyArray<Piece>
}

/** The pieces of rows by their columns. */
export type Cells = ReadonlyArray<ReadonlyArray<ReadonlyArray<Piece>>>

/** The strip of a page that a column takes, with the pieces in it from the top. */
export interface Column {
  readonly left: number
  readonly right: number
  readonly pieces: ReadonlyArray<Piece>
}

/** A line of a table of contents: dots lead to its page. */
export const LEADERS = /(?:\. ?){4}/u
