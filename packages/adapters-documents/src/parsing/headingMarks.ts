import type { Heading } from "@parley/core/reading"

/** Noncharacters, which no text has (Unicode, 23.7): each marks the beginning of a heading of its level. */
const HEADING_MARKS = "\ufdd0\ufdd1\ufdd2\ufdd3\ufdd4\ufdd5"
const ANY_MARK = /[\ufdd0-\ufdd5]/gu

/** Returns the mark of a heading of this level, from 1; levels below the sixth count as the sixth. */
export const headingMark = (level: number): string => HEADING_MARKS.charAt(Math.min(level, HEADING_MARKS.length) - 1)

/** A text from outside, in which no marks are. */
export const withoutMarks = (text: string): string => text.replace(ANY_MARK, "\ufffd")

/** A part of a text that is no place for headings. */
export const dropMarks = (text: string): string => text.replace(ANY_MARK, "")

/** Removes the marks from a text; returns it with the marked headings, each to the end of its line. */
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
