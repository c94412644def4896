import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { maxPriceOf, outputTokensWithin, priceOf } from "../../src/credits/rules/price.ts"
import type { Usage } from "../../src/models/Usage.ts"
import type { ModelPrice, TokenRates } from "../../src/models/Model.ts"

const tokens = fc.oneof(fc.nat(5_000), fc.nat(2_000_000))
const usages: fc.Arbitrary<Usage> = fc.record({
  freshInput: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  output: tokens
})
/** Prices as people write them: whole numbers, or up to six decimals, kept as millionths to stay exact. */
const priceInMillionths = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 1_000 }).map((whole) => whole * 1_000_000),
  fc.nat(1_000_000_000)
)
interface ExactRates {
  readonly input: number
  readonly cached: number
  readonly write: number
  readonly output: number
}
const asRates = (exact: ExactRates): TokenRates => ({
  creditsPer1kInput: exact.input / 1_000_000,
  creditsPer1kCachedInput: exact.cached / 1_000_000,
  creditsPer1kCacheWrite: exact.write / 1_000_000,
  creditsPer1kOutput: exact.output / 1_000_000
})
/** Rates as a catalog takes them: reading a cache costs at most what fresh input does. */
const exactRates: fc.Arbitrary<ExactRates> = fc
  .record({ input: priceInMillionths, cached: priceInMillionths, write: priceInMillionths, output: priceInMillionths })
  .map((rates) => ({ ...rates, cached: Math.min(rates.cached, rates.input) }))
const sumOf = (a: ExactRates, b: ExactRates): ExactRates => ({
  input: a.input + b.input,
  cached: a.cached + b.cached,
  write: a.write + b.write,
  output: a.output + b.output
})
const prices = fc
  .record({
    rates: exactRates,
    more: fc.option(fc.record({ rates: exactRates, aboveInputTokens: fc.oneof(fc.nat(6_000), fc.nat(6_000_000)) })),
    minimumCredits: fc.integer({ min: 1, max: 50 })
  })
  .map(({ rates, more, minimumCredits }) => {
    const long = more && { ...more, rates: sumOf(rates, more.rates) }
    const longContext = long && { ...asRates(long.rates), aboveInputTokens: long.aboveInputTokens }
    const price: ModelPrice = { ...asRates(rates), minimumCredits, ...(longContext && { longContext }) }
    const exactFor = (input: number) => (long && input > long.aboveInputTokens ? long.rates : rates)
    return { exactFor, price, minimumCredits }
  })

const oneByOne: ModelPrice = {
  creditsPer1kInput: 1,
  creditsPer1kCachedInput: 0.5,
  creditsPer1kCacheWrite: 1.25,
  creditsPer1kOutput: 4,
  minimumCredits: 1
}
const usage = (freshInput: number, cacheRead: number, cacheWrite: number, output: number): Usage => ({
  freshInput,
  cacheRead,
  cacheWrite,
  output
})

