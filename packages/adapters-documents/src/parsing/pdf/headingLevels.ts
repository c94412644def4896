import { headingMark, withoutMarks } from "../headingMarks.ts"
import { LEADERS, type PageLine } from "./page.ts"

/**
 * The letters of a heading are at least `share` times as high as most letters of the document; a heading has at most
 * `length` UTF-16 units.
 */
const HEADING = { share: 1.15, length: 150 } as const
/** If the heights of two headings differ by less than this factor, the headings have the same level. */
const SAME_LEVEL = 1.05
/** If more than this share of the letters is large, their size does not mark headings. */
const MOST_LARGE = 0.3

/** Returns the level of a line that is a heading, counted from 1; undefined for other lines. */
export type LevelOf = (line: PageLine) => number | undefined

/** Finds headings by the height of their letters, compared with the height of most letters of the document. */
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

/** Returns the text of a page with marks before its headings (see `takeHeadings`). */
export const markedText = (lines: ReadonlyArray<PageLine>, levelOf: LevelOf): string =>
  lines
    .map((line) => {
      const level = levelOf(line)
      const text = withoutMarks(line.text)
      return level === undefined ? text : `${headingMark(level)}${text.trim()}`
    })
    .join("\n")
