import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { periodAt, periodStart } from "../../src/credits/rules/period.ts"

const at = (iso: string) => Date.parse(iso)
const iso = (time: number) => new Date(time).toISOString()
const moments = fc.integer({ min: at("1990-01-01T00:00:00Z"), max: at("2120-01-01T00:00:00Z") })

describe("billing periods", () => {
  it.each([
    ["2026-01-31T15:30:00.123Z", ["2026-02-28T15:30:00.123Z", "2026-03-31T15:30:00.123Z", "2026-04-30T15:30:00.123Z"]],
    ["2028-01-31T00:00:00.000Z", ["2028-02-29T00:00:00.000Z", "2028-03-31T00:00:00.000Z", "2028-04-30T00:00:00.000Z"]],
    ["2026-12-30T23:59:59.999Z", ["2027-01-30T23:59:59.999Z", "2027-02-28T23:59:59.999Z", "2027-03-30T23:59:59.999Z"]],
    ["2026-06-15T12:00:00.000Z", ["2026-07-15T12:00:00.000Z", "2026-08-15T12:00:00.000Z", "2026-09-15T12:00:00.000Z"]]
  ])("anchored at %s begin at the anchor plus whole months, clamped to the month's end", (anchor, starts) => {
    expect([1, 2, 3].map((number) => iso(periodStart(at(anchor), number)))).toEqual(starts)
    expect(periodStart(at(anchor), 0)).toBe(at(anchor))
  })

  it("contain each moment from the anchor on in exactly one period", () => {
    fc.assert(
      fc.property(moments, moments, (one, other) => {
        const anchor = Math.min(one, other)
        const now = Math.max(one, other)
        const { number, start, end } = periodAt(anchor, now)
        expect(start).toBeLessThanOrEqual(now)
        expect(now).toBeLessThan(end)
        expect(start).toBe(periodStart(anchor, number))
        expect(end).toBe(periodStart(anchor, number + 1))
      }),
      { numRuns: 1_000 }
    )
  })

  it("begin on the anchor's day, or on the last day of a shorter month, one month after the other", () => {
    fc.assert(
      fc.property(moments, fc.nat(600), (anchor, number) => {
        const from = new Date(anchor)
        const start = new Date(periodStart(anchor, number))
        const monthOf = (date: Date) => date.getUTCFullYear() * 12 + date.getUTCMonth()
        expect(monthOf(start)).toBe(monthOf(from) + number)
        const tomorrow = new Date(start.getTime() + 86_400_000)
        const lastOfMonth = tomorrow.getUTCMonth() !== start.getUTCMonth()
        expect(
          start.getUTCDate() === from.getUTCDate() || (lastOfMonth && start.getUTCDate() < from.getUTCDate())
        ).toBe(true)
        expect(start.toISOString().slice(11)).toBe(from.toISOString().slice(11))
      }),
      { numRuns: 1_000 }
    )
  })

  it("begin at the edge: the last millisecond belongs to the period before", () => {
    const anchor = at("2026-01-31T10:00:00Z")
    expect(periodAt(anchor, at("2026-02-28T09:59:59.999Z")).number).toBe(0)
    expect(periodAt(anchor, at("2026-02-28T10:00:00Z")).number).toBe(1)
    expect(periodAt(anchor, at("2026-03-31T09:59:59.999Z")).number).toBe(1)
  })

  it("are the first one before the anchor", () => {
    const anchor = at("2026-01-31T10:00:00Z")
    expect(periodAt(anchor, at("2020-05-05T00:00:00Z"))).toEqual({
      number: 0,
      start: anchor,
      end: at("2026-02-28T10:00:00Z")
    })
  })
})
