import type { TokenizerService } from "../tokens/TokenizerService.ts"

/**
 * Tokenizers differ, and ours estimates: the output of a vendor that observes its limit counts at most this many times
 * the limit, and a few more.
 */
const TIMES = 2
const MORE = 32

/** No text has more UTF-16 units per token for long; blanks and rules may, for a while. */
const UNITS_PER_TOKEN = 64
const MORE_UNITS = 4_096

/** Tokens are bytes at least, and a UTF-16 unit is three bytes at most. */
const TOKENS_PER_UNIT = 3

/** The part of new text that fits into the limit, and true if all of it fits. */
export interface Fused {
  readonly text: string
  readonly isCut: boolean
}

/** At most `length` units, and no half of a character. */
const cutAt = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, Math.max(0, length)).replace(/[\ud800-\udbff]$/, "")

/** The text of a reply as it is delivered: bounded, and counted once. */
export interface ReplyOutput {
  /** Takes new text and returns the part that may be delivered, which then counts as delivered. */
  take(text: string): Fused
  /** The delivered text. */
  text(): string
  /** The estimated tokens of the delivered text. */
  tokens(): number
}

/**
 * Limits the length of one reply: cuts it at about twice the requested tokens, independent of the size of its pieces.
 * Tokens are counted on request or when they may have reached the limit, each text once.
 */
export const replyOutput = (maxOutputTokens: number, tokenizer: TokenizerService): ReplyOutput => {
  const limit = TIMES * maxOutputTokens + MORE
  const mostUnits = UNITS_PER_TOKEN * maxOutputTokens + MORE_UNITS
  const count = tokenizer.countGrowing()
  let whole = ""
  let counted = { units: 0, tokens: 0 }
  /** Up to this length, nothing has to be counted. */
  let countAt = limit / TOKENS_PER_UNIT

  const tokens = (): number => {
    if (counted.units < whole.length) counted = { units: whole.length, tokens: count(whole) }
    return counted.tokens
  }
  const take = (text: string): Fused => {
    const offered = cutAt(text, mostUnits - whole.length)
    const before = { ...counted, text: whole }
    whole += offered
    if (whole.length >= countAt) {
      if (tokens() > limit) {
        // The place of the limit, interpolated from the counts on both sides.
        const share = (limit - before.tokens) / (counted.tokens - before.tokens)
        const units = before.units + Math.floor(share * (whole.length - before.units))
        const cut = cutAt(offered, units - before.text.length)
        whole = before.text + cut
        counted = { units: whole.length, tokens: limit }
        return { text: cut, isCut: true }
      }
      countAt = whole.length + (limit - counted.tokens) / TOKENS_PER_UNIT
    }
    return { text: offered, isCut: offered.length < text.length }
  }
  return { take, text: () => whole, tokens }
}
