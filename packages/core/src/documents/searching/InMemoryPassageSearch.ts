import {
  scoreTerm,
  FEEDBACK,
  feedbackScores,
  cosine,
  crowdOf,
  FUSION,
  fusedScores,
  type TermMatch
} from "./relevantPassages.ts"
import type { Document, FoundPassage, Passage } from "../Document.ts"
import type { Embedding } from "../embedding/Embedder.ts"
import type { SearchInput } from "../indexing/PassageIndex.ts"
import { passageWords, plainTerm, searchableQuery, plainTermsAmong, termsAmong } from "./searchTerms.ts"
import type { SearchLanguage } from "./searchLanguage.ts"

/** A passage with its terms. `foundBy` contains the same terms and, for accented words, the terms without accents. */
export interface IndexedPassage {
  readonly passage: Passage
  readonly terms: ReadonlyMap<string, number>
  readonly foundBy: ReadonlyMap<string, number>
  readonly length: number
  readonly embedding?: Embedding | undefined
}

interface SearchedDocument {
  readonly document: Document
  readonly language: SearchLanguage
  readonly passages: ReadonlyArray<IndexedPassage>
}

export const indexPassage = (passage: Passage, language: SearchLanguage, embedding?: Embedding): IndexedPassage => {
  const words = passageWords(passage)
  const terms = termsAmong(words, language)
  const plain = [...plainTermsAmong(words, language)].map(([term, count]) => [plainTerm(term), count] as const)
  return { passage, terms, foundBy: new Map([...terms, ...plain]), length: sum([...terms.values()]), embedding }
}

/**
 * The terms of a query in each of the given languages, with and without accents: a term that occurs in several
 * languages counts once.
 */
const queryTerms = (query: string, languages: ReadonlySet<SearchLanguage>) => {
  const words = searchableQuery(query)
  const weights = new Map<string, number>()
  let occurrences = 0
  for (const language of languages) {
    const terms = termsAmong(words, language)
    const plain = [...terms].map(([term, weight]) => [plainTerm(term), weight] as const)
    for (const [term, weight] of [...terms, ...plain, ...plainTermsAmong(words, language)]) {
      weights.set(term, Math.max(weight, weights.get(term) ?? 0))
    }
    occurrences = Math.max(occurrences, sum([...terms.values()]))
  }
  return { weights, occurrences }
}

interface Scored {
  readonly document: Document
  readonly indexed: IndexedPassage
  readonly score: number
  /** The cosine between the embeddings of the passage and the question; undefined if they were not compared. */
  readonly similarity?: number | undefined
}

interface ByWords extends Scored {
  readonly averageLength: number
}

/** The average lengths of the documents in one language, and of their passages. */
interface Averages {
  readonly whole: number
  readonly passage: number
}

const averagesOf = (documents: ReadonlyArray<SearchedDocument>): Averages => {
  const lengths = documents.flatMap(({ passages }) => passages.map(({ length }) => length))
  return { whole: sum(lengths) / documents.length, passage: sum(lengths) / lengths.length }
}

/** A term of the query, with its weight in the query and the number of the owner's passages that contain it. */
interface AskedTerm {
  readonly term: string
  readonly weight: number
  readonly passagesWithTerm: number
}

/** The BM25 score of one text: a passage or a whole document. */
const scoreText = (
  query: ReadonlyArray<AskedTerm>,
  {
    frequencyOf,
    ...lengths
  }: Pick<TermMatch, "passages" | "length" | "averageLength"> & {
    readonly frequencyOf: (term: string) => number
  }
): number =>
  sum(
    query.map(({ passagesWithTerm, term, weight }) => {
      const frequency = frequencyOf(term)
      return frequency === 0 ? 0 : weight * scoreTerm({ ...lengths, passagesWithTerm, frequency })
    })
  )

/**
 * The passages of the documents `named` that contain words of the query, unordered. The BM25 score of a passage is
 * multiplied by the score of its document as a share of the best document's: a long document has more passages, one of
 * which may have the best score by chance.
 */
const scoreWords = (
  named: ReadonlyArray<SearchedDocument>,
  query: ReadonlyArray<AskedTerm>,
  passages: number
): ReadonlyArray<ByWords> => {
  const averages = new Map(
    [...Map.groupBy(named, ({ language }) => language)].map(([language, documents]) => [
      language,
      averagesOf(documents)
    ])
  )
  const wholes = named.map((searched) => {
    const average = averages.get(searched.language)!
    const score = scoreText(query, {
      passages,
      length: sum(searched.passages.map(({ length }) => length)),
      averageLength: average.whole,
      frequencyOf: (term) => sum(searched.passages.map(({ foundBy }) => foundBy.get(term) ?? 0))
    })
    return { ...searched, averageLength: average.passage, score }
  })
  const best = Math.max(...wholes.map(({ score }) => score))
  return wholes.flatMap(({ averageLength, document, passages: own, score: ofDocument }) =>
    own.flatMap((indexed) => {
      const { foundBy, length } = indexed
      const score = scoreText(query, { passages, length, averageLength, frequencyOf: (term) => foundBy.get(term) ?? 0 })
      return score === 0 ? [] : [{ document, indexed, averageLength, score: score * (ofDocument / best) }]
    })
  )
}

