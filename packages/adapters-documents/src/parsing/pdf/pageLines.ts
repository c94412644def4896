import { headingMark, withoutMarks } from "../headingMarks.ts"

/** A run of text on a page. `transform` places it: `[a, b, c, d, x, y]` as in PDF 1.7, 8.3.3. */
export interface TextItem {
  readonly str: string
  readonly hasEOL: boolean
  readonly height: number
  readonly transform: ReadonlyArray<number>
}

/** A line of a page; an empty one parts paragraphs. */
export interface PageLine {
  readonly text: string
  /** The height of its longest run of letters, in points. */
  readonly height: number
}

/** A gap between two lines of more than this many line heights begins a paragraph. */
const PARAGRAPH_GAP = 1.75

/** Returns the lines of a page, with an empty one if the distance between two shows the end of a paragraph. */
export const pageLines = (items: ReadonlyArray<TextItem | { readonly type: string }>): ReadonlyArray<PageLine> => {
  const lines: Array<PageLine> = []
  let text = ""
  let height = 0
  let longest = 0
  let previous: TextItem | undefined
  const endLine = () => {
    lines.push({ text, height })
    text = ""
    height = longest = 0
  }
  for (const item of items) {
    if (!("str" in item)) continue
    const { length } = item.str.trim()
    if (length > 0) {
      if (previous !== undefined && text === "" && startsParagraph(previous, item)) endLine()
      previous = item
    }
    if (length > longest) {
      longest = length
      height = item.height
    }
    text += item.str
    if (item.hasEOL) endLine()
  }
  endLine()
  return lines
}

const startsParagraph = (previous: TextItem, next: TextItem): boolean => {
  const gap = (previous.transform[5] ?? 0) - (next.transform[5] ?? 0)
  return gap > PARAGRAPH_GAP * Math.max(previous.height, next.height, 1)
}

/** A heading is at least so much higher than the letters of most of the text, and at most so long. */
const HEADING = { share: 1.15, length: 150 } as const
/** Heights that differ by less belong to one level of headings. */
const SAME_LEVEL = 1.05
/** If more of the letters are large, their size is no sign of a heading. */
const MOST_LARGE = 0.3

/** A line of a table of contents: dots lead to its page. */
const LEADERS = /(?:\. ?){4}/u

/**
 * Returns the level of a line as a heading, from 1; undefined for text. The height of the letters decides, compared with
 * that of most letters of the document.
 */
export const headingLevels = (
  pages: ReadonlyArray<ReadonlyArray<PageLine>>
): ((line: PageLine) => number | undefined) => {
  const letters = new Map<number, number>()
  let all = 0
  for (const { height, text } of pages.flat()) {
    const count = text.trim().length
    const rounded = Math.round(height * 10) / 10
    letters.set(rounded, (letters.get(rounded) ?? 0) + count)
    all += count
  }
  const [body = 0] = [...letters].toSorted(([, one], [, other]) => other - one)[0] ?? []
  const large = [...letters]
    .filter(([height]) => height >= body * HEADING.share)
    .toSorted(([one], [other]) => other - one)
  const isSign = body > 0 && large.reduce((sum, [, count]) => sum + count, 0) <= MOST_LARGE * all
  const levels: Array<number> = []
  for (const [height] of large) if (height * SAME_LEVEL < (levels.at(-1) ?? Infinity)) levels.push(height)
  return ({ height, text }) => {
    if (!isSign || height < body * HEADING.share || text.length > HEADING.length) return undefined
    if (!/\p{L}/u.test(text) || LEADERS.test(text)) return undefined
    const level = levels.findIndex((lowest) => height * SAME_LEVEL >= lowest)
    return level + 1 || levels.length
  }
}

/** The text of a page, marks before its headings (`takeHeadings`). */
export const markedText = (lines: ReadonlyArray<PageLine>, levelOf: (line: PageLine) => number | undefined): string =>
  lines
    .map((line) => {
      const level = levelOf(line)
      const text = withoutMarks(line.text)
      return level === undefined ? text : `${headingMark(level)}${text.trim()}`
    })
    .join("\n")
