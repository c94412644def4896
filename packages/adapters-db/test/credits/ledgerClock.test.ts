import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { learnOffset, offsetOf } from "../../src/credits/LedgerClock.ts"

/** Answers that came in time, each with how long it waited for the database and then for its way back. */
const exchanges = fc.array(fc.record({ pause: fc.nat(60_000), there: fc.nat(3_000), back: fc.nat(3_000) }), {
  minLength: 1,
  maxLength: 30
})

/** The state of a process that asked a clock which is this far ahead of its own, and the time of its last request. */
const asked = (
  offset: number,
  all: ReadonlyArray<{ readonly pause: number; readonly there: number; readonly back: number }>,
  from = 1_000_000,
  known?: ReturnType<typeof learnOffset>
) => {
  let now = from
  let knows = known
  for (const { pause, there, back } of all) {
    const askedAt = now + pause
    now = askedAt + there + back
    knows = learnOffset(knows, { askedAt, databaseNow: askedAt + there + offset, heardAt: now })
  }
  return { now, knows }
}

describe("the offset to the database's clock", () => {
  it("is known within half of the fastest answer's way, however slow the others were", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), exchanges, (offset, all) => {
        const { knows, now } = asked(offset, all)
        const fastest = Math.min(...all.map(({ there, back }) => there + back))
        const drifted = (now - 1_000_000) * 0.001
        expect(Math.abs(offsetOf(knows) - offset)).toBeLessThanOrEqual(fastest / 2 + drifted + 2)
      })
    )
  })

  it("is zero while the clocks agree as far as is known", () => {
    fc.assert(
      fc.property(exchanges, (all) => {
        expect(offsetOf(asked(0, all).knows)).toBe(0)
      })
    )
  })

  it("is learned again from one answer after a clock was set", () => {
    const leaps = fc.integer({ min: 20_000, max: 1e9 })
    fc.assert(
      fc.property(exchanges, leaps, fc.boolean(), (all, leap, back) => {
        const before = asked(0, all)
        const set = back ? -leap : leap
        const { knows } = asked(set, [{ pause: 0, there: 5, back: 5 }], before.now, before.knows)
        expect(Math.abs(offsetOf(knows) - set)).toBeLessThanOrEqual(6)
      })
    )
  })
})
