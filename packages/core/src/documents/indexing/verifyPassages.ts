import type { IndexedDocument } from "./PassageIndex.ts"
import { pageBodies } from "./pageBreaks.ts"
import type { TextSpan } from "../reading/readableText.ts"

/** The ways in which stored passages and their stored text can disagree. */
export type PassageProblem =
  /** The passage differs from the text at its offsets. */
  | { readonly _tag: "TextDiffers"; readonly ordinal: number }
  /** The passage's page is not the page on which it starts. */
  | { readonly _tag: "PageDiffers"; readonly ordinal: number }
  /** The ordinals of passages are not consecutive: `ordinal` is in the place of `expected`. */
  | { readonly _tag: "OutOfOrder"; readonly ordinal: number; readonly expected: number }
  /**
   * `NotCovered`: text from `start` to `end` that is in no passage and is no running head or foot; `Overlapping`: text
   * that is in two passages.
   */
  | { readonly _tag: "NotCovered" | "Overlapping"; readonly start: number; readonly end: number }

/**
 * Compares an indexed document's passages with its text: each must equal `text.slice(start, end)`, in order, without
 * gaps except white space and running heads, without overlaps, and on the page on which it starts. Returns every
 * difference.
 */
export const verifyPassages = (document: IndexedDocument): ReadonlyArray<PassageProblem> => {
  const { pageStarts, passages, text } = document
  const bodies = pageStarts === null ? [{ start: 0, end: text.length }] : joined(pageBodies(document))
  const uncovered = (start: number, end: number) => gapsOf(text, bodies, { start, end })
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
    else problems.push(...uncovered(end, start))
    end = Math.max(end, passage.end)
  })
  return [...problems, ...uncovered(end, text.length)]
}

/** Joins adjacent parts. */
const joined = (spans: ReadonlyArray<TextSpan>): ReadonlyArray<TextSpan> => {
  const found: Array<TextSpan> = []
  for (const span of spans) {
    const last = found.at(-1)
    if (last?.end === span.start) found[found.length - 1] = { start: last.start, end: span.end }
    else found.push(span)
  }
  return found
}

/** Returns the parts of a gap between passages that should be in a passage. */
const gapsOf = (text: string, bodies: ReadonlyArray<TextSpan>, gap: TextSpan): ReadonlyArray<PassageProblem> => {
  if (text.slice(gap.start, gap.end).trim() === "") return []
  return bodies
    .map(({ start, end }) => ({ start: Math.max(start, gap.start), end: Math.min(end, gap.end) }))
    .filter(({ start, end }) => start < end && text.slice(start, end).trim() !== "")
    .map((span) => ({ _tag: "NotCovered", ...span }))
}
