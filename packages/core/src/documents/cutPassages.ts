import type { Passage } from "./Document.ts"
import type { ParsedDocument } from "./DocumentParser.ts"
import { sentenceOverBreak } from "./sentenceOverBreak.ts"

/** A passage aims at 1,200 to 1,600 UTF-16 units and never has more. */
export const PASSAGE_LENGTH = { aim: 1200, max: 1600 } as const

/**
 * Cuts a document's text into passages at the best boundary there is: heading, paragraph, sentence, line, word.
 * They do not overlap, cover everything that is not white space, never split a character, and stay within their page;
 * only a sentence that runs over a page break stays whole, with the page it starts on. Linear in the length of the text;
 * each is cut when it is asked for, so that a long text need not be cut in one go.
 */
export function* cutPassages({ text, pageStarts }: ParsedDocument): Generator<Passage> {
  const pages = pageStarts ?? [0]
  let from = 0
  let page = 0
  let ordinal = 0
  for (const index of pages.keys()) {
    const pageEnd = pages[index + 1]
    const sectionEnd = pageEnd === undefined ? text.length : sentenceOverBreak(text, pageEnd, pages[index + 2])
    for (const [start, end] of cutSection(text, from, sectionEnd)) {
      while (page + 1 < pages.length && pages[page + 1]! <= start) page++
      yield { ordinal, page: pageStarts === null ? null : page + 1, start, end, text: text.slice(start, end) }
      ordinal++
    }
    from = Math.max(from, sectionEnd)
  }
}

function* cutSection(text: string, from: number, to: number): Generator<readonly [start: number, end: number]> {
  let start = skipBlank(text, from, to)
  while (start < to) {
    const cut = to - start <= PASSAGE_LENGTH.max ? to : chooseCut(text, start, to)
    yield [start, trimBlank(text, start, cut)]
    start = skipBlank(text, cut, to)
  }
}

/** The text between `start` and `to` is longer than a passage. A rest too short to stand alone is shared out evenly. */
const chooseCut = (text: string, start: number, to: number): number => {
  const { aim, max } = PASSAGE_LENGTH
  const rest = to - start
  const even = rest < aim + max
  const half = Math.floor(rest / 2)
  const earliest = start + (even ? Math.max(rest - max, half - 200) : aim)
  const latest = start + Math.min(max, even ? half + 200 : max)
  return (
    bestBoundary(text, earliest, latest) ??
    bestBoundary(text, start + Math.floor(max / 2), start + max) ??
    wholeCharacter(text, start + max)
  )
}

/** Better boundaries have higher ranks; among equals the last wins. */
const RANK = { word: 1, line: 2, sentence: 3, paragraph: 4, heading: 5 } as const

const bestBoundary = (text: string, earliest: number, latest: number): number | undefined => {
  let best: number | undefined
  let bestRank = 0
  for (let at = earliest; at <= latest; at++) {
    const rank = rankOf(text, at)
    if (rank > 0 && rank >= bestRank) {
      best = at
      bestRank = rank
    }
  }
  return best
}

/** How good it is to end a passage before the character at `at`. */
const rankOf = (text: string, at: number): number => {
  const before = text[at - 1] ?? ""
  const next = text[at] ?? ""
  if (WIDE_SENTENCE_END.test(before)) return RANK.sentence
  if (!BLANK.test(next)) return 0
  if (next === "\n" && text[at + 1] === "\n") return text[at + 2] === "#" ? RANK.heading : RANK.paragraph
  if (endsSentence(text, at)) return RANK.sentence
  return next === "\n" ? RANK.line : RANK.word
}

const BLANK = /\s/u
const WIDE_SENTENCE_END = /[。！？]/u
const SENTENCE_END = /[.!?…؟۔।]/u
const CLOSING = /["'”’)\]]/u

/** Whether a sentence ends right before the white space at `at`, quotes and brackets that close after it included. */
const endsSentence = (text: string, at: number): boolean => {
  let last = at - 1
  for (let closing = 0; closing < 3 && CLOSING.test(text[last] ?? ""); closing++) last--
  return SENTENCE_END.test(text[last] ?? "")
}

const skipBlank = (text: string, from: number, to: number): number => {
  let at = from
  while (at < to && BLANK.test(text[at]!)) at++
  return at
}

const trimBlank = (text: string, from: number, to: number): number => {
  let at = to
  while (at > from && BLANK.test(text[at - 1]!)) at--
  return at
}

/** Steps back where a cut at `at` would part a surrogate pair. */
const wholeCharacter = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff && isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
