import { describe, expect, it } from "vitest"
import { majorUnits } from "../src/currency.ts"

describe("an amount of Stripe's", () => {
  it.each([
    [1_250, "usd", 12.5],
    [1_250, "EUR", 12.5],
    [1_250, "jpy", 1_250],
    [1_250, "krw", 1_250],
    [500, "mga", 500],
    [5_120, "kwd", 5.12],
    [1_230, "bhd", 1.23],
    [1_005, "tnd", 1.005],
    // Without a minor unit, and yet with two decimals at Stripe.
    [500, "isk", 5],
    [500, "ugx", 5],
    // Zero-decimal in payouts alone.
    [1_045, "huf", 10.45],
    [80_045, "twd", 800.45],
    [-1_999, "usd", -19.99],
    [0, "usd", 0],
    [9_007_199_254_740_991, "usd", 90_071_992_547_409.91]
  ])("of %i in %s is %d in major units", (amount, currency, expected) => {
    expect(majorUnits(amount, currency)).toBe(expected)
  })

  it("is the nearest number to the exact decimal, where a division by a power of ten would do as well", () => {
    for (let amount = 0; amount < 10_000; amount++) expect(majorUnits(amount, "usd")).toBe(amount / 100)
  })
})
