/**
 * How much nearness in meaning counts beside words, and of how many passages each is looked at. The sum is of the score by
 * words as a share of the best one's, and of the place of the cosine between the least and the greatest of the nearest: models
 * differ in how near all texts are to each other, and a cosine of one says nothing beside that of another. A sum of ranks
 * loses what the better of the two knows (Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid retrieval", TOIS
 * 2023). Chosen on half of the questions of two collections, with embeddings of four qualities.
 */
export const FUSION = { weight: 0.4, candidates: 50 } as const

/** Cosines closer together than about this are not pulled apart. */
const LEAST_SPREAD = 0.02

/** A passage by its score by words, 0 where no word of it was asked for, and the cosine, where it has an embedding. */
export interface FusedCandidate {
  readonly score: number
  readonly similarity: number | undefined
}

/**
 * The score of each by both, given all that words found and at least the `FUSION.candidates` nearest; one without an embedding
 * counts as unrelated.
 */
export const fusedScores = (candidates: ReadonlyArray<FusedCandidate>): ReadonlyArray<number> => {
  const best = candidates.reduce((most, { score }) => Math.max(most, score), 0) || 1
  const nearest = candidates
    .flatMap(({ similarity }) => similarity ?? [])
    .sort((one, other) => other - one)
    .slice(0, FUSION.candidates)
  const greatest = nearest[0] ?? 0
  const least = nearest.at(-1) ?? 0
  const share = (similarity: number | undefined): number =>
    similarity === undefined || similarity < least
      ? 0
      : (similarity - least + LEAST_SPREAD) / (greatest - least + LEAST_SPREAD)
  return candidates.map(({ score, similarity }) => score / best + FUSION.weight * share(similarity))
}

/** The cosine of two embeddings of one length. */
export const cosine = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  const product = one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0)
  return product / (Math.hypot(...one) * Math.hypot(...other))
}
