import { hash } from "node:crypto"

/** A term as postings have it. */
export interface PostedTerm {
  readonly term: string
  readonly lexeme: string
  /** The lexeme as it is written in the text of a `tsvector`. */
  readonly quoted: string
  /** Of the lexeme, in UTF-8. */
  readonly bytes: number
  /** The first byte of its SHA-256, by which it has its part of a block. */
  readonly hash: number
  /** How often it is in the passage at hand; 0 but while one is counted, which is done in one go. */
  times: number
}

/** The longest term that is a lexeme itself, in bytes; of a longer one it is the hash, as `lexeme_of` of the schema has it. */
const MAX_LEXEME_BYTES = 1_024

export const postedTerm = (term: string): PostedTerm => {
  const isLong = term.length * 3 > MAX_LEXEME_BYTES && Buffer.byteLength(term) > MAX_LEXEME_BYTES
  const lexeme = isLong ? `#${hash("sha256", term)}` : term
  return {
    term,
    lexeme,
    quoted: `'${lexeme.replace(/['\\]/gu, "$&$&")}'`,
    bytes: Buffer.byteLength(lexeme),
    hash: Number.parseInt(hash("sha256", lexeme).slice(0, 2), 16),
    times: 0
  }
}

/** What one position tells of a passage: its place in the block, and how often the term is in it, which stands for more too. */
const PLACE = 128
const MAX_FREQUENCY = PLACE - 1

/** What a row of postings is to have at most, about, in bytes: half a page. The number of parts is a power of 2. */
const PART_BYTES = 4_000
const MAX_PARTS = 256
/** What a lexeme takes in a `tsvector` beside its letters, and each of its positions. */
const LEXEME_BYTES = 7
const POSITION_BYTES = 2

/** A part of a block of passages, a row of postings. */
export interface PostingPart {
  readonly number: number
  /** A `tsvector` as text. */
  readonly lexemes: string
  /** JSON of how often terms are in passages that have them too often for a position. */
  readonly frequent: string | null
}

interface Posting {
  positions: string
  readonly often: Record<string, number>
}

/** Collects where terms are in a block of passages. */
export const makePostings = () => {
  const postings = new Map<PostedTerm, Posting>()
  let bytes = 0
  return {
    /** Notes how often a term is in the passage at a place of the block; once for each of them. */
    add: (term: PostedTerm, place: number, frequency: number): void => {
      const position = String(place * PLACE + Math.min(frequency, MAX_FREQUENCY))
      let posting = postings.get(term)
      if (posting === undefined) {
        posting = { positions: position, often: NEVER }
        postings.set(term, posting)
        bytes += term.bytes + LEXEME_BYTES
      } else posting.positions += `,${position}`
      bytes += POSITION_BYTES
      if (frequency >= MAX_FREQUENCY) {
        postings.set(term, { ...posting, often: { ...posting.often, [place]: frequency } })
      }
    },
    /** The block's parts, none of which is empty, and how many lexemes they have. */
    parts: (): { readonly parts: ReadonlyArray<PostingPart>; readonly lexemes: number } => {
      const count = Math.min(MAX_PARTS, 2 ** Math.max(0, Math.ceil(Math.log2(bytes / PART_BYTES))))
      const lexemes = new Map<number, string>()
      const frequent = new Map<number, Record<string, Posting["often"]>>()
      for (const [term, { often, positions }] of postings) {
        const number = count + (term.hash % count)
        const before = lexemes.get(number)
        lexemes.set(number, `${before === undefined ? "" : `${before} `}${term.quoted}:${positions}`)
        if (often !== NEVER) frequent.set(number, { ...frequent.get(number), [term.lexeme]: often })
      }
      const parts = [...lexemes].map(([number, text]): PostingPart => {
        const often = frequent.get(number)
        return { number, lexemes: text, frequent: often === undefined ? null : JSON.stringify(often) }
      })
      return { parts: parts.sort((one, other) => one.number - other.number), lexemes: postings.size }
    }
  }
}

const NEVER: Posting["often"] = {}
