/** The number of tokens in a text. */
export interface TokenCount {
  /** The upper bound: no tokenizer of the vendors counts more. */
  readonly max: number
  /** The usual count of tokenizers; never more than `max`. */
  readonly estimate: number
}

/**
 * Counts tokens before a model is called, and if its vendor reports no usage. Vendors publish their tokenizers late or
 * never, and a model may have a fallback of another vendor. A count therefore consists of an upper bound that holds for
 * all vendors, and an estimate. All counting is synchronous, accepts any text, and is linear in its length.
 */
export interface TokenizerService {
  /** Counts a whole text. */
  count(text: string): TokenCount
  /**
   * Starts to count a text in steps: each call of the returned function counts at least the given number of further
   * characters (UTF-16 units), and returns the count of the whole text when it is complete.
   */
  countInSteps(text: string): (characters: number) => TokenCount | undefined
  /**
   * Starts to count a growing text: each call of the returned function takes the whole text so far, and returns its
   * estimate, exact to one token. All calls together take time that is linear in the final length.
   */
  countGrowing(): (text: string) => number
}
