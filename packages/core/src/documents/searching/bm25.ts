/**
 * How soon repeating a term stops counting (k1), and how much a long passage is held against it (b): the values of
 * Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.5.
 */
export const BM25 = { k1: 1.2, b: 0.75 } as const

/** One term in one passage, with the term's statistics in the owner's passages. */
export interface TermMatch {
  /** Passages of the owner, and how many of them have the term. */
  readonly passages: number
  readonly passagesWithTerm: number
  /** Occurrences of the term in this passage. */
  readonly frequency: number
  /** Terms in this passage, and in the owner's passages on average. */
  readonly length: number
  readonly averageLength: number
}

/** How far the occurrences of a term in a passage count: 0 to 1, less in a long passage. */
export const saturation = ({
  averageLength,
  frequency,
  length
}: Pick<TermMatch, "averageLength" | "frequency" | "length">): number =>
  frequency / (frequency + BM25.k1 * (1 - BM25.b + (BM25.b * length) / averageLength))

/**
 * Returns the contribution of one term of the query to a passage's score: BM25 as Lucene computes it, with the inverse
 * document frequency `ln(1 + (N - n + 0.5) / (n + 0.5))`, which is never negative, and without the constant factor `k1
 * + 1`.
 */
export const scoreTerm = (match: TermMatch): number => {
  const { passages, passagesWithTerm } = match
  return Math.log(1 + (passages - passagesWithTerm + 0.5) / (passagesWithTerm + 0.5)) * saturation(match)
}
