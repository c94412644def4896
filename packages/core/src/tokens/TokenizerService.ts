/** The number of tokens in a text. */
export interface TokenCount {
  /** No tokenizer of the vendors counts more. */
  readonly max: number
  /** The usual count of tokenizers. Never more than `max`. */
  readonly estimate: number
}

/**
 * Counts tokens before a model is called, and if its vendor reports no usage. Vendors publish their tokenizers late or
 * never, and a model may have a fallback of another vendor; so a count is a bound that holds for all of them, and an
 * estimate. All counting is synchronous, accepts any text, and is linear in its length.
 */
export interface TokenizerService {
  /** Counts a whole text. */
  count(text: string): TokenCount
  /**
   * Begins to count a text in steps: each call counts at least this many more characters (UTF-16 units), and returns
   * the count of the whole text when it is complete.
   */
  countInSteps(text: string): (characters: number) => TokenCount | undefined
  /**
   * Counts a growing text: each call takes the whole text so far, and returns its estimate, within one token. All
   * calls together take time that is linear in the final length.
   */
  countGrowing(): (text: string) => number
}
