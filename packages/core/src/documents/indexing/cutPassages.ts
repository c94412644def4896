import type { Passage } from "../Document.ts"
import type { ParsedDocument } from "../reading/DocumentParser.ts"
import { entered, type Heading } from "../reading/Heading.ts"
import { pageBodies, sentenceOverBreak } from "./pageBreaks.ts"
import type { TextSpan } from "../reading/readableText.ts"
import { pieceTokenizer } from "../../tokens/pieceTokenizer.ts"

/**
 * A passage aims at 800 to 1,100 UTF-16 units and never has more. Chosen on half of the questions of a collection of
 * long texts, by what five of them recall within 5,000 units of context.
 */
export const PASSAGE_LENGTH = { aim: 800, max: 1100 } as const
/**
 * In scripts that need more tokens for the same length, passages are shorter: a passage aims at 320 to 450 tokens by
 * the usual count.
 */
export const PASSAGE_TOKENS = { aim: 320, max: 450 } as const

/**
 * Cuts a document's text into passages at the best boundary: heading, paragraph, row or item, sentence, line, cell,
 * word. Passages do not overlap, cover everything but white space and running heads and feet, never split a character,
 * and stay within their page. Only a sentence that runs over a page break stays whole, with the page it starts on,
 * unless a running head separates it. Linear in the length of the text; the generator cuts each passage on demand, so
 * that other work can run between. `bodies` are those of the pages (`pageBodies`), if they are known.
 */
export function* cutPassages(
  document: ParsedDocument,
  bodies: ReadonlyArray<TextSpan> = pageBodies(document)
): Generator<Passage> {
  const { headings = [], pageStarts, text } = document
  const pages = pageStarts ?? [0]
  const headingsOf = makeHeadingWalk(headings)
  const cutter: Cutter = { text, isHeading: new Set(headings.map(({ start }) => start)), reach: tokenReach(text) }
  let page = 0
  let ordinal = 0
  for (const section of sectionsOf(document, bodies)) {
    for (const [start, end] of cutSection(cutter, section)) {
      while (page + 1 < pages.length && pages[page + 1]! <= start) page++
      const within = headingsOf(start, end)
      yield {
        ordinal,
        page: pageStarts === null ? null : page + 1,
        start,
        end,
        text: text.slice(start, end),
        ...(within.length === 0 ? {} : { headings: within })
      }
      ordinal++
    }
  }
}

/**
 * Returns a function that returns, for one part of a text after the other, the headings above its start and those in
 * it.
 */
const makeHeadingWalk = (headings: ReadonlyArray<Heading>) => {
  let next = 0
  let path: ReadonlyArray<Heading> = []
  const enterUntil = (offset: number) => {
    while (next < headings.length && headings[next]!.start < offset) path = entered(path, headings[next++]!)
  }
  return (start: number, end: number): ReadonlyArray<Heading> => {
    enterUntil(start)
    const inForce = path
    const first = next
    enterUntil(end)
    return [...inForce, ...headings.slice(first, next)]
  }
}

/**
 * The parts of a text that no passage goes beyond: its pages, longer or shorter by a sentence that runs over a break.
 */
function* sectionsOf({ pageStarts, text }: ParsedDocument, bodies: ReadonlyArray<TextSpan>): Generator<TextSpan> {
  if (pageStarts === null) return yield { start: 0, end: text.length }
  let from = 0
  for (const [index, body] of bodies.entries()) {
    const next = bodies[index + 1]
    const goesOn = next !== undefined && next.start === body.end
    const end = goesOn ? sentenceOverBreak(text, body.end, next.end) : body.end
    yield { start: Math.max(from, body.start), end }
    from = Math.max(from, end)
  }
}

/** A text, with its headings and its tokens. */
interface Cutter {
  readonly text: string
  readonly isHeading: ReadonlySet<number>
  readonly reach: TokenReach
}

function* cutSection(
  cutter: Cutter,
  { start: from, end: to }: TextSpan
): Generator<readonly [start: number, end: number]> {
  const { text } = cutter
  let start = skipBlank(text, from, to)
  while (start < to) {
    const cut = chooseCut(cutter, start, to)
    yield [start, trimBlank(text, start, cut)]
    start = skipBlank(text, cut, to)
  }
}

/** The target and the maximum length of a passage that begins at `start`, in UTF-16 units. */
const lengthsAt = ({ reach }: Cutter, start: number): { readonly aim: number; readonly max: number } => {
  const aim = Math.min(PASSAGE_LENGTH.aim, reach(start, PASSAGE_TOKENS.aim, PASSAGE_LENGTH.aim))
  return {
    aim,
    max: Math.max(aim + 1, Math.min(PASSAGE_LENGTH.max, reach(start, PASSAGE_TOKENS.max, PASSAGE_LENGTH.max)))
  }
}

