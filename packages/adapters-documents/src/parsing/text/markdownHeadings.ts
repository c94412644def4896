import type { Heading } from "@parley/core/reading"

/** Matches the beginning of lines that may be a heading, the underline of a heading, or a code fence. */
const MARKED = /^ {0,3}[#=`~-]/u
const FENCE = /^ {0,3}(`{3,}|~{3,})/u
const HASHES = /^ {0,3}(#{1,6})(?=[ \t]|$)/u
const CLOSING_HASHES = /(?:^|[ \t])#+$/u
const UNDERLINE = /^ {0,3}(?:(=+)|-+)[ \t]*$/u
/** Matches lines that an underline does not turn into a heading: list items, quotations, tables, rules, code. */
const NOT_TITLE = /^(?:\s*$| {4}|\t| {0,3}(?:[-*+>|]|\d{1,9}[.)]|#{1,6}\s))/u

/** Removes the marks of emphasis, code, links and images from a text. */
const plain = (text: string): string =>
  text
    .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/gu, "$1")
    .replace(/(\*\*|__|~~|`)(.+?)\1/gu, "$2")
    .replace(/(^|\s)[*_](\S(?:.*?\S)?)[*_](?=\s|$)/gu, "$1$2")

/** The most headings that are returned. */
const MAX_HEADINGS = 10_000
/** Lines longer than this are no headings. */
const MAX_LINE = 1_000

/** Returns the first 10,000 headings of a Markdown text (CommonMark 0.31, 4.2 and 4.3), except those in fenced code. */
export const markdownHeadings = (text: string): ReadonlyArray<Heading> => {
  const headings: Array<Heading> = []
  let fence: string | undefined
  let before = { line: "", start: 0 }
  const add = (level: number, words: string, at: number) => {
    const title = plain(words).trim()
    if (title !== "") headings.push({ level, title, start: at })
  }
  let at = 0
  while (at < text.length && headings.length < MAX_HEADINGS) {
    const newline = text.indexOf("\n", at)
    const end = newline === -1 ? text.length : newline
    const line = text.slice(at, end)
    if (!MARKED.test(line)) {
      before = { line: fence === undefined && line.length <= MAX_LINE ? line : "", start: at }
      at = end + 1
      continue
    }
    const mark = FENCE.exec(line.slice(0, MAX_LINE))?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined
    } else if (mark !== undefined) fence = mark
    else if (line.length <= MAX_LINE) {
      const hashes = HASHES.exec(line)
      const underline = NOT_TITLE.test(before.line) ? null : UNDERLINE.exec(line)
      if (hashes !== null) add(hashes[1]!.length, line.slice(hashes[0].length).trim().replace(CLOSING_HASHES, ""), at)
      else if (underline !== null) add(underline[1] === undefined ? 2 : 1, before.line, before.start)
    }
    before = { line: fence === undefined && mark === undefined && line.length <= MAX_LINE ? line : "", start: at }
    at = end + 1
  }
  return headings
}
