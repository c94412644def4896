import type { ModelPrice } from "../tiers/Model.ts"
import { MAX_CREDITS } from "./Credits.ts"
import type { Usage } from "./Usage.ts"

/** Products are summed exactly in millionths of a credit. A price with more than six decimals is rounded up to one. */
const MILLIONTHS = 1_000_000
const millionths = (creditsPer1k: number): bigint => {
  const nearest = Math.round(creditsPer1k * MILLIONTHS)
  return BigInt(nearest / MILLIONTHS < creditsPer1k ? nearest + 1 : nearest)
}

/**
 * Credits for one reply: `max(minimum, ceil((freshInput*in + cacheRead*cachedIn + cacheWrite*in + output*out) / 1000))`,
 * with prices in credits per 1,000 tokens, summed exactly and rounded up once.
 */
export const priceOf = (usage: Usage, price: ModelPrice): number => {
  const input = millionths(price.creditsPer1kInput)
  const sum =
    BigInt(usage.freshInput) * input +
    BigInt(usage.cacheRead) * millionths(price.creditsPer1kCachedInput) +
    BigInt(usage.cacheWrite) * input +
    BigInt(usage.output) * millionths(price.creditsPer1kOutput)
  const perCredit = BigInt(1000 * MILLIONTHS)
  const credits = (sum + perCredit - 1n) / perCredit
  return Math.max(price.minimumCredits, credits > BigInt(MAX_CREDITS) ? MAX_CREDITS : Number(credits))
}

/**
 * The most output tokens whose price, after `inputTokens` of fresh input, is within `credits`; at most `ceiling`.
 * Zero where not even one output token fits.
 */
export const outputTokensWithin = (
  credits: number,
  inputTokens: number,
  price: ModelPrice,
  ceiling: number
): number => {
  const cost = (output: number) => priceOf({ freshInput: inputTokens, cacheRead: 0, cacheWrite: 0, output }, price)
  if (cost(0) > credits) return 0
  if (cost(ceiling) <= credits) return ceiling
  let fits = 0
  let tooMany = ceiling
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (cost(middle) <= credits) fits = middle
    else tooMany = middle
  }
  return fits
}
