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
    hash: Number.parseInt(hash("sha256", lexeme).slice(0, 2), 16)
  }
}
