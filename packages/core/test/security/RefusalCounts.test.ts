import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { OTHER_ADDRESSES, RefusalCounts } from "../../src/security/RefusalCounts.ts"

const refusal = (address: string, outcome = "unauthorized", problem: string | undefined = "refused") => ({
  outcome,
  problem,
  address,
  route: "GET /api/chat",
  suspicious: true
})

const kind = fc.constantFrom<readonly [string, string | undefined]>(
  ["unauthorized", "refused"],
  ["unauthorized", "expired"],
  ["cross_site_request", undefined]
)

describe("the counts of refusals", () => {
  test("for any sequence of refusals, those reported at once and those in the reports are all of them, by kind", () => {
    const refusals = fc.array(fc.tuple(kind, fc.integer({ min: 0, max: 2_000 })), { maxLength: 3_000, size: "max" })
    fc.assert(
      fc.property(refusals, fc.integer({ min: 1, max: 3_000 }), (all, windowLength) => {
        const counts = new RefusalCounts()
        const reported = new Map<string, number>()
        const add = (name: string, count: number) => reported.set(name, (reported.get(name) ?? 0) + count)
        const end = () => counts.end().forEach((each) => add(`${each.outcome} ${each.problem}`, each.count))
        for (const [index, [[outcome, problem], address]] of all.entries()) {
          if (counts.add({ ...refusal(String(address)), outcome, problem })) add(`${outcome} ${problem}`, 1)
          if (index % windowLength === 0) end()
        }
        end()
        const expected = Map.groupBy(all, ([[outcome, problem]]) => `${outcome} ${problem}`)
        expect(Object.fromEntries(reported)).toEqual(
          Object.fromEntries([...expected].map(([name, each]) => [name, each.length]))
        )
      }),
      { numRuns: 30 }
    )
  })

  test("100,000 addresses take the memory of 1,000, and the refusals of the others are counted together", () => {
    const counts = new RefusalCounts()
    let atOnce = 0
    for (let address = 0; address < 100_000; address++) if (counts.add(refusal(`address ${address}`))) atOnce += 1
    expect(counts.size).toBe(1_000)
    expect(atOnce).toBe(20)
    const reports = counts.end()
    expect(reports).toHaveLength(21)
    expect(reports.at(-1)).toMatchObject({ address: OTHER_ADDRESSES })
    expect(reports.reduce((sum, { count }) => sum + count, 0)).toBe(99_980)
    expect(counts.totals).toEqual({ "unauthorized refused": 100_000 })
    expect(counts.size).toBe(0)
  })

  test("the addresses with the most refusals are named, and a flood of one hides no other", () => {
    const counts = new RefusalCounts()
    for (let time = 0; time < 1_000; time++) counts.add(refusal("flood"))
    expect(counts.add(refusal("quiet"))).toBe(true)
    expect(counts.end()).toEqual([{ ...refusal("flood"), count: 995 }])
  })
})
