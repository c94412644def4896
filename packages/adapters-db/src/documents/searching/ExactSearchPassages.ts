import { Context } from "effect"

/**
 * So many passages are compared with a question one by one, whatever there is: on a machine of two cores that was busy with other
 * things, 20,000 passages took 0.17 s at 256 numbers each and 0.33 s at 1,536, and an index found nearly the same ones in 0.03 to 0.05 s.
 */
export const EXACT_SEARCH_PASSAGES = 20_000

/** The highest value that may be set instead. */
export const MAX_EXACT_SEARCH = 1_000_000_000

/**
 * How many passages the documents named may have for a search by meaning to compare all of them. If they have more, the
 * approximate index over the embeddings, if an operator made one, chooses those to compare.
 */
export class ExactSearchPassages extends Context.Reference<number>(
  "@parley/adapters-db/documents/ExactSearchPassages",
  { defaultValue: () => EXACT_SEARCH_PASSAGES }
) {}