describe("the price of a reply", () => {
  it.each([
    ["nothing costs the minimum", usage(0, 0, 0, 0), 1],
    ["a whole thousand costs its price", usage(1_000, 0, 0, 1_000), 5],
    ["one token more costs the next credit", usage(1_001, 0, 0, 1_000), 6],
    ["cached input costs its own price", usage(0, 2_000, 0, 0), 1],
    ["input written to the cache costs its own price", usage(0, 0, 4_000, 0), 5],
    ["parts are summed before they are rounded", usage(500, 0, 400, 250), 2]
  ])("%s", (_name, tokensUsed, credits) => {
    expect(priceOf(tokensUsed, oneByOne)).toBe(credits)
  })

  it("is the exact cost rounded up once, or the minimum where that is more", () => {
    fc.assert(
      fc.property(usages, prices, (used, { exactFor, price }) => {
        const exact = exactFor(used.freshInput + used.cacheRead + used.cacheWrite)
        const millionthsPer1k =
          BigInt(used.freshInput) * BigInt(exact.input) +
          BigInt(used.cacheWrite) * BigInt(exact.write) +
          BigInt(used.cacheRead) * BigInt(exact.cached) +
          BigInt(used.output) * BigInt(exact.output)
        const credits = BigInt(priceOf(used, price))
        const unit = 1_000_000_000n
        expect(credits * unit >= millionthsPer1k).toBe(true)
        expect(credits === BigInt(price.minimumCredits) || (credits - 1n) * unit < millionthsPer1k).toBe(true)
        expect(credits >= BigInt(price.minimumCredits)).toBe(true)
      }),
      { numRuns: 1_000 }
    )
  })

  it("is never under the exact cost for prices with any number of decimals", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1_000, noNaN: true }), fc.nat(1_000_000), (perThousand, output) => {
        const price = { ...oneByOne, creditsPer1kOutput: perThousand }
        // The relative error of this double product is far below the slack of the comparison.
        expect(priceOf(usage(0, 0, 0, output), price)).toBeGreaterThanOrEqual(
          ((perThousand * output) / 1000) * (1 - 1e-12)
        )
      }),
      { numRuns: 1_000 }
    )
  })

  it("is at the rates for long contexts, output included, from the first token beyond their beginning", () => {
    const longContext = { ...oneByOne, creditsPer1kInput: 2, creditsPer1kOutput: 6, aboveInputTokens: 200_000 }
    const price: ModelPrice = { ...oneByOne, longContext }
    expect(priceOf(usage(100_000, 100_000, 0, 1_000), price)).toBe(154)
    expect(priceOf(usage(100_001, 100_000, 0, 1_000), price)).toBe(257)
  })

  it("is at most what was quoted for its most tokens, however its input was cached", () => {
    fc.assert(
      fc.property(usages, tokens, tokens, prices, (used, moreInput, moreOutput, { price }) => {
        const input = used.freshInput + used.cacheRead + used.cacheWrite
        expect(priceOf(used, price)).toBeLessThanOrEqual(maxPriceOf(input + moreInput, used.output + moreOutput, price))
      }),
      { numRuns: 2_000 }
    )
  })

  it("never falls when a token is added", () => {
    fc.assert(
      fc.property(
        usages,
        prices,
        fc.constantFrom("freshInput", "cacheRead", "cacheWrite", "output"),
        (used, { price }, of) => {
          expect(priceOf({ ...used, [of]: used[of] + 1 }, price)).toBeGreaterThanOrEqual(priceOf(used, price))
        }
      )
    )
  })

  it("stays a safe integer for absurd token counts", () => {
    const most = Number.MAX_SAFE_INTEGER
    expect(priceOf(usage(most, most, most, most), { ...oneByOne, creditsPer1kOutput: 1_000_000 })).toBe(most)
  })
})

describe("the output that credits buy", () => {
  it("is the most that fits: one token more costs more than there is", () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(5_000), prices, fc.nat(8_192), (credits, input, { price }, ceiling) => {
        const cost = (output: number) => maxPriceOf(input, output, price)
        const most = outputTokensWithin(credits, cost, ceiling)
        expect(most).toBeLessThanOrEqual(ceiling)
        if (most > 0) expect(cost(most)).toBeLessThanOrEqual(credits)
        if (most < ceiling) expect(cost(most + 1)).toBeGreaterThan(credits)
      }),
      { numRuns: 1_000 }
    )
  })

  it("is nothing where the input alone costs more", () => {
    expect(outputTokensWithin(1, (output) => maxPriceOf(2_000, output, oneByOne), 4_096)).toBe(0)
  })

  it("is at most the ceiling, also where output is free", () => {
    const free = { ...oneByOne, creditsPer1kOutput: 0 }
    expect(outputTokensWithin(5, (output) => maxPriceOf(1_000, output, free), 4_096)).toBe(4_096)
  })
})
