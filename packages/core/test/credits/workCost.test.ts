import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { problemOfLines, workCost } from "../../src/credits/rules/price.ts"

const line = (quantity: number, unitPrice: number) => ({ label: "unit", quantity, unitPrice })
const figure = fc.integer({ min: 0, max: 5_000_000 }).map((thousandths) => thousandths / 1_000)
const lines = fc.array(fc.record({ label: fc.constant("unit"), quantity: figure, unitPrice: figure }), { maxLength: 8 })

describe("the cost of metered work", () => {
  it("sums decimals exactly, and rounds up once", () => {
    expect(workCost([line(0.1, 1), line(0.2, 1), line(0.7, 1)])).toBe(1)
    expect(workCost([line(3, 0.1)])).toBe(1)
    expect(workCost([line(10, 0.1)])).toBe(1)
    expect(workCost([line(10, 0.1), line(1, 0.000001)])).toBe(2)
    expect(workCost([line(1_000_000, 0.000001)])).toBe(1)
    expect(workCost([])).toBe(0)
  })

  it("is the sum over thousandths, rounded up, for any lines", () => {
    fc.assert(
      fc.property(lines, (given) => {
        const millionths = given.reduce(
          (sum, { quantity, unitPrice }) =>
            sum + BigInt(Math.round(quantity * 1_000)) * BigInt(Math.round(unitPrice * 1_000)),
          0n
        )
        expect(BigInt(workCost(given))).toBe((millionths + 999_999n) / 1_000_000n)
      })
    )
  })

  it("never falls where more is used, and splitting a line changes nothing", () => {
    fc.assert(
      fc.property(lines, figure, figure, (given, more, unitPrice) => {
        expect(workCost([...given, line(more, unitPrice)])).toBeGreaterThanOrEqual(workCost(given))
        const whole = Math.floor(more)
        expect(workCost([...given, line(whole, unitPrice)])).toBe(
          workCost([...given, line(Math.floor(whole / 2), unitPrice), line(Math.ceil(whole / 2), unitPrice)])
        )
      })
    )
  })

  it("is bounded where figures are as large as they may be", () => {
    const most = Array.from({ length: 50 }, () => line(1e12, 1e12))
    expect(problemOfLines(most)).toBeUndefined()
    expect(workCost(most)).toBe(Number.MAX_SAFE_INTEGER)
    expect(problemOfLines([...most, line(0, 0)])).toMatch("at most 50 lines")
  })
})
