/** A heading in a document's text. */
export interface Heading {
  /** From 1, the outermost, to 6. */
  readonly level: number
  /** Its words, without marks and on one line. */
  readonly title: string
  /** UTF-16 offset into the document's text at which its line begins. */
  readonly start: number
}

/** The most headings kept of a document, and the longest title, in UTF-16 units. */
export const MAX_HEADINGS = 10_000
const MAX_TITLE_LENGTH = 200

const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/gu

/** A heading's words as they are kept: on one line, well formed, in bounds. */
export const headingTitle = (text: string): string => {
  const title = text.toWellFormed().replace(CONTROLS, " ").replace(/\s+/gu, " ").trim()
  return title.length <= MAX_TITLE_LENGTH
    ? title
    : `${title
        .slice(0, MAX_TITLE_LENGTH)
        .replace(/[\ud800-\udbff]$/u, "")
        .trimEnd()}…`
}

/** Headings in their stored form, from any parser: within bounds, and without those that have no words. */
export const keptHeadings = (headings: ReadonlyArray<Heading>): ReadonlyArray<Heading> =>
  headings
    .slice(0, MAX_HEADINGS)
    .map(({ level, start, title }) => ({ level, title: headingTitle(title), start }))
    .filter(({ title }) => title !== "")

/** Returns the headings above the text that follows a heading: it ends those of its level and below. */
export const entered = (path: ReadonlyArray<Heading>, heading: Heading): ReadonlyArray<Heading> => [
  ...path.filter(({ level }) => level < heading.level),
  heading
]

/**
 * The titles above a place of a text, outermost first. `headings` are those of the whole text or of one of its passages,
 * in order; `offset` is a UTF-16 offset into the text.
 */
export const headingPath = (headings: ReadonlyArray<Heading> | undefined, offset: number): ReadonlyArray<string> =>
  (headings ?? [])
    .filter(({ start }) => start <= offset)
    .reduce<ReadonlyArray<Heading>>(entered, [])
    .map(({ title }) => title)
