/**
 * How much nearness in meaning counts beside words, and of how many passages each is looked at. The sum is of the score by
 * words as a share of the best one's, and of the cosine; a sum of ranks loses what the better of the two knows (Bruch, Gai
 * and Ingber, "An analysis of fusion functions for hybrid retrieval", TOIS 2023).
 */
export const FUSION = { weight: 0.5, candidates: 50 } as const

/** A passage by its score by words, 0 where no word of it was asked for, and the cosine, where it has an embedding. */
export interface FusedCandidate {
  readonly score: number
  readonly similarity: number | undefined
}

/** The score of each by both; one without an embedding counts as unrelated. */
export const fusedScores = (candidates: ReadonlyArray<FusedCandidate>): ReadonlyArray<number> => {
  const best = Math.max(...candidates.map(({ score }) => score), 0) || 1
  return candidates.map(({ score, similarity = 0 }) => score / best + FUSION.weight * Math.max(0, similarity))
}

/** The cosine of two embeddings of one length. */
export const cosine = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  const product = one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0)
  return product / (Math.hypot(...one) * Math.hypot(...other))
}
