import { scoreTerm } from "./bm25.ts"
import type { Document, FoundPassage, Passage } from "./Document.ts"
import type { SearchInput } from "./PassageIndex.ts"
import { MAX_QUERY_LENGTH } from "./searchableText.ts"
import { termsOf } from "./termsOf.ts"

/** A passage with the terms it is found by. */
export interface IndexedPassage {
  readonly passage: Passage
  readonly terms: ReadonlyMap<string, number>
  readonly length: number
}

interface SearchedDocument {
  readonly document: Document
  readonly passages: ReadonlyArray<IndexedPassage>
}

export const indexPassage = (passage: Passage): IndexedPassage => {
  const terms = termsOf(passage.text)
  return { passage, terms, length: sum([...terms.values()]) }
}

/** Searches the documents named among `owned`, by the statistics of all of them. */
export const searchPassages = (
  owned: ReadonlyArray<SearchedDocument>,
  input: SearchInput
): ReadonlyArray<FoundPassage> => {
  const all = owned.flatMap(({ passages }) => passages)
  const averageLength = sum(all.map(({ length }) => length)) / all.length
  const query = [...termsOf(input.query.slice(0, MAX_QUERY_LENGTH))].map(([term, weight]) => {
    return { term, weight, passagesWithTerm: all.filter(({ terms }) => terms.has(term)).length }
  })
  const scoreOf = ({ terms, length }: IndexedPassage): number =>
    sum(
      query.map(({ term, weight, passagesWithTerm }) => {
        const frequency = terms.get(term)
        if (frequency === undefined) return 0
        return weight * scoreTerm({ passages: all.length, passagesWithTerm, frequency, length, averageLength })
      })
    )
  const named = new Set(input.documentIds.map((id) => id.toLowerCase()))
  return owned
    .filter(({ document }) => named.has(document.id))
    .flatMap(({ document, passages }) =>
      passages.map((indexed): FoundPassage => {
        return { ...indexed.passage, documentId: document.id, filename: document.filename, score: scoreOf(indexed) }
      })
    )
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || byPosition(one, other))
    .slice(0, Math.max(0, input.limit))
}

const byPosition = (one: FoundPassage, other: FoundPassage): number =>
  one.documentId === other.documentId ? one.ordinal - other.ordinal : one.documentId < other.documentId ? -1 : 1

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)
