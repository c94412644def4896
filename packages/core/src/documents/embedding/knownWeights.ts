/**
 * The weight of a model that is known to find clearly better than words. If the errors of both are independent, a model
 * 1.1 to 1.6 times as good as words works best with a weight of 0.2 to 0.4 (`fusion.test.ts`); errors in real texts are
 * less independent, so the lowest of these weights is used.
 */
const BETTER_THAN_WORDS = 0.2

/**
 * Models whose published nDCG@10 on BEIR's collections is on average at least 1.2 times that of BM25 in Anserini's
 * regressions, by the last part of their names in lower case: `bge-base-en-v1.5` 1.09 to 1.72 on six collections
 * (Anserini), `embed-english-v3.0` 1.06 to 1.79 on six (Cohere), `text-embedding-3-large` 1.15 and 1.31 on two,
 * `text-embedding-3-small` 1.40 on one (MTEB).
 */
const KNOWN: ReadonlySet<string> = new Set([
  "bge-base-en-v1.5",
  "embed-english-v3.0",
  "text-embedding-3-large",
  "text-embedding-3-small"
])

/** Returns the weight of a model by its name, such as `Xenova/bge-base-en-v1.5`; undefined if it is not known. */
export const knownWeightOf = (model: string): number | undefined =>
  KNOWN.has(model.toLowerCase().split("/").at(-1) ?? "") ? BETTER_THAN_WORDS : undefined
