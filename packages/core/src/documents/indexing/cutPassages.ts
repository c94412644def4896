import type { Passage } from "../Document.ts"
import type { ParsedDocument } from "../reading/DocumentParser.ts"
import { entered, type Heading } from "../reading/Heading.ts"
import { pageBodies, sentenceOverBreak } from "./pageBreaks.ts"
import type { TextSpan } from "../reading/readableText.ts"
import { pieceTokenizer } from "../../tokens/pieceTokenizer.ts"

/**
 * The length of passages in UTF-16 units: cuts are made between 800 and 1,100, and never later. Chosen on half of the
 * questions of a collection of long texts, by the recall of five passages within 5,000 units of context.
 */
export const PASSAGE_LENGTH = { aim: 800, max: 1100 } as const
/**
 * The length of passages in tokens, for scripts that need more tokens for the same length: cuts are made between 320
 * and 450 tokens, as estimated.
 */
export const PASSAGE_TOKENS = { aim: 320, max: 450 } as const

/**
 * Cuts a document's text into passages at the best boundary: heading, paragraph, row or item, sentence, line, cell,
 * word. Passages do not overlap, cover everything except white space and running heads and feet, never split a
 * character, and stay within their page. Only a sentence that runs over a page break stays whole, with the page on
 * which it starts, unless a running head separates its parts. Linear in the length of the text; the generator cuts each
 * passage on demand, so that other work can run in between. `bodies` are the pages without running heads and feet
 * (`pageBodies`).
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
 * Returns a function that is called with consecutive parts of a text, and returns the headings above the start of each
 * part and those in it.
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
 * The parts of a text that no passage crosses: its pages, with sentences that run over a page break moved to the page
 * on which they start.
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

/** A text to cut, with its headings and its token counts. */
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

/**
 * The end of the passage that begins at `start`. A rest that would be too short for a passage of its own is divided
 * evenly with this passage.
 */
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

/** The ranks of boundaries: the highest rank is used, and the last boundary of that rank. */
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

/** The rank of ending a passage before the character at `at`. */
const rankOf = (text: string, at: number, isHeading: ReadonlySet<number>): number => {
  const before = text[at - 1] ?? ""
  const next = text[at] ?? ""
  if (WIDE_SENTENCE_END.test(before)) return RANK.sentence
  if (!BLANK.test(next)) return 0
  if (next === "\n" && isHeading.has(at + 1)) return RANK.heading
  if (next === "\n" && text[at + 1] === "\n") return isHeading.has(at + 2) ? RANK.heading : RANK.paragraph
  if (next === "\n" && (endsRow(text, at) || ITEM.test(text.slice(at + 1, at + 1 + MAX_MARK)))) return RANK.row
  // A sentence that ends within a cell does not end the row.
  if (endsSentence(text, at)) return RANK.sentence
  if (next === "\n") return RANK.line
  return next === "\t" ? RANK.cell : RANK.word
}

/** Matches the beginning of a list item; `MAX_MARK` bounds the number of characters that are examined. */
const ITEM = /^ {0,16}(?:[-*+•–]|\d{1,4}[.)]) /u
const MAX_MARK = 24

/** Returns true if the line that ends at `at` is a row of a table whose cells are separated by tabs. */
const endsRow = (text: string, at: number): boolean => {
  const from = Math.max(0, at - PASSAGE_LENGTH.max)
  const line = text.slice(from, at)
  return line.includes("\t", line.lastIndexOf("\n") + 1)
}

const BLANK = /\s/u
const WIDE_SENTENCE_END = /[。！？]/u
const SENTENCE_END = /[.!?…؟۔।]/u
const CLOSING = /["'”’)\]]/u

/**
 * Returns true if a sentence ends directly before the white space at `at`; closing quotes and brackets belong to the
 * sentence.
 */
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

/** Moves a cut at `at` back if it would split a surrogate pair; forward if the passage would be empty. */
const wholeCharacter = (text: string, start: number, at: number): number => {
  const unit = text.charCodeAt(at)
  const parts = unit >= 0xdc00 && unit <= 0xdfff && isHighSurrogate(text.charCodeAt(at - 1))
  if (!parts) return at
  return at - 1 > start ? at - 1 : at + 1
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** Returns the number of UTF-16 units from `start` on that contain the given number of tokens; at most `most`. */
export type TokenReach = (start: number, tokens: number, most: number) => number

/**
 * Text is counted in pieces of this many UTF-16 units, each once; a word that is divided by the end of a piece counts
 * as two words.
 */
const PIECE = 64
const UNCOUNTED = 0xffff

/**
 * Counts tokens with the default tokenizer, whichever model reads the text, so that passages do not change with the
 * model.
 */
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
