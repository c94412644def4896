import type { DocumentKey } from "../Document.ts"

/** Selects a part of a document's text: UTF-16 offsets, `0 <= from <= to`. */
export interface ExcerptInput extends DocumentKey {
  readonly from: number
  readonly to: number
}

/** The text of one page of a document, in UTF-16 offsets. Pages are counted from 1. */
export interface PageSpan {
  readonly page: number
  readonly start: number
  readonly end: number
}

/** A part of a document's text: `documentText.slice(from, to) === text`. */
export interface Excerpt {
  /**
   * `from` and `to` may differ by one from the requested offsets, so that no character is split; neither exceeds the
   * length of the text.
   */
  readonly from: number
  readonly to: number
  readonly text: string
  /** The length of the whole text, in UTF-16 units. */
  readonly length: number
  /** The pages on which the part is, in order; null if the document has no pages. */
  readonly pages: ReadonlyArray<PageSpan> | null
}

/** A part of a text, from the offset `start` on, with the length and the page starts of the whole text. */
export interface ReadText {
  readonly start: number
  readonly text: string
  readonly length: number
  readonly pageStarts: ReadonlyArray<number> | null
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/**
 * The pages that overlap a part of the text. A page without text is never among them; an empty part is on the page in
 * which it lies.
 */
const pagesOf = (starts: ReadonlyArray<number>, length: number, from: number, to: number): ReadonlyArray<PageSpan> =>
  starts
    .map((start, index) => ({ page: index + 1, start, end: starts[index + 1] ?? length }))
    .filter(({ start, end }) => end > start && start < Math.max(to, from + 1) && end > from)

/**
 * Returns the part from `from` to `to`, out of a text that was read from `start` on and contains at least one unit
 * before and after the part. The result is well-formed: if it would begin with half a character, the other half is
 * added; half a character at its end is left out, unless the part contains nothing else.
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
