import type { Heading } from "@parley/core/reading"

/**
 * The marks that are written before headings, one for each level. They are Unicode noncharacters, which no text
 * contains (Unicode, 23.7).
 */
const HEADING_MARKS = "\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4\ufdd5"
const ANY_MARK = /[\ufdd0-\ufdd5]/gu

/**
 * Returns the mark of a heading of this level; the highest level is 1, and levels below the sixth have the sixth mark.
 */
export const headingMark = (level: number): string => HEADING_MARKS.charAt(Math.min(level, HEADING_MARKS.length) - 1)

/** Replaces marks in a text of the document, so that only the parsers write marks. */
export const withoutMarks = (text: string): string => text.replace(ANY_MARK, "\ufffd")

/** Removes the marks from a part of a text that cannot contain headings. */
export const dropMarks = (text: string): string => text.replace(ANY_MARK, "")

/**
 * Removes the marks from a text. Returns the text and the marked headings, each from its mark to the end of the line.
 */
export const takeHeadings = (marked: string): { readonly text: string; readonly headings: ReadonlyArray<Heading> } => {
  const headings: Array<Heading> = []
  let text = ""
  let from = 0
  for (const { 0: mark, index } of marked.matchAll(ANY_MARK)) {
    text += marked.slice(from, index)
    from = index + 1
    const end = marked.indexOf("\n", from)
    const title = marked
      .slice(from, end === -1 ? undefined : end)
      .replace(ANY_MARK, "")
      .trim()
    if (title !== "") headings.push({ level: HEADING_MARKS.indexOf(mark) + 1, title, start: text.length })
  }
  return { text: text + marked.slice(from), headings }
}
