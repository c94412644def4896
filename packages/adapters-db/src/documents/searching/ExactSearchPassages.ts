import { Context } from "effect"

/**
 * The number of passages that are always compared with a question one by one. On a busy machine of two cores, 20,000
 * passages took 0.17 s at 256 dimensions and 0.33 s at 1,536; an index found nearly the same ones in 0.03 to 0.05 s.
 */
export const EXACT_SEARCH_PASSAGES = 20_000

/** The highest number of passages that an operator may set. */
export const MAX_EXACT_SEARCH = 1_000_000_000

/**
 * The limit for exact searches by meaning. If the named documents have at most this many passages, a search compares
 * all of them with the question. If they have more, the approximate index over the embeddings chooses the passages to
 * compare, provided that an operator has built one.
 */
export class ExactSearchPassages extends Context.Reference<number>(
  "@parley/adapters-db/documents/ExactSearchPassages",
  { defaultValue: () => EXACT_SEARCH_PASSAGES }
) {}
