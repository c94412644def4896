import type { ShownSource } from "@parley/core/reading"

/** The beginning of the sentences on which a reply rests, as one paragraph. */
export interface Snippet {
  readonly before: string
  readonly mark: string
  readonly after: string
}

/** The number of UTF-16 units shown before and after a mark, and the longest snippet. */
const AROUND = 40
const MOST = 280

/** Joins the lines of a text into one, and removes the marks of Markdown headings. */
const line = (text: string): string => text.replaceAll(/(^|\n)#{1,6}[ \t]+/g, "$1").replaceAll(/\s+/g, " ")

/** Removes the part of a word at the beginning of a text. */
const fromWord = (text: string): string => text.slice(text.search(/\s/) + 1)
const toWord = (text: string): string => text.slice(0, Math.max(0, text.trimEnd().lastIndexOf(" ")))

const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${toWord(text.slice(0, most))} …`

/**
 * The snippet of a source in a list: the marked words with some text around them, or the beginning of the passage if no
 * words are marked.
 */
export const snippetOf = ({ marks, text }: Pick<ShownSource, "marks" | "text">): Snippet => {
  const first = marks[0]
  if (first === undefined) return { before: shortened(line(text.trim()), MOST), mark: "", after: "" }
  const earlier = text.slice(Math.max(0, first.start - AROUND), first.start)
  const before = first.start > AROUND ? `… ${fromWord(earlier)}` : earlier
  const mark = text.slice(first.start, first.end)
  const later = text.slice(first.end, first.end + AROUND)
  const after = first.end + AROUND < text.length ? `${toWord(later)} …` : later
  return { before: line(before), mark: shortened(line(mark), MOST), after: mark.length > MOST ? "" : line(after) }
}
