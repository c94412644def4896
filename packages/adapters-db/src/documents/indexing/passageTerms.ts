import { plainTerm, plainWord } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError } from "../../database/Database.ts"
import type { GenerationSql } from "./generationSql.ts"
import { makePostings, type PostedTerm, postedTerm, type PostingPart } from "./postingParts.ts"

/** What a word is found by: its terms, and those of the word typed without its accents where they differ. */
interface WordTerms {
  readonly terms: ReadonlyArray<PostedTerm>
  readonly plain: ReadonlyArray<PostedTerm>
}

/** What is remembered of a language: most words of a text were in the texts before it. A term is one value, whoever has it. */
interface KnownWords {
  readonly words: Map<string, WordTerms>
  readonly terms: Map<string, PostedTerm>
}

/** Words that are remembered of a language, and how long one may be. */
const REMEMBERED_WORDS = 50_000
const REMEMBERED_LENGTH = 40

/** Words that a statement asks for the terms of at most, so that it ends soon also where the database is an embedded one. */
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
  /** How many lexemes the parts have. */
  readonly lexemes: number
}

interface TermRow extends Record<string, unknown> {
  readonly word: string
  readonly terms: ReadonlyArray<string> | null
  readonly plain: ReadonlyArray<string> | null
}

/** Of a mark that stands on no letter nothing is left without its marks: no term, and nothing that a `tsvector` takes. */
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
 * Finds the terms of passages whose words are given, in a language: the database's stemmers are asked for each word once, and
 * what they say is remembered.
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
    /** What is too long to be remembered. */
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
