/** The longest rest of a sentence that is taken over from the next page, in UTF-16 units. */
const MAX_REST = 600

/**
 * Where the passages of a page end, given that the next page starts at `pageEnd` and the one after at `nextEnd`
 * (undefined: at the end of the text). Usually at `pageEnd`; where a sentence runs over the break, after that sentence.
 * A break counts as inside a sentence where nothing closes the text before it and the text after it does not begin
 * anew: with a small letter, or, in scripts without small letters, with a letter after a letter or a comma.
 */
export const sentenceOverBreak = (text: string, pageEnd: number, nextEnd: number | undefined): number => {
  const before = lastBefore(text, pageEnd)
  const next = firstAfter(text, pageEnd)
  if (!runsOver(before, next.character)) return pageEnd
  const limit = Math.min(nextEnd ?? text.length, next.at + MAX_REST)
  const rest = /(?:[.!?…؟۔।]["'”’)\]]{0,3}(?=\s|$)|[。！？]|(?=\n\n))/u.exec(text.slice(next.at, limit))
  if (rest !== null) return next.at + rest.index + rest[0].length
  return limit === text.length ? limit : pageEnd
}

const runsOver = (before: string, after: string): boolean =>
  before !== "" &&
  ((/\p{Ll}/u.test(after) && !/[.!?…:;]/u.test(before)) || (/\p{Lo}/u.test(after) && /[\p{Lo}、،，]/u.test(before)))

const lastBefore = (text: string, end: number): string => {
  const tail = text.slice(Math.max(0, end - 64), end).trimEnd()
  return Array.from(tail.slice(-2)).at(-1) ?? ""
}

const firstAfter = (text: string, from: number): { readonly at: number; readonly character: string } => {
  const head = text.slice(from, from + 64)
  const at = from + (head.length - head.trimStart().length)
  return { at, character: String.fromCodePoint(text.codePointAt(at) ?? 0x20) }
}
