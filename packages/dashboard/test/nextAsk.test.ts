import { expect, it } from "vitest"
import { isLateAfter, nextAskMs } from "../app/pages/billing/nextAsk.ts"

it("what was paid for is asked for as long as the page is open: often for a minute, then ever more seldom", () => {
  const pauses = Array.from({ length: 300 }, (_, asks) => nextAskMs(asks))
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
  expect(Math.min(...pauses)).toBeGreaterThan(0)
  expect(Math.max(...pauses)).toBe(30_000)
  let at = 0
  const asked = pauses.map((pause) => (at += pause))
  expect(asked.filter((moment) => moment <= 60_000)).toHaveLength(40)
  expect(asked.filter((moment) => moment <= 3_600_000).length).toBeLessThan(180)
  expect([isLateAfter(39), isLateAfter(40)]).toEqual([false, true])
})
