import { hash } from "node:crypto"
import { plainTerm, plainWord } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError } from "../../database/Database.ts"
import type { GenerationSql } from "./generationSql.ts"

/** A term in the form in which postings store it. */
export interface PostedTerm {
  readonly term: string
  readonly lexeme: string
  /** The lexeme as it is written in the text form of a `tsvector`. */
  readonly quoted: string
  /** The length of the lexeme in UTF-8. */
  readonly bytes: number
  /** The first byte of the lexeme's SHA-256, which selects the part of a block that contains the lexeme. */
  readonly hash: number
  /** The number of occurrences in the passage that is being counted at the moment; 0 otherwise. */
  times: number
}

/**
 * The longest term, in bytes, that is stored as a lexeme. A longer term is stored as its hash, like in the SQL function
 * `lexeme_of`.
 */
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

/**
 * A position in a posting is the number of the passage in its block times this constant, plus the frequency of the
 * term, up to a maximum.
 */
const PLACE = 128
const MAX_FREQUENCY = PLACE - 1

/** The most bytes of a row of postings, approximately: half a page. A block has a power of 2 of such parts. */
const PART_BYTES = 4_000
const MAX_PARTS = 256
/** The bytes of a lexeme in a `tsvector` in addition to its letters, and the bytes of each of its positions. */
const LEXEME_BYTES = 7
const POSITION_BYTES = 2

/** A part of a block of passages, which is stored as one row of postings. */
export interface PostingPart {
  readonly number: number
  /** A `tsvector` as text. */
  readonly lexemes: string
  /** The frequencies that are too high for a position, by term and passage, as JSON. */
  readonly frequent: string | null
}

interface Posting {
  positions: string
  readonly often: Record<string, number>
}

/** Collects the positions of terms in a block of passages. */
export const makePostings = () => {
  const postings = new Map<PostedTerm, Posting>()
  let bytes = 0
  return {
    /**
     * Records the frequency of a term in the passage with the number `place` of the block; to be called once for each
     * pair.
     */
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
    /** Returns the parts of the block, none of which is empty, and the number of all their lexemes. */
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

/** The terms by which a search finds a word, and, if they differ, the terms of the word typed without its accents. */
interface WordTerms {
  readonly terms: ReadonlyArray<PostedTerm>
  readonly plain: ReadonlyArray<PostedTerm>
}

/**
 * The known words of a language: most words of a text have occurred in earlier texts. Each term is stored only once.
 */
interface KnownWords {
  readonly words: Map<string, WordTerms>
  readonly terms: Map<string, PostedTerm>
}

/** The most words of a language that are remembered, and the most characters of a remembered term. */
const REMEMBERED_WORDS = 50_000
const REMEMBERED_LENGTH = 40

/** The most words in one statement, so that it ends soon even if the database is embedded. */
const WORDS_PER_STATEMENT = 4_000

/** The terms of a passage: their number; each distinct term, and how often it occurs, both separated by spaces. */
export interface PassageTerms {
  readonly length: number
  readonly terms: string
  readonly frequencies: string
}

export interface BlockTerms {
  readonly passages: ReadonlyArray<PassageTerms>
  readonly parts: ReadonlyArray<PostingPart>
  /** The number of lexemes of the parts. */
  readonly lexemes: number
}

interface TermRow extends Record<string, unknown> {
  readonly word: string
  readonly terms: ReadonlyArray<string> | null
  readonly plain: ReadonlyArray<string> | null
}

/**
 * False for an empty term. A mark that belongs to no letter leaves an empty term, which a `tsvector` does not accept.
 */
const isTerm = (term: string): boolean => term !== ""

const NO_TERMS: WordTerms = { terms: [], plain: [] }

const nothingKnown = (): KnownWords => ({ words: new Map(), terms: new Map() })

/**
 * Returns the distinct terms of words in the order of their first occurrence, with the number of occurrences of each.
 */
const counted = (
  words: ReadonlyArray<WordTerms>,
  which: "terms" | "plain"
): { readonly terms: ReadonlyArray<PostedTerm>; readonly frequencies: ReadonlyArray<number>; readonly sum: number } => {
  const terms: Array<PostedTerm> = []
  let sum = 0
  for (const word of words) {
    for (const term of word[which]) {
      if (term.times === 0) terms.push(term)
      term.times += 1
      sum += 1
    }
  }
  const frequencies = terms.map((term) => term.times)
  for (const term of terms) term.times = 0
  return { terms, frequencies, sum }
}

const blockTerms = (passages: ReadonlyArray<ReadonlyArray<WordTerms>>): BlockTerms => {
  const postings = makePostings()
  const found = passages.map((words, place): PassageTerms => {
    const own = counted(words, "terms")
    const plain = counted(words, "plain")
    for (const { frequencies, terms } of [own, plain]) {
      for (let at = 0; at < terms.length; at++) postings.add(terms[at]!, place, frequencies[at]!)
    }
    const terms = own.terms.map(({ term }) => term).join(" ")
    return { length: own.sum, terms, frequencies: own.frequencies.join(" ") }
  })
  return { passages: found, ...postings.parts() }
}

/**
 * Makes the function that finds the terms of the words of passages in a language. The database's stemmers see each word
 * only once, because the result is remembered.
 */
export const makePassageTerms = ({ findTerms }: GenerationSql) => {
  const remembered = new Map<string, KnownWords>()

  const rememberedOf = (language: string): KnownWords => {
    const known = remembered.get(language)
    if (known !== undefined && known.words.size < REMEMBERED_WORDS) return known
    const empty = nothingKnown()
    remembered.set(language, empty)
    return empty
  }

  return Effect.fnUntraced(function* (
    { statement }: Database["Service"],
    language: string,
    texts: ReadonlyArray<string>
  ): Effect.fn.Return<BlockTerms, DatabaseError> {
    const passages = texts.map((text) => text.split(" "))
    const kept = rememberedOf(language)
    /** The words and terms that are too long to be remembered; they are kept for this call only. */
    const long = nothingKnown()
    const posted = (term: string): PostedTerm => {
      const { terms } = term.length <= REMEMBERED_LENGTH ? kept : long
      const known = terms.get(term)
      if (known !== undefined) return known
      const made = postedTerm(term)
      terms.set(term, made)
      return made
    }
    const find = (word: string): WordTerms => kept.words.get(word) ?? long.words.get(word) ?? NO_TERMS
    const unknown = new Set<string>()
    const found = passages.map((words) =>
      words.map((word) => {
        const known = kept.words.get(word)
        if (known === undefined) unknown.add(word)
        return known
      })
    )
    const asked = [...unknown]
    for (let from = 0; from < asked.length; from += WORDS_PER_STATEMENT) {
      const words = asked.slice(from, from + WORDS_PER_STATEMENT)
      for (const { plain, terms, word } of yield* statement<TermRow>(findTerms, [
        words,
        words.map(plainWord),
        language
      ])) {
        const { words: into } = word.length <= REMEMBERED_LENGTH ? kept : long
        into.set(word, {
          terms: (terms ?? []).filter(isTerm).map(posted),
          plain: (plain ?? []).filter(isTerm).map((term) => posted(plainTerm(term)))
        })
      }
    }
    return blockTerms(found.map((words, passage) => words.map((known, at) => known ?? find(passages[passage]![at]!))))
  })
}

export type FindPassageTerms = ReturnType<typeof makePassageTerms>
