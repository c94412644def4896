import type { IndexedDocument } from "./PassageIndex.ts"

/** A way in which stored passages and their stored text disagree. */
export type PassageProblem =
  /** The passage is not what the text has at its offsets. */
  | { readonly _tag: "TextDiffers"; readonly ordinal: number }
  /** The passage's page is not the one it starts on. */
  | { readonly _tag: "PageDiffers"; readonly ordinal: number }
  /** Passages do not follow one another: this ordinal stands where `expected` should. */
  | { readonly _tag: "OutOfOrder"; readonly ordinal: number; readonly expected: number }
  /** Text between the passages, from `start` to `end`, that is in none of them, or is in two. */
  | { readonly _tag: "NotCovered" | "Overlapping"; readonly start: number; readonly end: number }

/**
 * Compares an indexed document's passages with its text: `text.slice(start, end) === passage.text` for each, in order,
 * without gaps but white space and without overlaps, each on the page it starts on. Empty where all is well.
 */
export const verifyPassages = ({ text, pageStarts, passages }: IndexedDocument): ReadonlyArray<PassageProblem> => {
  const problems: Array<PassageProblem> = []
  let end = 0
  let page = 0
  passages.forEach((passage, expected) => {
    const { ordinal, start } = passage
    if (ordinal !== expected) problems.push({ _tag: "OutOfOrder", ordinal, expected })
    if (text.slice(start, passage.end) !== passage.text) problems.push({ _tag: "TextDiffers", ordinal })
    while (pageStarts !== null && page < pageStarts.length && pageStarts[page]! <= start) page++
    if (passage.page !== (pageStarts === null ? null : page)) problems.push({ _tag: "PageDiffers", ordinal })
    if (start < end) problems.push({ _tag: "Overlapping", start, end })
    else problems.push(...uncovered(text, end, start))
    end = Math.max(end, passage.end)
  })
  return [...problems, ...uncovered(text, end, text.length)]
}

const uncovered = (text: string, start: number, end: number): ReadonlyArray<PassageProblem> =>
  text.slice(start, end).trim() === "" ? [] : [{ _tag: "NotCovered", start, end }]
