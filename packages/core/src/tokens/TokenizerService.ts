/** How many tokens a text has. */
export interface TokenCount {
  /** No tokenizer of the vendors counts more. */
  readonly max: number
  /** What tokenizers usually count. Never more than `max`. */
  readonly estimate: number
}

/**
 * Counts tokens before a model is asked, and where its vendor reports no usage. Vendors publish their tokenizers late or
 * never, and a model may have a fallback at another one: so a count is a bound that holds for all of them, and an
 * estimate. All counting is synchronous, of any text, and linear in its length.
 */
export interface TokenizerService {
  /** Counts a whole text. */
  count(text: string): TokenCount
  /**
   * Begins to count a text, for turns with others: each call goes on for at least so many characters (UTF-16 units), and
   * gives the count of the whole once it is done.
   */
  countInSteps(text: string): (characters: number) => TokenCount | undefined
  /**
   * Counts a text that only grows: each call takes the text as it is now, and gives the estimate for it, within one token.
   * All calls together take time that is linear in the final length.
   */
  countGrowing(): (text: string) => number
}
