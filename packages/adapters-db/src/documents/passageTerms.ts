import { plainTerm, plainWord } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Database, DatabaseError } from "../database/Database.ts"
import { type BlockTerms, makeBlockTerms } from "./blockTerms.ts"
import type { GenerationSql } from "./generationSql.ts"
import { wordsOf } from "./blockWords.ts"
import { isFull, type KnownWords, learnWord, NO_TERMS, nothingKnown, toldOf } from "./knownWords.ts"

/** Words that a statement asks for the terms of at most, so that it ends soon also where the database is an embedded one. */
const WORDS_PER_STATEMENT = 4_000

interface TermRow extends Record<string, unknown> {
  readonly word: string
  readonly terms: ReadonlyArray<string> | null
  readonly plain: ReadonlyArray<string> | null
}

/** Of a mark that stands on no letter nothing is left without its marks: no term, and nothing that a `tsvector` takes. */
const isTerm = (term: string): boolean => term !== ""

/**
 * Finds the terms of passages whose words are given, in a language: the database's stemmers are asked for each word once, and
 * what they say is remembered.
 */
export const makePassageTerms = ({ findTerms }: GenerationSql) => {
  const remembered = new Map<string, KnownWords>()
  const blockTerms = makeBlockTerms()

  const rememberedOf = (language: string): KnownWords => {
    const known = remembered.get(language)
    if (known !== undefined && !isFull(known)) return known
    const empty = nothingKnown()
    remembered.set(language, empty)
    return empty
  }

  return Effect.fnUntraced(function* (
    { statement }: Database["Service"],
    language: string,
    texts: ReadonlyArray<string>
  ): Effect.fn.Return<BlockTerms, DatabaseError> {
    const known = rememberedOf(language)
    const { ends, unknown, words } = wordsOf(texts, known)
    const asked = [...unknown.keys()]
    for (let from = 0; from < asked.length; from += WORDS_PER_STATEMENT) {
      const some = asked.slice(from, from + WORDS_PER_STATEMENT)
      const rows = yield* statement<TermRow>(findTerms, [some, some.map(plainWord), language])
      for (const { plain, terms, word } of rows) {
        learnWord(known, word, {
          own: (terms ?? []).filter(isTerm),
          plain: (plain ?? []).filter(isTerm).map(plainTerm)
        })
      }
    }
    for (const [word, places] of unknown) {
      const told = toldOf(known, word) ?? NO_TERMS
      for (const place of places) words[place] = told
    }
    return blockTerms(known, { words, ends })
  })
}

export type FindPassageTerms = ReturnType<typeof makePassageTerms>
