import { plainTerm, plainWord } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError } from "../database/Database.ts"
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

const nothingKnown = (): KnownWords => ({ words: new Map(), terms: new Map() })

const count = (occurrences: Map<PostedTerm, number>, terms: ReadonlyArray<PostedTerm>): void => {
  for (const term of terms) occurrences.set(term, (occurrences.get(term) ?? 0) + 1)
}

const blockTerms = (
  passages: ReadonlyArray<ReadonlyArray<string>>,
  find: (word: string) => WordTerms | undefined
): BlockTerms => {
  const postings = makePostings()
  const counted = passages.map((words, place): PassageTerms => {
    const own = new Map<PostedTerm, number>()
    const plain = new Map<PostedTerm, number>()
    for (const word of words) {
      const found = find(word)
      if (found === undefined) continue
      count(own, found.terms)
      count(plain, found.plain)
    }
    let length = 0
    for (const [term, frequency] of own) {
      postings.add(term, place, frequency)
      length += frequency
    }
    for (const [term, frequency] of plain) postings.add(term, place, frequency)
    return { length, terms: Array.from(own.keys(), ({ term }) => term).join(" "), frequencies: [...own.values()].join(" ") }
  })
  return { passages: counted, ...postings.parts() }
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
    const unknown = new Set<string>()
    for (const words of passages) for (const word of words) if (!kept.words.has(word)) unknown.add(word)
    const asked = [...unknown]
    for (let from = 0; from < asked.length; from += WORDS_PER_STATEMENT) {
      const words = asked.slice(from, from + WORDS_PER_STATEMENT)
      for (const { plain, terms, word } of yield* statement<TermRow>(findTerms, [words, words.map(plainWord), language])) {
        const { words: into } = word.length <= REMEMBERED_LENGTH ? kept : long
        into.set(word, {
          terms: (terms ?? []).map(posted),
          plain: (plain ?? []).map((term) => posted(plainTerm(term)))
        })
      }
    }
    return blockTerms(passages, (word) => kept.words.get(word) ?? long.words.get(word))
  })
}

export type FindPassageTerms = ReturnType<typeof makePassageTerms>