/** The end of the passage that begins at `start`. A rest too short to stand alone is shared out evenly. */
const chooseCut = (cutter: Cutter, start: number, to: number): number => {
  const { aim, max } = lengthsAt(cutter, start)
  const rest = to - start
  if (rest <= max) return to
  const even = rest < aim + max
  const half = Math.floor(rest / 2)
  const play = Math.floor(max / 8)
  const earliest = start + (even ? Math.max(rest - max, half - play) : aim)
  const latest = start + Math.min(max, even ? half + play : max)
  return (
    bestBoundary(cutter, earliest, latest) ??
    bestBoundary(cutter, start + Math.floor(max / 2), start + max) ??
    wholeCharacter(cutter.text, start, start + max)
  )
}

/** Better boundaries have higher ranks; among equals the last wins. */
const RANK = { word: 1, cell: 2, line: 3, sentence: 4, row: 5, paragraph: 6, heading: 7 } as const

const bestBoundary = ({ isHeading, text }: Cutter, earliest: number, latest: number): number | undefined => {
  let best: number | undefined
  let bestRank = 0
  for (let at = earliest; at <= latest; at++) {
    const rank = rankOf(text, at, isHeading)
    if (rank > 0 && rank >= bestRank) {
      best = at
      bestRank = rank
    }
  }
  return best
}

/** The quality of ending a passage before the character at `at`. */
const rankOf = (text: string, at: number, isHeading: ReadonlySet<number>): number => {
  const before = text[at - 1] ?? ""
  const next = text[at] ?? ""
  if (WIDE_SENTENCE_END.test(before)) return RANK.sentence
  if (!BLANK.test(next)) return 0
  if (next === "\n" && isHeading.has(at + 1)) return RANK.heading
  if (next === "\n" && text[at + 1] === "\n") return isHeading.has(at + 2) ? RANK.heading : RANK.paragraph
  if (next === "\n" && (endsRow(text, at) || ITEM.test(text.slice(at + 1, at + 1 + MAX_MARK)))) return RANK.row
  // A sentence within a cell ends no row.
  if (endsSentence(text, at)) return RANK.sentence
  if (next === "\n") return RANK.line
  return next === "\t" ? RANK.cell : RANK.word
}

/** The beginning of a list item, and the most characters of it. */
const ITEM = /^ {0,16}(?:[-*+•–]|\d{1,4}[.)]) /u
const MAX_MARK = 24

/** Whether the line that ends at `at` is a row of a table with cells separated by tabs. */
const endsRow = (text: string, at: number): boolean => {
  const from = Math.max(0, at - PASSAGE_LENGTH.max)
  const line = text.slice(from, at)
  return line.includes("\t", line.lastIndexOf("\n") + 1)
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

/** Steps back if a cut at `at` would split a surrogate pair; forward if nothing would be left. */
const wholeCharacter = (text: string, start: number, at: number): number => {
  const unit = text.charCodeAt(at)
  const parts = unit >= 0xdc00 && unit <= 0xdfff && isHighSurrogate(text.charCodeAt(at - 1))
  if (!parts) return at
  return at - 1 > start ? at - 1 : at + 1
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** The number of UTF-16 units of a text, from an offset on, that contain the given number of tokens; at most `most`. */
export type TokenReach = (start: number, tokens: number, most: number) => number

/** Text is counted in pieces of this many UTF-16 units, each once; a word divided by a piece's end counts as two. */
const PIECE = 64
const UNCOUNTED = 0xffff

/** Counts tokens with the usual tokenizer, whichever model reads the text: passages do not change with the model. */
export const tokenReach = (text: string): TokenReach => {
  const counts = new Uint16Array(Math.ceil(text.length / PIECE)).fill(UNCOUNTED)
  const tokensOf = (piece: number): number => {
    const known = counts[piece] ?? 0
    if (known !== UNCOUNTED) return known
    return (counts[piece] = pieceTokenizer.count(text.slice(piece * PIECE, (piece + 1) * PIECE)).estimate)
  }
  return (start, tokens, most) => {
    const end = Math.min(text.length, start + most)
    let left = tokens
    let at = start
    while (at < end) {
      const piece = Math.floor(at / PIECE)
      const perUnit = tokensOf(piece) / PIECE
      const units = (piece + 1) * PIECE - at
      if (perUnit * units >= left) return at - start + Math.floor(left / perUnit)
      left -= perUnit * units
      at += units
    }
    return most
  }
}
