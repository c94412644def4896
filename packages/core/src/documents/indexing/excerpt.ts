import type { DocumentKey } from "../Document.ts"

/** A stretch of a document's text: UTF-16 offsets, `0 <= from <= to`. */
export interface ExcerptInput extends DocumentKey {
  readonly from: number
  readonly to: number
}

/** A page of a document, as far as its text reaches: UTF-16 offsets. Pages are counted from 1. */
export interface PageSpan {
  readonly page: number
  readonly start: number
  readonly end: number
}

/** A stretch of a document's text: `documentText.slice(from, to) === text`. */
export interface Excerpt {
  /** Both may differ by one from the requested offsets, so that no character is split; neither is beyond the text. */
  readonly from: number
  readonly to: number
  readonly text: string
  /** Of the whole text, in UTF-16 units. */
  readonly length: number
  /** The pages it is on, in order; null if the document has none. */
  readonly pages: ReadonlyArray<PageSpan> | null
}

/** A part of a text, from `start` on, with the length and the pages of the whole. */
export interface ReadText {
  readonly start: number
  readonly text: string
  readonly length: number
  readonly pageStarts: ReadonlyArray<number> | null
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** The pages that overlap a stretch; a page without text is on none, and an empty stretch is on the page it is in. */
const pagesOf = (starts: ReadonlyArray<number>, length: number, from: number, to: number): ReadonlyArray<PageSpan> =>
  starts
    .map((start, index) => ({ page: index + 1, start, end: starts[index + 1] ?? length }))
    .filter(({ start, end }) => end > start && start < Math.max(to, from + 1) && end > from)

/**
 * The stretch from `from` to `to` of a text that was read from `start` on, with at least one unit around the stretch.
 * The text is well-formed. Half a character at the beginning gets its other half; one at the end is left out, unless
 * the stretch contains nothing else.
 */
export const excerptOf = ({ start, text, length, pageStarts }: ReadText, from: number, to: number): Excerpt => {
  const splits = (offset: number) => offset > 0 && isLowSurrogate(text.charCodeAt(offset - start))
  const first = Math.min(from, length)
  const whole = splits(first) ? first - 1 : first
  const last = Math.max(whole, Math.min(to, length))
  const end = last > whole && splits(last) ? (last - 1 > whole ? last - 1 : last + 1) : last
  return {
    from: whole,
    to: end,
    text: text.slice(whole - start, end - start),
    length,
    pages: pageStarts === null ? null : pagesOf(pageStarts, length, whole, end)
  }
}
