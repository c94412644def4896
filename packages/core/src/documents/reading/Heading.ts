/** A heading in a document's text. */
export interface Heading {
  /** The level of the heading, from 1 (outermost) to 6. */
  readonly level: number
  /** The words of the heading, without marks and on one line. */
  readonly title: string
  /** The UTF-16 offset into the document's text at which the line of the heading begins. */
  readonly start: number
}

/** The maximum number of headings of a document that are stored; `MAX_TITLE_LENGTH` is that of UTF-16 units in one. */
export const MAX_HEADINGS = 10_000
const MAX_TITLE_LENGTH = 200

const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/gu

/** Returns a heading's words in their stored form: on one line, well-formed, and not too long. */
export const headingTitle = (text: string): string => {
  const title = text.toWellFormed().replace(CONTROLS, " ").replace(/\s+/gu, " ").trim()
  return title.length <= MAX_TITLE_LENGTH
    ? title
    : `${title
        .slice(0, MAX_TITLE_LENGTH)
        .replace(/[\ud800-\udbff]$/u, "")
        .trimEnd()}…`
}

/** Returns headings from any parser in their stored form: within the limits, and without those that have no words. */
export const keptHeadings = (headings: ReadonlyArray<Heading>): ReadonlyArray<Heading> =>
  headings
    .slice(0, MAX_HEADINGS)
    .map(({ level, start, title }) => ({ level, title: headingTitle(title), start }))
    .filter(({ title }) => title !== "")

/** Returns the headings above the text that follows a heading: it replaces the headings of its own level and below. */
export const entered = (path: ReadonlyArray<Heading>, heading: Heading): ReadonlyArray<Heading> => [
  ...path.filter(({ level }) => level < heading.level),
  heading
]

/**
 * Returns the titles above a place in a text, outermost first. `headings` are those of the whole text or of one of its
 * passages, in order; `offset` is a UTF-16 offset into the text.
 */
export const headingPath = (headings: ReadonlyArray<Heading> | undefined, offset: number): ReadonlyArray<string> =>
  (headings ?? [])
    .filter(({ start }) => start <= offset)
    .reduce<ReadonlyArray<Heading>>(entered, [])
    .map(({ title }) => title)
