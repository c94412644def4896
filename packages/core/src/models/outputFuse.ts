import { countGrowing } from "../tokens/countGrowing.ts"

/**
 * Tokenizers differ, and ours counts by estimate: what a vendor that keeps to its limit writes counts less than this many
 * times the limit, and a few more.
 */
const TIMES = 2
const MORE = 32

/** No text has so many UTF-16 units a token for long; blanks and rules may, for a while. */
const UNITS_PER_TOKEN = 64
const MORE_UNITS = 4_096

/** Tokens are bytes at least, and a UTF-16 unit is three bytes at most. */
const TOKENS_PER_UNIT = 3

/** What of the newest text a reply may still have, and whether that was all of it. */
export interface Fused {
  readonly text: string
  readonly isCut: boolean
}

/** At most `length` units, and no half of a character. */
const cutAt = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, Math.max(0, length)).replace(/[\ud800-\udbff]$/, "")

/**
 * Watches over the length of one reply: takes what is new of its text and gives what may be delivered of it. A reply is cut
 * where it has about twice the tokens it was asked to have at most, whatever the pieces it comes in. The tokens are counted
 * only where they might be that many, once each.
 */
export const outputFuse = (maxOutputTokens: number): ((text: string) => Fused) => {
  const limit = TIMES * maxOutputTokens + MORE
  const mostUnits = UNITS_PER_TOKEN * maxOutputTokens + MORE_UNITS
  const count = countGrowing()
  let whole = ""
  let counted = { units: 0, tokens: 0 }
  /** Up to this length, nothing has to be counted. */
  let countAt = limit / TOKENS_PER_UNIT

  /** The length at which the limit is reached, by what was counted on both sides of it. */
  const unitsWithin = (tokens: number): number => {
    const share = (limit - counted.tokens) / (tokens - counted.tokens)
    return counted.units + Math.floor(share * (whole.length - counted.units))
  }

  return (text) => {
    const before = whole.length
    const offered = cutAt(text, mostUnits - before)
    whole += offered
    if (whole.length >= countAt) {
      const tokens = count(whole)
      if (tokens > limit) return { text: cutAt(offered, unitsWithin(tokens) - before), isCut: true }
      counted = { units: whole.length, tokens }
      countAt = whole.length + (limit - tokens) / TOKENS_PER_UNIT
    }
    return { text: offered, isCut: offered.length < text.length }
  }
}