/**
 * The passages of the documents `named` that contain words of the query, best first. Terms are weighted by their
 * frequency in all of the owner's passages.
 */
const searchWords = (
  owned: ReadonlyArray<SearchedDocument>,
  named: ReadonlyArray<SearchedDocument>,
  text: string
): ReadonlyArray<Scored> => {
  const all = owned.flatMap(({ passages }) => passages)
  const passagesWith = (term: string) => all.filter(({ foundBy }) => foundBy.has(term)).length
  const { occurrences, weights } = queryTerms(text, new Set(named.map(({ language }) => language)))
  const query = [...weights].map(([term, weight]) => ({ term, weight, passagesWithTerm: passagesWith(term) }))
  const found = scoreWords(named, query, all.length).toSorted(bestFirst)
  const candidates = found.slice(0, FEEDBACK.candidates)
  const more = feedbackScores(
    candidates.map(({ averageLength, indexed: { length, terms }, score }) => ({ averageLength, length, score, terms })),
    occurrences,
    { passages: all.length, passagesWith }
  )
  return [
    ...candidates.map((each, rank) => ({ ...each, score: each.score + (more[rank] ?? 0) })).sort(bestFirst),
    ...found.slice(FEEDBACK.candidates)
  ]
}

const scoredBy = (
  documents: ReadonlyArray<SearchedDocument>,
  scoreOf: (passage: IndexedPassage) => number
): Array<Scored> =>
  documents.flatMap(({ document, passages }) =>
    passages.map((indexed): Scored => ({ document, indexed, score: scoreOf(indexed) }))
  )

/** The embedding of a question, and the weight of its embedder (`FUSION.weight` unless given). */
export interface AskedEmbedding {
  readonly embedding: Embedding
  readonly weight?: number | undefined
}

/**
 * The passages found by words and by meaning, ordered by their fused scores; of two with equal scores, the more similar
 * passage comes first.
 */
const fused = (
  byWords: ReadonlyArray<Scored>,
  named: ReadonlyArray<SearchedDocument>,
  { embedding, weight }: AskedEmbedding
): ReadonlyArray<Scored> => {
  const similarityOf = (passage: IndexedPassage) =>
    passage.embedding === undefined ? undefined : cosine(passage.embedding, embedding)
  const compared = scoredBy(
    named.map((each) => ({ ...each, passages: each.passages.filter((passage) => passage.embedding !== undefined) })),
    (passage) => similarityOf(passage) ?? 0
  )
  const crowd = crowdOf(compared.map(({ score }) => score))
  const near = compared.sort(bestFirst).slice(0, FUSION.candidates)
  const known = new Set(byWords.map(({ indexed }) => indexed))
  const all = [
    ...byWords,
    ...near.filter(({ indexed, score }) => score > 0 && !known.has(indexed)).map((each) => ({ ...each, score: 0 }))
  ]
  const candidates = all.map(({ indexed, score }) => ({ score, similarity: similarityOf(indexed) }))
  const scores = fusedScores(candidates, crowd, weight)
  return all
    .map((each, place) => ({ ...each, score: scores[place] ?? 0, similarity: candidates[place]?.similarity }))
    .sort(
      (one, other) =>
        other.score - one.score || (other.similarity ?? -1) - (one.similarity ?? -1) || bestFirst(one, other)
    )
}

/**
 * Searches the documents `named` among `owned`, by words with the statistics of all owned documents, and by meaning if
 * there is an embedding of the query.
 */
export const searchPassages = (
  owned: ReadonlyArray<SearchedDocument>,
  { documentIds, limit, query }: SearchInput,
  asked?: AskedEmbedding
): ReadonlyArray<FoundPassage> => {
  const names = new Set(documentIds.map((id) => id.toLowerCase()))
  const named = owned.filter(({ document }) => names.has(document.id))
  const byWords = searchWords(owned, named, query).slice(0, Math.max(limit, FEEDBACK.candidates))
  const found = asked === undefined ? byWords : fused(byWords, named, asked)
  return found.slice(0, Math.max(0, limit)).map(({ document, indexed, score, similarity }) => ({
    ...indexed.passage,
    documentId: document.id,
    filename: document.filename,
    score,
    ...(similarity === undefined ? {} : { similarity })
  }))
}

const bestFirst = (one: Scored, other: Scored): number =>
  other.score - one.score ||
  (one.document.id === other.document.id
    ? one.indexed.passage.ordinal - other.indexed.passage.ordinal
    : one.document.id < other.document.id
      ? -1
      : 1)

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)
