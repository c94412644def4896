/**
 * How much nearness in meaning counts beside words, and of how many passages each is looked at. The sum is of the score by
 * words as a share of the best one's, and of how many standard deviations a cosine lies above the average of all that were
 * compared, each of which counts `weight`: models differ in how near all texts are to each other, and one that tells nothing
 * apart has none that stands out far. A sum of ranks loses what the better of the two knows (Bruch, Gai and Ingber, "An analysis
 * of fusion functions for hybrid retrieval", TOIS 2023). Chosen on half of the questions of two collections, with embeddings of
 * eight qualities; an embedder that is known to find better than words says so by a `weight` of its own.
 */
export const FUSION = { weight: 0.04, candidates: 50 } as const

/** Cosines closer together than about this are not pulled apart. */
const LEAST_DEVIATION = 0.01

/** A passage with its score by words, 0 if it has no word of the query, and the cosine, if it has an embedding. */
export interface FusedCandidate {
  readonly score: number
  readonly similarity: number | undefined
}

/** How near all passages are that were compared: the average of their cosines, and the standard deviation. */
export interface Crowd {
  readonly average: number
  readonly deviation: number
}

/** The crowd of these cosines, as far as they are numbers. */
export const crowdOf = (similarities: ReadonlyArray<number>): Crowd => {
  const known = similarities.filter((similarity) => !Number.isNaN(similarity))
  const mean = (values: ReadonlyArray<number>) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const average = mean(known)
  return { average, deviation: Math.sqrt(mean(known.map((value) => (value - average) ** 2))) }
}

/**
 * The score of each by both, among a crowd of cosines; one without an embedding counts as unrelated. `weight` is what one
 * standard deviation counts, as a share of the best score by words.
 */
export const fusedScores = (
  candidates: ReadonlyArray<FusedCandidate>,
  { average, deviation }: Crowd,
  weight: number = FUSION.weight
): ReadonlyArray<number> => {
  const best = candidates.reduce((most, { score }) => Math.max(most, score), 0) || 1
  const above = (similarity: number | undefined): number =>
    similarity === undefined || Number.isNaN(similarity)
      ? 0
      : Math.max(0, (similarity - average + LEAST_DEVIATION) / (deviation + LEAST_DEVIATION))
  return candidates.map(({ score, similarity }) => score / best + weight * above(similarity))
}

/** The cosine of two embeddings of one length. */
export const cosine = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  let product = 0
  let ofOne = 0
  let ofOther = 0
  for (const [place, value] of one.entries()) {
    const beside = other[place] ?? 0
    product += value * beside
    ofOne += value * value
    ofOther += beside * beside
  }
  return product / Math.sqrt(ofOne * ofOther)
}
