import { plainTerm, plainWord } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError } from "../database/Database.ts"
import type { GenerationSql } from "./generationSql.ts"

/** What a word is found by: its terms, and those of the word typed without its accents where they differ. */
interface WordTerms {
  readonly terms: ReadonlyArray<string>
  readonly plain: ReadonlyArray<string>
}

/** Words that are remembered of a language, and how long one may be: most words of a text were in the texts before it. */
const REMEMBERED_WORDS = 50_000
const REMEMBERED_LENGTH = 40

/** A passage by its terms: how many it has in all, each once, and how often each occurs. */
export interface PassageTerms {
  readonly length: number
  readonly terms: ReadonlyArray<string>
  readonly frequencies: ReadonlyArray<number>
}

/** A term with the passages it finds, by their places in the block, and how often it is in each. */
export interface TermPostings {
  readonly term: string
  readonly places: ReadonlyArray<number>
  readonly frequencies: ReadonlyArray<number>
}

export interface BlockTerms {
  readonly passages: ReadonlyArray<PassageTerms>
  /** In the order of the index they go into, which then changes place by place. */
  readonly postings: ReadonlyArray<TermPostings>
}

interface TermRow extends Record<string, unknown> {
  readonly word: string
  readonly terms: ReadonlyArray<string> | null
  readonly plain: ReadonlyArray<string> | null
}

const NONE: WordTerms = { terms: [], plain: [] }

const counted = (occurrences: Map<string, number>, terms: ReadonlyArray<string>): void => {
  for (const term of terms) occurrences.set(term, (occurrences.get(term) ?? 0) + 1)
}

const sumOf = (numbers: Iterable<number>): number => {
  let sum = 0
  for (const number of numbers) sum += number
  return sum
}

const blockTerms = (texts: ReadonlyArray<string>, known: ReadonlyMap<string, WordTerms>): BlockTerms => {
  const postings = new Map<string, { readonly places: Array<number>; readonly frequencies: Array<number> }>()
  const passages = texts.map((text, place): PassageTerms => {
    const own = new Map<string, number>()
    const plain = new Map<string, number>()
    for (const word of text.split(" ")) {
      const found = known.get(word) ?? NONE
      counted(own, found.terms)
      counted(plain, found.plain)
    }
    const plainTerms = [...plain].map(([term, frequency]) => [plainTerm(term), frequency] as const)
    for (const [term, frequency] of [...own, ...plainTerms]) {
      const posting = postings.get(term) ?? { places: [], frequencies: [] }
      posting.places.push(place)
      posting.frequencies.push(frequency)
      postings.set(term, posting)
    }
    return { length: sumOf(own.values()), terms: [...own.keys()], frequencies: [...own.values()] }
  })
  const ordered = [...postings].sort(([one], [other]) => (one < other ? -1 : 1))
  return { passages, postings: ordered.map(([term, posting]) => ({ term, ...posting })) }
}

/**
 * Finds the terms of texts that were made words already, in a language: the database's stemmers are asked for each word once,
 * and what they say is remembered.
 */
export const makePassageTerms = ({ findTerms }: GenerationSql) => {
  const remembered = new Map<string, Map<string, WordTerms>>()

  const rememberedOf = (language: string): Map<string, WordTerms> => {
    const known = remembered.get(language)
    if (known !== undefined && known.size < REMEMBERED_WORDS) return known
    const empty = new Map<string, WordTerms>()
    remembered.set(language, empty)
    return empty
  }

  return Effect.fnUntraced(function* (
    { statement }: Database["Service"],
    language: string,
    texts: ReadonlyArray<string>
  ): Effect.fn.Return<BlockTerms, DatabaseError> {
    const kept = rememberedOf(language)
    const words = new Set(texts.flatMap((text) => text.split(" ")))
    const known = new Map<string, WordTerms>()
    const asked: Array<string> = []
    for (const word of words) {
      const terms = kept.get(word)
      if (terms === undefined) asked.push(word)
      else known.set(word, terms)
    }
    if (asked.length > 0) {
      for (const row of yield* statement<TermRow>(findTerms, [asked, asked.map(plainWord), language])) {
        const terms = { terms: row.terms ?? [], plain: row.plain ?? [] }
        known.set(row.word, terms)
        if (row.word.length <= REMEMBERED_LENGTH) kept.set(row.word, terms)
      }
    }
    return blockTerms(texts, known)
  })
}

export type FindPassageTerms = ReturnType<typeof makePassageTerms>
