import { headingMark, withoutMarks } from "../headingMarks.ts"
import { LEADERS, type PageLine } from "./page.ts"

/** A heading is at least so much higher than the letters of most of the text, and at most so long. */
const HEADING = { share: 1.15, length: 150 } as const
/** Heights that differ by less belong to one level of headings. */
const SAME_LEVEL = 1.05
/** If more of the letters are large, their size is no sign of a heading. */
const MOST_LARGE = 0.3

/** Returns the level of a line as a heading, from 1; undefined for text. */
export type LevelOf = (line: PageLine) => number | undefined

/** Decides by the height of the letters, compared with that of most letters of the document. */
export const headingLevels = (pages: ReadonlyArray<ReadonlyArray<PageLine>>): LevelOf => {
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
  return ({ height, isRow, text }) => {
    if (!isSign || isRow === true || height < body * HEADING.share || text.length > HEADING.length) return undefined
    if (!/\p{L}/u.test(text) || LEADERS.test(text)) return undefined
    const level = levels.findIndex((lowest) => height * SAME_LEVEL >= lowest)
    return level + 1 || levels.length
  }
}

/** The text of a page, marks before its headings (`takeHeadings`). */
export const markedText = (lines: ReadonlyArray<PageLine>, levelOf: LevelOf): string =>
  lines
    .map((line) => {
      const level = levelOf(line)
      const text = withoutMarks(line.text)
      return level === undefined ? text : `${headingMark(level)}${text.trim()}`
    })
    .join("\n")
