import type { PostedTerm } from "./postedTerm.ts"
import { makeTextWriter } from "./textWriter.ts"

/** What one position tells of a passage: its place in the block, and how often the term is in it, which stands for more too. */
const PLACE = 128
const MAX_FREQUENCY = PLACE - 1

/** What a row of postings is to have at most, about, in bytes: half a page. The number of parts is a power of 2. */
const PART_BYTES = 4_000
const MAX_PARTS = 256
/** What a lexeme takes in a `tsvector` beside its letters, and each of its positions. */
const LEXEME_BYTES = 7
const POSITION_BYTES = 2

const SPACE = 0x20
const COMMA = 0x2c
const COLON = 0x3a

/** A part of a block of passages, a row of postings. */
export interface PostingPart {
  readonly number: number
  /** A `tsvector` as text. */
  readonly lexemes: string
  /** JSON of how often terms are in passages that have them too often for a position. */
  readonly frequent: string | null
}

/** Where terms are in a block, in the order of passages. */
export interface Postings {
  /** The terms that the block has, each once, in the order of their first. */
  readonly terms: ReadonlyArray<PostedTerm>
  /** Of each posting, of which of these it is, the place of the passage in the block, and how often the term is in it. */
  readonly places: Int32Array
  readonly ofTerms: Int32Array
  readonly frequencies: Int32Array
}

/** Postings by their terms: where those of each term begin, and all of them, in order. */
const byTerm = ({ ofTerms, terms }: Postings) => {
  const starts = new Int32Array(terms.length + 1)
  for (const term of ofTerms) starts[term + 1]! += 1
  for (let term = 0; term < terms.length; term++) starts[term + 1]! += starts[term]!
  const next = starts.slice()
  const order = new Int32Array(ofTerms.length)
  for (let posting = 0; posting < order.length; posting++) order[next[ofTerms[posting]!]!++] = posting
  return { starts, order }
}

/** The parts of a block, none of which is empty, by their numbers. */
export const postingParts = (postings: Postings): ReadonlyArray<PostingPart> => {
  const { frequencies, ofTerms, places, terms } = postings
  const bytes = terms.reduce((sum, term) => sum + term.bytes + LEXEME_BYTES, ofTerms.length * POSITION_BYTES)
  const count = Math.min(MAX_PARTS, 2 ** Math.max(0, Math.ceil(Math.log2(bytes / PART_BYTES))))
  const texts = Array.from({ length: count }, makeTextWriter)
  const frequent = new Map<number, Record<string, Record<string, number>>>()
  const { order, starts } = byTerm(postings)
  for (const [term, { hash, lexeme, quoted }] of terms.entries()) {
    const part = hash % count
    const text = texts[part]!
    let often: Record<string, number> | undefined
    if (!text.isEmpty()) text.addCharacter(SPACE)
    text.addText(quoted)
    const first = starts[term]!
    for (let at = first; at < starts[term + 1]!; at++) {
      const place = places[order[at]!]!
      const frequency = frequencies[order[at]!]!
      const position = place * PLACE + Math.min(frequency, MAX_FREQUENCY)
      text.addCharacter(at === first ? COLON : COMMA)
      text.addNumber(position)
      if (frequency >= MAX_FREQUENCY) often = { ...often, [place]: frequency }
    }
    if (often !== undefined) frequent.set(part, { ...frequent.get(part), [lexeme]: often })
  }
  return texts.flatMap((text, part): ReadonlyArray<PostingPart> => {
    if (text.isEmpty()) return []
    const often = frequent.get(part)
    return [
      { number: count + part, lexemes: text.take(), frequent: often === undefined ? null : JSON.stringify(often) }
    ]
  })
}
