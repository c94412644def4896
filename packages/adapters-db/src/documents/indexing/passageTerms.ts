import { hash } from "node:crypto"
import { plainTerm, plainWord } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError } from "../../database/Database.ts"
import type { GenerationSql } from "./generationSql.ts"

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
  /** The number of occurrences in the passage that is being counted; 0 otherwise. */
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

/** One position of a passage: its place in the block, and how often the term is in it, up to a maximum. */
const PLACE = 128
const MAX_FREQUENCY = PLACE - 1

/** The most bytes of a row of postings, about: half a page. The number of parts is a power of 2. */
const PART_BYTES = 4_000
const MAX_PARTS = 256
/** Bytes of a lexeme in a `tsvector` in addition to its letters, and of each of its positions. */
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

/** Collects the positions of terms in a block of passages. */
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

/** The terms that find a word, and those of the word typed without its accents if they differ. */
interface WordTerms {
  readonly terms: ReadonlyArray<PostedTerm>
  readonly plain: ReadonlyArray<PostedTerm>
}

/** The known words of a language: most words of a text occurred in earlier texts. Each term is stored once. */
interface KnownWords {
  readonly words: Map<string, WordTerms>
  readonly terms: Map<string, PostedTerm>
}

/** Words that are remembered of a language, and how long one may be. */
const REMEMBERED_WORDS = 50_000
const REMEMBERED_LENGTH = 40

/** The most words in one statement, so that it ends soon even if the database is embedded. */
const WORDS_PER_STATEMENT = 4_000

/** A passage by its terms: how many it has in all; each once, and how often each occurs, with spaces between. */
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

/** Nothing remains of a mark that belongs to no letter: there is no term, and nothing that a `tsvector` accepts. */
const isTerm = (term: string): boolean => term !== ""

const NO_TERMS: WordTerms = { terms: [], plain: [] }

const nothingKnown = (): KnownWords => ({ words: new Map(), terms: new Map() })

/** The terms of words, each once in the order of their first, with how often each occurs. */
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
 * Finds the terms of the words of passages, in a language. The database's stemmers see each word once; the result is
 * remembered.
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
    /** Words longer than this are not remembered. */
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
