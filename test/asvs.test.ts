import { describe, expect, it } from "vitest"
import { namedTests, textOf } from "./support/namedTests.ts"

/**
 * The requirements of levels 1 and 2 of OWASP ASVS 5.0.0: for each section of a chapter the last parts of the ids. Those
 * of level 3 alone are left out.
 */
const requirements: Readonly<Record<string, ReadonlyArray<number>>> = {
  "1.1": [1, 2],
  "1.2": [1, 2, 3, 4, 5, 6, 7, 8, 9],
  "1.3": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  "1.4": [1, 2, 3],
  "1.5": [1, 2],
  "2.1": [1, 2, 3],
  "2.2": [1, 2, 3],
  "2.3": [1, 2, 3, 4],
  "2.4": [1],
  "3.2": [1, 2],
  "3.3": [1, 2, 3, 4],
  "3.4": [1, 2, 3, 4, 5, 6],
  "3.5": [1, 2, 3, 4, 5],
  "3.7": [1, 2],
  "4.1": [1, 2, 3],
  "4.2": [1],
  "4.3": [1, 2],
  "4.4": [1, 2, 3, 4],
  "5.1": [1],
  "5.2": [1, 2, 3],
  "5.3": [1, 2],
  "5.4": [1, 2, 3],
  "6.1": [1, 2, 3],
  "6.2": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  "6.3": [1, 2, 3, 4],
  "6.4": [1, 2, 3, 4],
  "6.5": [1, 2, 3, 4, 5],
  "6.6": [1, 2, 3],
  "6.8": [1, 2, 3, 4],
  "7.1": [1, 2, 3],
  "7.2": [1, 2, 3, 4],
  "7.3": [1, 2],
  "7.4": [1, 2, 3, 4, 5],
  "7.5": [1, 2],
  "7.6": [1, 2],
  "8.1": [1, 2],
  "8.2": [1, 2, 3],
  "8.3": [1],
  "8.4": [1],
  "9.1": [1, 2, 3],
  "9.2": [1, 2, 3, 4],
  "10.1": [1, 2],
  "10.2": [1, 2],
  "10.3": [1, 2, 3, 4],
  "10.4": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  "10.5": [1, 2, 3, 4, 5],
  "10.6": [1, 2],
  "10.7": [1, 2, 3],
  "11.1": [1, 2],
  "11.2": [1, 2, 3],
  "11.3": [1, 2, 3],
  "11.4": [1, 2, 3, 4],
  "11.5": [1],
  "11.6": [1],
  "12.1": [1, 2, 3],
  "12.2": [1, 2],
  "12.3": [1, 2, 3, 4],
  "13.1": [1],
  "13.2": [1, 2, 3, 4, 5],
  "13.3": [1, 2],
  "13.4": [1, 2, 3, 4, 5],
  "14.1": [1, 2],
  "14.2": [1, 2, 3, 4],
  "14.3": [1, 2, 3],
  "15.1": [1, 2, 3],
  "15.2": [1, 2, 3],
  "15.3": [1, 2, 3, 4, 5, 6, 7],
  "16.1": [1],
  "16.2": [1, 2, 3, 4, 5],
  "16.3": [1, 2, 3, 4],
  "16.4": [1, 2, 3],
  "16.5": [1, 2, 3],
  "17.1": [1],
  "17.2": [1, 2, 3, 4],
  "17.3": [1, 2]
}

const ids = Object.entries(requirements).flatMap(([section, parts]) => parts.map((part) => `${section}.${part}`))

const rowsOf = (text: string) =>
  [...text.matchAll(/^\| (\d+\.\d+\.\d+) +\|([^|]+)\|([^|]+)\|(.+)\|$/gm)].map(
    ([, id = "", summary = "", state = "", evidence = ""]) => ({
      id,
      summary: summary.trim(),
      state: state.trim(),
      evidence: evidence.trim()
    })
  )

describe("docs/security/asvs.md", () => {
  const text = textOf("docs/security/asvs.md")
  const rows = rowsOf(text)
  const withState = (state: string) => rows.filter((row) => row.state === state)

  it("has each requirement of levels 1 and 2 once, in the order of the standard", () => {
    expect(ids.length).toBe(253)
    expect(rows.map(({ id }) => id)).toEqual(ids)
  })

  it("says of each what it is, whether it is met, and why", () => {
    const states = ["met", "partly", "not met", "not applicable"]
    expect(rows.filter(({ summary }) => summary === "").map(({ id }) => id)).toEqual([])
    expect(rows.filter(({ state }) => !states.includes(state)).map(({ id }) => id)).toEqual([])
    expect(rows.filter(({ evidence }) => evidence === "").map(({ id }) => id)).toEqual([])
  })

  it("has for each that is met a test, or a link to its evidence", () => {
    const without = withState("met").filter(
      ({ evidence }) => namedTests(evidence).length === 0 && !/\]\([^)]+\)/.test(evidence)
    )
    expect(without.map(({ id }) => id)).toEqual([])
  })

  it("counts its states", () => {
    const count = (state: string) => withState(state).length
    expect(text.replaceAll(/\s+/g, " ")).toContain(
      `Of ${rows.length} requirements ${count("met")} are met, ${count("partly")} partly, ${count("not met")} are not met, and ${count("not applicable")} are not applicable.`
    )
  })
})
