/** A line of a page; an empty line separates paragraphs. */
export interface PageLine {
  readonly text: string
  /** The height of the line's longest run of letters, in points. */
  readonly height: number
  /** True if the line is a row of a table. */
  readonly isRow?: boolean
}

/** A piece of text on one base line without a wide gap. The page is turned so that most of its text is upright. */
export interface Piece {
  readonly text: string
  readonly left: number
  readonly right: number
  /** The vertical position of its base line on the page. */
  readonly base: number
  readonly height: number
  /** The position of the piece among all pieces of its page, in the order of the file. */
  readonly order: number
  /** True if the piece has the direction of most text on the page. */
  readonly isUpright: boolean
}

/** The pieces at one height of a page, from left to right. */
export interface PageRow {
  readonly base: number
  readonly height: number
  readonly pieces: ReadonlyArray<Piece>
}

/** The pieces of each row by column. */
export type Cells = ReadonlyArray<ReadonlyArray<ReadonlyArray<Piece>>>

/** A column: the vertical strip of a page that it takes, with its pieces from top to bottom. */
export interface Column {
  readonly left: number
  readonly right: number
  readonly pieces: ReadonlyArray<Piece>
}

/** Matches a line of a table of contents, in which dots lead to the page number. */
export const LEADERS = /(?:\. ?){4}/u
