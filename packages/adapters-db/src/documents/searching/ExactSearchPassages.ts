import { Context } from "effect"

/**
 * The number of passages that are always compared with a question one by one. On a busy machine of two cores, 20,000
 * passages took 0.17 s at 256 dimensions and 0.33 s at 1,536; an index found nearly the same ones in 0.03 to 0.05 s.
 */
export const EXACT_SEARCH_PASSAGES = 20_000

/** The highest value that may be set instead. */
export const MAX_EXACT_SEARCH = 1_000_000_000

/**
 * The most passages of the named documents for which a search by meaning compares all of them. If they have more, the
 * approximate index over the embeddings, if an operator made one, chooses those to compare.
 */
export class ExactSearchPassages extends Context.Reference<number>(
  "@parley/adapters-db/documents/ExactSearchPassages",
  { defaultValue: () => EXACT_SEARCH_PASSAGES }
) {}
